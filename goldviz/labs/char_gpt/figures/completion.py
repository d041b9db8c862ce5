"""What stands under the text box: the candidates for a token, what each depth would have said, where it looked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme


@drawn(
    "What else could have come?",
    name="candidates",
    shows="The likeliest tokens here; gold: the one that was drawn, if among them.",
)
def candidates(signs: Sequence[str], shares: NDArray[np.floating], choice: str, *, theme: Theme = "light") -> Figure:
    """Bars of the probabilities from which a token was drawn, the likeliest at the top."""
    ink, names = INKS[theme], _places(signs)
    figure = Figure()
    figure.bar(
        x=np.asarray(shares, dtype=np.float64),
        y=names,
        orientation="h",
        hovertemplate="%{y}: %{x:.1%}<extra></extra>",
        marker={"color": [ink.accent if sign == choice else ink.muted for sign in signs]},
        text=[f"{share:.0%}" for share in shares],
        textposition="outside",
        cliponaxis=False,
    )
    look.apply(figure, theme, title="What else could have come?", legend=False, height=330, hover="closest")
    figure.update_xaxes(range=[0, 1.12], tickformat=".0%", title_text="Probability")
    return figure.update_yaxes(autorange="reversed", showgrid=False, type="category")


@drawn(
    "What would each block have said?",
    name="lens",
    shows="The likeliest tokens if the network ended after so many blocks.",
)
def lens(signs: Sequence[Sequence[str]], shares: NDArray[np.floating], *, theme: Theme = "light") -> Figure:
    """The logit lens: final norm and read-out of the last place's state at every depth."""
    depths = ["tables", *(f"block {number}" for number in range(1, len(signs)))]
    places = [f"{place}." for place in range(1, shares.shape[1] + 1)]
    figure = Figure()
    figure.heatmap(
        z=np.asarray(shares, dtype=np.float32),
        y=depths,
        x=places,
        text=[[as_label(sign) for sign in row] for row in signs],
        texttemplate="%{text}",
        textfont={"size": 15},
        coloraxis="coloraxis",
        xgap=1,
        ygap=2,
        hovertemplate="after %{y}: %{text} %{z:.1%}<extra></extra>",
    )
    look.apply(
        figure,
        theme,
        title="What would each block have said?",
        legend=False,
        height=190 + 42 * len(depths),
        hover="closest",
    )
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    figure.update_xaxes(showgrid=False, type="category", title_text="Likeliest")
    return colour_bar_below(figure, (0.0, 1.0), look.SEQUENTIAL, "Probability", tickformat=".0%", nticks=6)


@drawn(
    "Where did it look?",
    name="looked",
    shows="How much each head's last place looks at each token so far, its own among them.",
    cannot_show="What it took from there.",
)
def looked(signs: Sequence[str], weights: NDArray[np.floating], *, theme: Theme = "light") -> Figure:
    """The last row of every head's attention: a row for each head, a column for each token."""
    blocks, heads, places = weights.shape
    rows = [f"block {block}, head {head}" for block in range(1, blocks + 1) for head in range(1, heads + 1)]
    figure = Figure()
    figure.heatmap(
        z=weights.reshape(blocks * heads, places).astype(np.float32),
        y=rows,
        coloraxis="coloraxis",
        hovertemplate="%{y} at %{x}: %{z:.1%}<extra></extra>",
        x=list(range(places)),
    )
    look.apply(figure, theme, title="Where did it look?", legend=False, height=200 + 18 * len(rows), hover="closest")
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category", tickfont_size=12)
    figure.update_xaxes(
        showgrid=False,
        tickmode="array",
        tickvals=list(range(places)),
        tickangle=0,
        tickfont_size=12,
        ticktext=[as_label(sign) for sign in signs],
        title_text="Token",
    )
    return colour_bar_below(figure, (0.0, float(weights.max())), look.SEQUENTIAL, "Attention weight", nticks=6)


def _places(signs: Sequence[str]) -> list[str]:
    """Labels that differ, because different tokens may look alike."""
    labels = [as_label(sign) for sign in signs]
    return [label + "\u200b" * labels[:place].count(label) for place, label in enumerate(labels)]
