"""The market as a text: its price, and under it the tokens that were written down."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.forecasts.words import plain_number
from goldviz.figures import theme as look
from goldviz.figures.chart import figure
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, colour_bar_below
from goldviz.figures.limits import Quantity, Values, padded, values_of
from goldviz.figures.market import days_axis
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.verdict import SWITCHED

STRIP = 0.1
"""Share of the height that a row of tokens takes."""


def _days(ds: Run) -> Values:
    return (
        ds["time"].values[[0, -1]].astype("datetime64[D]").astype(np.float64) if ds.sizes.get("time") else np.array([])
    )


DAYS = {"time": Quantity(_days)}
"""What figures over all days have limits for."""


def _as_text(plot: Plot) -> Figure:
    """Price, tokens as they were written down, and the planted regimes of a simulated market. Dotted: the next fit."""
    ds, count = plot.ds, plot.ds.sizes["token_name"]
    dates, has_regimes = [str(day) for day in ds["time"].values], "regime" in ds
    heights = [1 - (1 + has_regimes) * STRIP, *[STRIP] * (1 + has_regimes)]
    plot.figure = make_subplots(
        rows=len(heights), cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=heights
    )
    price: dict[str, Any] = {"hovertemplate": "price %{y:,.1f}", "line": {"color": plot.ink.text, "width": 1.4}}
    plot.figure.scatter(x=dates, y=ds["price"].values, mode="lines", name="price", **price, row=1)
    strips: list[tuple[str, Values, str, Any]] = [("Tokens", ds["token"].values + 1, "token %{z}", None)]
    if has_regimes:
        planted = [[f"regime {int(one) + 1}" for one in ds["regime"].values]]
        strips.append(("Planted regimes", 1 + ds["regime"].values * max(count - 1, 1) / 2, "%{text}", planted))
    for row, (heading, values, hover, words) in enumerate(strips, start=2):
        cells: dict[str, Any] = {"z": values[None].astype(np.float32), "text": words, "coloraxis": "coloraxis"}
        said = f"%{{x}}: {hover}<extra></extra>"
        plot.figure.heatmap(x=dates, y=[0], **cells, hovertemplate=said, row=row)
        add_heading(plot.figure, row, f"<b>{heading}</b>", font={"size": 13, "color": plot.ink.text})
        plot.figure.update_yaxes(visible=False, row=row)
    for start in np.flatnonzero(np.diff(ds["block"].values) != 0) + 1:
        ends: dict[str, Any] = {"x0": dates[start], "x1": dates[start], "xref": "x", "y0": 0, "y1": 1, "yref": "paper"}
        plot.figure.add_shape(type="line", **ends, line={"color": plot.ink.muted, "width": 1, "dash": "dot"})
    days_axis(plot.figure, plot.limit("time"))
    plot.link("x", "day")
    plot.linear_axis("price", "Price", row=1)
    plot.finish(_kept(ds), _agree(ds), _source(ds), height=430 + 60 * has_regimes, legend=False, hover="closest")
    ticks = sorted({1, (1 + count) // 2, count})
    return colour_bar_below(plot.figure, (1, count), look.SEQUENTIAL, "Token", tickvals=ticks)


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
    rand = Reading(ds).rand
    return f"Agreement with planted regimes: {plain_number(rand)} (chance 0)." if np.isfinite(rand) else ""


def _source(ds: Run) -> str:
    words = "Simulated market" if int(ds.attrs.get("simulated", 0)) else str(ds.attrs.get("target_words", ""))
    return sentences(
        f"{words}, until {ds.attrs.get('data_last', '')}." if words else "",
        "Dotted: the next fit." if len(np.unique(ds["block"].values)) > 1 else "",
    )


as_text = figure(
    "as_text",
    "What does the market look like as a text?",
    title="The market as a text",
    needs=("price", "token", "block", "token_name"),
    shows="The price, and under it each day's token.",
    # Strips of one row, without an axis, under a price over the same days.
    draw=_as_text,
    limits={**DAYS, "price": Quantity(values_of("price"), padded)},
)
