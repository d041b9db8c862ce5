"""What tokens stand for, which follows which, and whether pairs of them earn a name of their own."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.market import in_template
from goldviz.figures.plot import Plot
from goldviz.labs.price_tokens.figures.quantities import figure

MOST_MOTIFS = 8
HEADING = 18
"""Pixels of a panel's name over the first one."""


@figure(
    "What does each token stand for?",
    title="What does each token mean?",
    needs=("token_mean", "token_deviation", "occupancy", "code_perplexity"),
    shows="The mean move of each token's days. Below: how often it was written.",
)
def meaning(plot: Plot) -> Figure:
    """Mean, spread and share of each token in the last fit's past; a token that never came has no bar."""
    last = plot.ds.isel(fold=-1)
    x = last["token_name"].values
    moves = Moves.of_run(plot.ds)
    mean, spread = (moves.shown(last[name].values.astype(np.float64)) for name in ("token_mean", "token_deviation"))
    plot.panels([moves.called(f"{moves.noun.capitalize()} of its days"), "Share of all days (%)"])
    bars = {"array": np.nan_to_num(spread), "color": plot.ink.muted, "thickness": 1.5, "width": 3}
    plot.figure.scatter(
        x=x,
        y=mean,
        mode="markers",
        error_y=bars,
        marker={"size": 8, "color": plot.ink.accent},
        hovertemplate="mean %{y:+.2f}" + in_template(moves.suffix),
        row=1,
    )
    plot.figure.bar(
        x=x,
        y=100 * last["occupancy"].values.astype(np.float64),
        marker={"color": plot.ink.accent},
        hovertemplate="%{y:.1f} % of the days",
        row=2,
    )
    every = max(1, len(x) // 8)
    plot.figure.update_xaxes(
        unifiedhovertitle_text="token %{x}", showgrid=False, range=(0.4, len(x) + 0.6), tick0=1, dtick=every
    )
    plot.figure.layout.xaxis2.title.text = "Token"
    by = ", last fit" if plot.ds.sizes["fold"] > 1 else ""
    used = f"Perplexity{by}: {float(last['code_perplexity']):.1f} of {len(x)} tokens."
    plot.finish(used, _while_learned(plot.ds), height=480, legend=False)
    return plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + HEADING)


def _while_learned(ds: Run) -> str:
    """From how many codes to how many, where they were learned: fewer and fewer is their collapse."""
    if not ds.sizes.get("code_look"):
        return ""
    first, last = (float(ds["codes_in_use"].isel(code_look=at)) for at in (0, -1))
    return f"While they were learned, first fit: from {first:.1f} to {last:.1f}."


@figure(
    "Which token follows which?",
    needs=("transition",),
    shows="How often one token follows another. Below: the same of planted regimes, where there are some.",
)
def transitions(plot: Plot) -> Figure:
    """Shares of the tokens that follow, by rows, and the planted chain from one trading day to the next."""
    ds = plot.ds
    has_truth = "planted_transition" in ds
    plot.panels(["Tokens as written", *(["Planted chain"] if has_truth else [])])
    _chain(plot, ds["transition"].values, 1)
    if has_truth:
        _chain(plot, ds["planted_transition"].values, 2)
    plot.figure.update_yaxes(autorange="reversed", title_text="from", dtick=max(1, ds.sizes["token_name"] // 8))
    plot.figure.update_xaxes(title_text="to", dtick=max(1, ds.sizes["token_name"] // 8), showgrid=False)
    if has_truth:
        plot.figure.update_yaxes(dtick=1, row=2).update_xaxes(dtick=1, row=2)
    stays = _stays(ds["transition"].values)
    beside = f"; planted {_stays(ds['planted_transition'].values)}" if has_truth else ""
    of_the_fit = f"The fit itself: {_stays(ds['fitted_transition'].values)}." if "fitted_transition" in ds else ""
    plot.finish(f"Stays: {stays}{beside}.", of_the_fit, height=680 if has_truth else 460, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0, 1), look.SEQUENTIAL, "Share of the days that follow", tickformat=".0%")


def _chain(plot: Plot, values: np.ndarray, row: int) -> None:
    names = list(range(1, len(values) + 1))
    plot.figure.heatmap(
        x=names,
        y=names,
        z=values.astype(np.float32),
        coloraxis="coloraxis",
        hovertemplate="%{z:.1%} from %{y} to %{x}<extra></extra>",
        row=row,
    )


def _stays(values: np.ndarray) -> str:
    """The diagonal in words, its ends where it is long."""
    diagonal = np.diag(values)
    if len(diagonal) <= 4:
        return ", ".join(f"{stay:.1%}" for stay in diagonal)
    return f"{diagonal.min():.0%} to {diagonal.max():.0%}"


@figure(
    "Do pairs of days earn a name of their own?",
    title="Do days make words?",
    needs=("bits", "motif_count"),
    shows="Bits of a later day once frequent pairs are joined, in order and shuffled.",
    cannot_show="Whether a shape comes again.",
)
def motifs(plot: Plot) -> Figure:
    """Byte-pair merges learned on the past, later days coded with them (document 002, 2.4)."""
    ds = plot.ds
    for order, colour, dash in (("shuffled", plot.ink.muted, "dot"), ("as it came", plot.ink.accent, "solid")):
        plot.figure.scatter(
            x=ds["merge"].values,
            y=ds["bits"].sel(order=order).values,
            mode="lines+markers",
            name=order,
            line={"color": colour, "dash": dash, "width": 2.4},
            marker={"size": 5},
            hovertemplate="%{y:.3f} bits a day",
        )
    plot.figure.update_xaxes(title_text="Merges", unifiedhovertitle_text="%{x} merges", showgrid=True)
    plot.linear_axis("bits", "Bits a day")
    first = [str(name).split(": ")[1] for name in ds["motif"].values[:MOST_MOTIFS]]
    return plot.finish(f"First merges: {', '.join(first)}." if first else "", height=400)
