"""Where the writer looked for a sentence of one's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme


@drawn(
    "Where did it look for your sentence?",
    name="own_sentence",
    shows="A row is a word written, a column one of your words.",
)
def own_sentence(
    source: Sequence[str], target: Sequence[str], weights: NDArray[np.floating], *, theme: Theme = "light"
) -> Figure:
    """Attention weights, (step, source place), as a map."""
    figure = Figure()
    figure.heatmap(
        z=np.asarray(weights, dtype=np.float32),
        coloraxis="coloraxis",
        hovertemplate="“%{y}” looked at “%{x}”: %{z:.3f}<extra></extra>",
    )
    title = "Where did it look for your sentence?"
    look.apply(figure, theme, title=title, legend=False, height=230 + 26 * len(target), hover="closest")
    for axis, words, update in (
        ("Read", source, figure.update_xaxes),
        ("Written", target, figure.update_yaxes),
    ):
        update(
            tickmode="array",
            tickvals=[*range(len(words))],
            ticktext=[as_label(word) for word in words],
            showgrid=False,
            title_text=axis,
        )
    figure.update_yaxes(range=[len(target) - 0.5, -0.5])
    return colour_bar_below(figure, (0.0, 1.0), look.SEQUENTIAL, "Attention weight")
