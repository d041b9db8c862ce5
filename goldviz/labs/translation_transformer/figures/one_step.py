"""What one step of writing sees: weights to the words read, and to the words written so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.draft import Bar, Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.translation_transformer.norms import STYLES

UNSEEN = "not yet seen"


@drawn(
    "What does this step see?",
    name="one_step",
    shows="Above: how much it looks at each word read. Below: at words written so far.",
)
def one_step(
    source: Sequence[str],
    decoder_inputs: Sequence[str],
    own: NDArray[np.floating],
    cross: NDArray[np.floating],
    *,
    step: int,
    theme: Theme = "light",
) -> Figure:
    """Weights of one step, counted from 0: ``own`` (step, step), ``cross`` (step, source place)."""
    ink = INKS[theme]
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.3)
    for row, words, weights, visible in (
        (1, source, cross[step], len(source)),
        (2, decoder_inputs, own[step], step + 1),
    ):
        figure.add_trace(
            Bar(
                x=[*range(len(words))],
                y=np.asarray(weights, dtype=np.float64)[:visible],
                marker={"color": STYLES["layer"].colour},
                hovertemplate="%{y:.3f}<extra></extra>",
                showlegend=False,
                name="Attention weight",
            ),
            row=row,
            col=1,
        )
        labels = [as_label(word) if place < visible else "·" for place, word in enumerate(words)]
        figure.update_xaxes(
            tickmode="array",
            tickvals=[*range(len(words))],
            ticktext=labels,
            range=[-0.6, len(words) - 0.4],
            row=row,
            col=1,
        )
        figure.update_yaxes(range=[0, 1.05], tickvals=[0, 0.5, 1], row=row, col=1)
        if visible < len(words):
            figure.add_annotation(
                text=UNSEEN,
                x=(visible + len(words) - 1) / 2,
                y=0.5,
                xref=f"x{row}",
                yref=f"y{row}",
                showarrow=False,
                font={"color": ink.muted, "size": 13},
            )
    for panel, words in ((1, "Words read"), (2, "Words written")):
        add_heading(figure, panel, f"<b>{words}</b>")
    look.apply(figure, theme, title="What does this step see?", legend=False, height=430, hover="closest")
    return figure.update_layout(margin_t=figure.layout.margin.t + 16)
