"""The market as a text: its price, and under it the tokens that were written down."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.diagnostics.forecasts.words import plain_number
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_band, add_heading, colour_bar_below
from goldviz.figures.market import days_axis, in_template
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS
from goldviz.labs.price_tokens.figures.quantities import figure, labels
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.verdict import SWITCHED

PLANTED = "Planted regimes"
STRIP = 0.1


@figure(
    "What does the market look like as a text?",
    title="The market as a text",
    needs=("price", "token", "block", "token_name"),
    shows="The price, and under it each day's token.",
)
def as_text(plot: Plot) -> Figure:
    """Price, tokens as they were written down, and the planted regimes of a simulated market. Dotted: the next fit."""
    ds, count = plot.ds, plot.ds.sizes["token_name"]
    dates, has_regimes = labels(ds), "regime" in ds
    strips = 1 + has_regimes
    plot.figure = make_subplots(
        rows=1 + strips,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.07,
        row_heights=[1 - strips * STRIP, *[STRIP] * strips],
    )
    plot.figure.scatter(
        x=dates,
        y=ds["price"].values,
        mode="lines",
        name="price",
        hovertemplate="price %{y:,.1f}",
        line={"color": plot.ink.text, "width": 1.4},
        row=1,
    )
    _strip(plot, 2, "Tokens", ds["token"].values + 1, "token %{z}")
    if has_regimes:
        regimes = 1 + (ds["regime"].values * max(count - 1, 1) / 2)
        _strip(plot, 3, PLANTED, regimes, "%{text}", [f"regime {int(one) + 1}" for one in ds["regime"].values])
    _fits(plot)
    days_axis(plot.figure, plot.limit("time"))
    plot.link("x", "day")
    plot.figure.update_yaxes(visible=False, row=2).update_yaxes(visible=False, row=3)
    plot.figure.update_yaxes(title_text="Price", range=plot.limit("price"), row=1)
    plot.finish(_kept(ds), _agree(ds), _source(ds), height=430 + 60 * has_regimes, legend=False, hover="closest")
    return colour_bar_below(
        plot.figure,
        (1, count),
        look.SEQUENTIAL,
        "Token",
        tickvals=sorted({1, (1 + count) // 2, count}),
    )


def _strip(plot: Plot, row: int, heading: str, values: np.ndarray, hover: str, words: list[str] | None = None) -> None:
    """One row of colours over the days."""
    plot.figure.heatmap(
        x=labels(plot.ds),
        y=[0],
        z=values[None].astype(np.float32),
        coloraxis="coloraxis",
        hovertemplate=f"%{{x}}: {hover}<extra></extra>",
        text=None if words is None else [words],
        row=row,
    )
    add_heading(plot.figure, row, f"<b>{heading}</b>", font={"size": 13, "color": plot.ink.text})


def _fits(plot: Plot) -> None:
    """A dotted line where the next fit takes over."""
    starts = np.flatnonzero(np.diff(plot.ds["block"].values) != 0) + 1
    dates = labels(plot.ds)
    line = {"color": INKS[plot.theme].muted, "width": 1, "dash": "dot"}
    for start in starts:
        day = dates[start]
        plot.figure.add_shape(type="line", x0=day, x1=day, xref="x", y0=0, y1=1, yref="paper", line=line)


def _kept(ds: Run) -> str:
    """How the writing lasts: days that a new fit names alike, and tokens that know later days."""
    n = Reading(ds)
    could = f", {percent(n.same_meaning)} with names matched" if n.switched > SWITCHED else ""
    return sentences(
        f"Later days change {percent(n.changed)} of the tokens." if n.foresees else "",
        f"A new fit names {percent(n.same_label)} of the past days alike{could}." if n.same_label < 1 else "",
    )


def _agree(ds: Run) -> str:
    """How far tokens are the planted regimes, where there are any."""
    rand = float(ds["rand_index"]) if "rand_index" in ds else np.nan
    sentence = f"Agreement with planted regimes: {plain_number(rand)} (chance 0)."
    return sentence if np.isfinite(rand) else ""


def _source(ds: Run) -> str:
    words = "Simulated market" if int(ds.attrs.get("simulated", 0)) else str(ds.attrs.get("target_words", ""))
    refits = len(np.unique(ds["block"].values))
    return sentences(
        f"{words}, until {ds.attrs.get('data_last', '')}." if words else "",
        "Dotted: the next fit." if refits > 1 else "",
    )


@figure(
    "What is said of tomorrow's move?",
    title="What is said of tomorrow?",
    needs=("quantile", "came"),
    shows="The middle 50 % and 90 % of the last forecasts, and what came.",
)
def fan(plot: Plot) -> Figure:
    """The density of the next move, from the chances of the next token and what each token says of the move."""
    ds = plot.ds
    dates = [str(day) for day in ds["recent"].values]
    moves = Moves.of_run(ds)
    bands = moves.shown(ds["quantile"].transpose("level", "recent").values.astype(np.float64))
    came = moves.shown(ds["came"].values[-len(dates) :].astype(np.float64))
    for low, high, share, alpha in ((0, 4, "90 %", 0.18), (1, 3, "50 %", 0.34)):
        fill = look.with_alpha(plot.ink.accent, alpha)
        add_band(plot.figure, dates, bands[low], bands[high], fill, name=f"middle {share}", showlegend=None)
    plot.figure.scatter(
        x=dates,
        y=came,
        mode="markers",
        name="what came",
        hovertemplate="%{y:+.2f}" + in_template(moves.suffix),
        marker={"size": 5, "color": plot.ink.text},
    )
    inside = [float(np.mean((came >= bands[low]) & (came <= bands[high]))) for low, high in ((1, 3), (0, 4))]
    plot.figure.update_xaxes(type="date", nticks=5, tickangle=0, showgrid=False, unifiedhovertitle_text="%{x|%d %b %Y}")
    plot.link("x", "day")
    plot.linear_axis("fan", as_label(moves.next))
    return plot.finish(f"Inside the bands: {inside[0]:.0%} and {inside[1]:.0%} of {len(dates)} days.", height=430)
