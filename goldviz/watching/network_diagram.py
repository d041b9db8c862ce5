"""A watched network as a diagram: its layers in rows by block, coloured by what was measured last of each.

From outside only the modules are known, with their names: how values flow between them is not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.diagram import Diagram, Node, Part, part_in_words
from goldviz.figures.limits import decades, exact
from goldviz.figures.theme import Theme
from goldviz.watching.figures import LABELS, PLAIN, SELDOM, SHARES, block_of
from goldviz.watching.measures import last_values, layers_of

ACROSS = 9
"""Most layers of a block in one row."""
NAME_WIDE = 2.0
"""What a block's name takes, in layers."""
MOST_ROWS = 40
"""Rows that are drawn; of a larger network the first and the last half."""
SHORT = 13
"""Letters of a name in its box."""
ROW = 36
"""Pixels of a row."""
COLOURS = tuple(name for name in LABELS if name not in SELDOM)


class _Row(NamedTuple):
    block: str
    """Empty in the rows that go on with a block."""
    places: list[int]


def network_diagram(run: Run, theme: Theme) -> Diagram:
    """The diagram of a run's network; a box whose number is not finite, or has no place on the scale, is hatched."""
    layers = layers_of(run)
    every = _rows([name for name, _, _ in layers])
    half = MOST_ROWS // 2
    rows = every if len(every) <= MOST_ROWS else [*every[:half], *every[-half:]]
    last = {name: last_values(run, name, len(layers)) for name in COLOURS if name in run}
    last = {name: values for name, values in last.items() if any(value is not None for value in values)}
    nodes, shown = _nodes(rows, layers)
    notes = [f"{len(layers):,} layers, in the order in which the model names them."]
    if len(rows) < len(every):
        notes.append(f"Of {len(every):,} rows the first and the last {half} are drawn.")
    picture = Diagram()
    look.apply(picture, theme, title="Where in the network?", notes=notes, legend=False, hover="closest")
    picture.update_layout(
        meta={
            "notes": notes,
            "diagram": {
                "noun": "layer",
                "parts": [part_in_words(Part("", nodes, row=ROW))],
                "colours": [_colour(name, values, shown) for name, values in last.items()],
                "scale": look.sequential_stops(),
                "step": "step",
            },
        }
    )
    return picture


def _rows(names: Sequence[str]) -> list[_Row]:
    """Layers of a block that stand beside one another, at most nine in a row."""
    rows: list[_Row] = []
    block: str | None = None
    for place, name in enumerate(names):
        own = block_of(name)
        if own != block:
            rows.append(_Row(own, []))
            block = own
        elif len(rows[-1].places) == ACROSS:
            rows.append(_Row("", []))
        rows[-1].places.append(place)
    return rows


def _nodes(rows: Sequence[_Row], layers: Sequence[tuple[str, str, int]]) -> tuple[list[Node], list[int | None]]:
    """Boxes, and the layer of each; None where a block's name stands."""
    nodes: list[Node] = []
    shown: list[int | None] = []
    for height, row in enumerate(rows):
        if row.block:
            nodes.append(Node(_short(row.block), row.block, 0, height, "end", wide=NAME_WIDE))
            shown.append(None)
        for column, place in enumerate(row.places):
            name, kind, count = layers[place]
            words = f"{name}, {kind}, {count:,} parameters"
            nodes.append(Node(_short(name), words, NAME_WIDE + column, height, at={"layer": name}))
            shown.append(place)
    return nodes, shown


def _short(name: str) -> str:
    """The last part of a dotted name, with the one before it where it is a number.

    >>> _short("encoder.layer.3"), _short("embeddings.position_embeddings")
    ('layer.3', 'position_emb…')
    """
    before, _, last = name.rpartition(".")
    told = f"{before.rpartition('.')[2]}.{last}" if last.isdigit() and before else last
    return told if len(told) <= SHORT else f"{told[: SHORT - 1]}…"


def _colour(name: str, values: Sequence[float | None], shown: Sequence[int | None]) -> dict[str, Any]:
    measured = [values[place] for place in shown if place is not None]
    finite = np.array([value for value in measured if value is not None and math.isfinite(value)])
    scale = "share" if name in SHARES else "linear" if name in PLAIN else "log"
    if scale == "share":
        limits = (0.0, 1.0)
    elif scale == "linear":
        limits = exact(float(finite.min(initial=0.0)), float(finite.max(initial=0.0)))
    else:
        powers = np.log10(finite[finite > 0])
        limits = decades(float(powers.min()), float(powers.max())) if powers.size else (-1.0, 0.0)
    numbers = [math.nan if place is None or (value := values[place]) is None else value for place in shown]
    return {
        "name": name,
        "words": LABELS[name],
        "unit": "",
        "scale": scale,
        "limits": [float(limit) for limit in limits],
        "values": np.array(numbers, np.float32),
        "at": None,
    }
