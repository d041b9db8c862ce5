"""How a head got to the weights of one query: two figures and a sum worked out, for the page and ahead of its script.

Both ask here, so what the browser fetched at a click is what the page's script then finds already drawn.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import xarray as xr

from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.measures import largest_weight
from goldviz.labs.inside_bert.parts.readings import ReadText, figure_text, result_of, subject_of

if TYPE_CHECKING:
    from goldviz.labs.inside_bert.reading import TextReading

AHEAD = "inside-bert"
"""The page under whose name the browser keeps what it fetched ahead."""
WEIGHT = "weight"
"""The largest weight worked out, among what is fetched."""
NETWORK = "network"
"""The head in view, for the diagram of the whole encoder."""
STEPS = (FIGURES["scores"], FIGURES["mixing"])

Place = tuple[int, int, int]
"""Layer, head and piece, from 1."""


def steps_of(read: ReadText, reading: TextReading, place: Place) -> xr.Dataset:
    """The steps of one head for one query; see :func:`goldviz.labs.inside_bert.head.head_steps`."""
    from goldviz.labs.inside_bert.head import head_steps

    return result_of(read, ("steps", *place), lambda: head_steps(reading, *place))


def weight_by_hand(ds: xr.Dataset) -> dict[str, str]:
    """The largest weight of a query with all numbers that lead to it, each in words."""
    largest = largest_weight(ds)
    numbers = {
        "product": f"{largest.product:.3f}",
        "score": f"{largest.score:.3f}",
        "total": f"{largest.total:.3f}",
        "weight": f"{largest.weight:.4f}",
        "sum": f"{largest.of_all:.6f}",
    }
    words = {"asked": short_piece(largest.query), "key": short_piece(largest.key)}
    counts = {"width": str(ds.sizes["dimension"]), "keys": str(ds.sizes["piece"])}
    return {**words, **counts, **{name: number.replace("-", "−") for name, number in numbers.items()}}


def ahead(read: ReadText, reading: TextReading, place: Place, theme: Theme) -> dict[str, Any]:
    """What hangs on the head in view, as the page's script would draw it: figures in JSON by name, and of whom."""
    ds = steps_of(read, reading, place)
    figures = {spec.name: figure_text(read, spec, ds, theme, *place) for spec in STEPS}
    layer, head, _ = place
    values = {WEIGHT: weight_by_hand(ds), NETWORK: {"layer": layer, "head": head}}
    return {
        "subject": subject_of(read, *place),
        "figures": {**figures, **{name: json.dumps(words) for name, words in values.items()}},
    }
