"""A map of attention between words: those written below one another, those read side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.word_labels import words_of
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import aligned_rings
from goldviz.figures.frames import AtStep
from goldviz.figures.marks import Canvas, ChannelLike
from goldviz.figures.notes import as_label
from goldviz.figures.reading import single

RIGHT_ANSWER = "#e8590c"
"""Rings around the words that stand for each other."""
HOVER = "“%{y}” looks at “%{x}”: %{z:.3f}"
TICKS: dict[str, Any] = {"tickmode": "array", "showgrid": False, "zeroline": False, "ticks": ""}


def numbers_in_cells(weights: NDArray[Any], least: float) -> list[list[str]]:
    """Weights from ``least`` on as a person writes them in a small cell: .62."""
    return [[f"{weight:.2f}".removeprefix("0") if weight >= least else "" for weight in row] for row in weights]


def add_word_map(
    figure: Figure, z: Any, rows: Sequence[str], columns: Sequence[str], hover: str = HOVER, **more: Any
) -> None:
    """A map of weights with its words at both sides; ``row`` and ``col`` name its panel."""
    place = {name: more.pop(name) for name in ("row", "col") if name in more}
    figure.add_trace(Heatmap(z=z, coloraxis="coloraxis", hovertemplate=f"{hover}<extra></extra>", **more), **place)
    for words, ends, update in (
        (columns, [-0.5, len(columns) - 0.5], figure.update_xaxes),
        (rows, [len(rows) - 0.5, -0.5], figure.update_yaxes),
    ):
        labels = [as_label(word) for word in words]
        update(tickvals=[*range(len(words))], ticktext=labels, range=ends, **TICKS, **place)


@dataclass(frozen=True)
class WordMap:
    """Weights (written, read) with their words, as many colours as the figure's scale has.

    ``rings`` is the variable that says which word read each word written stands for; weights from ``numbered`` on
    stand as numbers in their cells.
    """

    of: ChannelLike
    _: KW_ONLY
    rings: str = ""
    numbered: float | None = None

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        plot = canvas.plot
        weights = canvas.here(canvas.values(self.of))
        z = AtStep(weights.dim, single(np.asarray(weights.values, dtype=np.float32)))
        more: dict[str, Any] = {}
        if self.numbered is not None:
            least = self.numbered
            text = AtStep(z.dim, [numbers_in_cells(one, least) for one in z.values])
            more = {"text": text, "texttemplate": "%{text}", "textfont": {"size": 13}}
        add_word_map(plot.figure, z, words_of(plot.ds, "written"), words_of(plot.ds, "read"), **more)
        if self.rings:
            plot.add(aligned_rings(plot.ds[self.rings].values, RIGHT_ANSWER))


word_map = WordMap
