"""How a head got to the weights of one query: two figures and a sum worked out, for the page and ahead of its script.

Both ask here, so what the browser fetched at a click is what the page's script then finds already drawn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.figures.head import mixing, scores
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.parts.readings import ReadText, figure_text, result_of, subject_of

if TYPE_CHECKING:
    from goldviz.diagnostics.text.reading import TextReading

AHEAD = "inside-bert"
"""The page under whose name the browser keeps what it fetched ahead."""
WEIGHT = "weight"
"""The largest weight worked out, among what is fetched."""
NETWORK = "network"
"""The head in view, for the diagram of the whole encoder."""
FIGURES: Mapping[FigureSpec, str] = {
    scores: "The query's products with the keys, dimension by dimension, and the weights that come of them.",
    mixing: "The values, each times its weight, and their sum.",
}
"""The figures, each with what it shows in words."""

Place = tuple[int, int, int]
"""Layer, head and piece, from 1."""


def steps_of(read: ReadText, reading: TextReading, place: Place) -> xr.Dataset:
    """The steps of one head for one query; see :func:`goldviz.labs.inside_bert.head.head_steps`."""
    from goldviz.labs.inside_bert.head import head_steps

    return result_of(read, ("steps", *place), lambda: head_steps(reading, *place))


def weight_by_hand(ds: xr.Dataset) -> dict[str, str]:
    """The largest weight of a query with all numbers that lead to it, each in words.

    ``total`` is the sum of exp(S_m - max S), so that the ``weight`` of the largest score is 1 / total.
    """
    weights, scaled = ds["weight"].values, ds["score"].values
    best = int(weights.argmax())
    asked, key = (short_piece(str(ds["token"].values[i])) for i in (int(ds.attrs["query_piece"]) - 1, best))
    numbers = {
        "product": f"{float(ds['product'][best]):.3f}",
        "score": f"{float(scaled[best]):.3f}",
        "total": f"{float(np.exp(scaled - scaled.max()).sum()):.3f}",
        "weight": f"{float(weights[best]):.4f}",
        "sum": f"{float(weights.sum()):.6f}",
    }
    counts = {"width": str(ds.sizes["dimension"]), "keys": str(ds.sizes["piece"])}
    return {"asked": asked, "key": key, **counts, **{name: said.replace("-", "−") for name, said in numbers.items()}}


def ahead(read: ReadText, reading: TextReading, place: Place, theme: Theme) -> dict[str, Any]:
    """What hangs on the head in view, as the page's script would draw it: figures in JSON by name, and of whom."""
    ds = steps_of(read, reading, place)
    drawn = {spec.name: figure_text(read, spec.name, spec.draw, ds, theme, *place) for spec in FIGURES}
    layer, head, _ = place
    said = {WEIGHT: weight_by_hand(ds), NETWORK: {"layer": layer, "head": head}}
    return {
        "subject": subject_of(read, *place),
        "figures": {**drawn, **{name: json.dumps(words) for name, words in said.items()}},
    }
