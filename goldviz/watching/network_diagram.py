"""A watched network as a diagram: its layers in rows by block, coloured by what was measured last of each.

From outside only the modules are known, with their names: how values flow between them is not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.diagram import Diagram, Node, Part, part_in_words
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import decades, exact
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.watching.figures import LABELS, PLAIN, SELDOM, SHARES, block_of, of_run
from goldviz.watching.measures import layers_of
from goldviz.watching.measures import values as values_of

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


def _network(plot: Plot) -> Figure:
    """The diagram of a run's network at the step in view; a box whose number is not finite, or has no place on the
    scale, is hatched."""
    run = plot.ds
    layers = layers_of(run)
    every = _rows([name for name, _, _ in layers])
    half = MOST_ROWS // 2
    rows = every if len(every) <= MOST_ROWS else [*every[:half], *every[-half:]]
    numbers = {name: _until_each(run, name, len(layers)) for name in COLOURS if name in run}
    numbers = {name: values for name, values in numbers.items() if not np.isnan(values).all()}
    if not numbers:
        return plot.instead("Nothing of this was recorded yet.")
    nodes, shown = _nodes(rows, layers)
    notes = [f"{len(layers):,} layers, in the order in which the model names them."]
    if len(rows) < len(every):
        notes.append(f"Of {len(every):,} rows the first and the last {half} are drawn.")
    picture = Diagram()
    look.apply(picture, plot.theme, title=plot.title, notes=notes, legend=False, hover="closest")
    picture.update_layout(
        meta={
            "notes": notes,
            "diagram": {
                "noun": "layer",
                "parts": [part_in_words(Part("", nodes, row=ROW))],
                "colours": [_colour(plot, name, values, shown) for name, values in numbers.items()],
                "scale": look.sequential_stops(),
                "step": "step",
            },
        }
    )
    return picture


network = replace(
    of_run(
        "Where in the network?",
        shows="Each layer's number at the step in view, or the last one before. Hatched: not finite, or 0 on a scale "
        "of powers of ten.",
        cannot_show="How values flow between the layers.",
    )(_network),
    name="network",
    canvas=True,
)
"""The network of a watched run, as a diagram."""


def _until_each(run: Run, name: str, layers: int) -> NDArray[np.float64]:
    """What was measured last of each layer, up to each step."""
    rows = np.asarray(values_of(run, name), dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != layers:
        return np.full((0, layers), np.nan)
    measured = np.where(np.isnan(rows), 0, np.arange(len(rows))[:, None])
    return np.take_along_axis(rows, np.maximum.accumulate(measured, axis=0), axis=0)


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


def _colour(plot: Plot, name: str, values: NDArray[np.float64], shown: Sequence[int | None]) -> dict[str, Any]:
    dim = str(plot.ds[name].dims[0])
    at = plot.places[dim]
    seats = [place for place in shown if place is not None]
    finite = values[:, seats][np.isfinite(values[:, seats])]
    scale = "share" if name in SHARES else "linear" if name in PLAIN else "log"
    if scale == "share":
        limits = (0.0, 1.0)
    elif scale == "linear":
        limits = exact(float(finite.min(initial=0.0)), float(finite.max(initial=0.0)))
    else:
        powers = np.log10(finite[finite > 0])
        limits = decades(float(powers.min()), float(powers.max())) if powers.size else (-1.0, 0.0)
    numbers = np.full((len(at), len(shown)), np.nan, np.float32)
    numbers[:, [number for number, place in enumerate(shown) if place is not None]] = single(values[at][:, seats])
    return {
        "name": name,
        "words": LABELS[name],
        "unit": "",
        "scale": scale,
        "limits": [float(limit) for limit in limits],
        "values": AtStep(dim, numbers),
        "at": AtStep(dim, plot.ds[dim].values[at]),
    }
