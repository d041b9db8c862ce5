"""Every head's attention in one sentence at once: small maps beside and below each other, drawn as one heat map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Heatmap
from goldviz.figures.figure_value import colours
from goldviz.figures.frames import AtStep
from goldviz.figures.marks import Canvas, ChannelLike
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import growing, single

GAP = 1
"""Empty cells between two maps."""

ROW, TALLEST = 150, 660
"""Height of a layer's maps in pixels, and of all of them."""


@dataclass(frozen=True)
class Mosaic:
    """Layers from top to bottom, heads from left to right; in each map a row is the piece that looks.

    The weights are (step, layer, head, query, key); ``noun`` is what a layer is called. :func:`mosaic_axes` says how
    large its figure is.
    """

    of: ChannelLike
    pieces: Callable[[Run], list[str]]
    noun: str = "layer"

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, weights = canvas.plot, canvas.values(self.of)
        _, layers, heads, _, _ = weights.shape
        heat = Heatmap(
            z=AtStep(str(growing(weights)), single(_mosaic(weights.values))),
            coloraxis="coloraxis",
            hoverongaps=False,
            hovertemplate="%{y} → %{x}: %{z:.3f}<extra></extra>",
        )
        plot.add(heat)
        _axes(plot, self.pieces(plot.ds), layers, heads, self.noun)


def mosaic_axes(name: str, layers: str = "layer") -> dict[str, Any]:
    """What a figure of a mosaic of the variable ``name`` is told, whose layers stand along ``layers``."""

    def alone(plot: Plot) -> bool:
        return plot.ds[name].sizes[layers] == plot.ds[name].sizes["head"] == 1

    def height(plot: Plot) -> int:
        sizes = plot.ds[name].sizes
        return (280 + 18 * sizes["query"]) if alone(plot) else 200 + min(TALLEST, ROW * sizes[layers])

    def room(plot: Plot) -> dict[str, Any]:
        low_down = 98 if alone(plot) else 26
        plot.figure.update_annotations(selector={"text": "Attention weight"}, yshift=-low_down)
        return {"margin_l": 34, "margin_t": plot.figure.layout.margin.t + 6, "margin_b": 66 + low_down}

    scale = colours("Attention weight", ends=lambda plot: plot.limit(name), scale="share", below=True)
    return {"colour": scale, "height": height, "layout": room, "says_step": False, "seeds": False}


def _mosaic(weights: NDArray[Any]) -> NDArray[Any]:
    """The maps (look, layer, head, query, key) of a look beside and below each other, with empty cells between them."""
    looks, layers, heads, size, _ = weights.shape
    step = size + GAP
    whole = np.full((looks, layers * step - GAP, heads * step - GAP), np.nan)
    for layer in range(layers):
        for head in range(heads):
            top, left = layer * step, head * step
            whole[:, top : top + size, left : left + size] = weights[:, layer, head]
    return whole


def _axes(plot: Plot, pieces: list[str], layers: int, heads: int, noun: str) -> None:
    """Every cell's piece as the tick that a hover reads; on the plot itself, only a single head has room for them."""
    step = len(pieces) + GAP
    labels = [as_label(piece) for piece in pieces]
    alone = layers == heads == 1
    hidden = {"tickmode": "array", "showticklabels": alone, "showgrid": False, "ticks": "", "showline": False}
    for axis, count, title in (("x", heads, "head"), ("y", layers, noun)):
        before = [f"{title} {number} · " for number in range(1, count + 1)] if not alone else [""]
        texts = [f"{words}{label}" for words in before for label in [*labels, ""]]
        ticks = {"tickvals": list(range(count * step)), "ticktext": texts, **hidden}
        plot.figure.update_layout({f"{axis}axis": ticks})
        for number in range(count if not alone else 0):
            _heading(plot, axis, number * step + (len(pieces) - 1) / 2, number + 1, title, count)
    plot.figure.update_xaxes(range=[-0.5, heads * step - GAP - 0.5], tickangle=-90)
    plot.figure.update_yaxes(range=[layers * step - GAP - 0.5, -0.5])


def _heading(plot: Plot, axis: str, at: float, number: int, noun: str, count: int) -> None:
    words = f"{noun} {number}" if count <= 5 or axis == "y" else str(number)
    place: dict[str, Any] = {"x": at, "xref": "x", "y": 1, "yref": "y domain", "yanchor": "bottom"}
    if axis == "y":
        place = {"x": 0, "xref": "x domain", "xanchor": "right", "y": at, "yref": "y", "textangle": -90}
    plot.figure.add_annotation(text=words, showarrow=False, **place)
