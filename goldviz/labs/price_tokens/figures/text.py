"""The market as a text: its price, and under it the tokens that were written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import percent
from goldviz.diagnostics.forecasts.words import plain_number
from goldviz.figures.chart import Panel, axis, colours, figure, heat, lines, panel, rule
from goldviz.figures.limits import Quantity, Values
from goldviz.figures.market import days_between
from goldviz.figures.marks import Mark, given
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.labs.price_tokens.measures import Reading
from goldviz.labs.price_tokens.verdict import SWITCHED

STRIP = 0.1
"""Share of the height that a row of tokens takes."""


def _days(ds: Run) -> Values:
    ends = ds["time"].values[[0, -1]] if ds.sizes.get("time") else np.array([])
    return ends.astype("datetime64[D]").astype(np.float64)


DAYS = {"time": Quantity(_days)}
"""What figures over all days have limits for."""


def _strips(plot: Plot) -> Sequence[Panel | Mark]:
    """Price, tokens as they were written down, and the planted regimes of a simulated market."""
    ds, count = plot.ds, plot.ds.sizes["token_name"]
    dates = ds["time"].values.astype(str)

    def strip(heading: str, values: Values, hover: str, **more: Any) -> Panel:
        row = given(values[None], row=[0.0], time=dates)
        cells = heat(row, "time", "row", hover=f"%{{x}}: {hover}", more=more)
        return panel(cells, heading=heading, height=STRIP, y=axis("", visible=False))

    strips = [strip("Tokens", ds["token"].values + 1, "token %{z}")]
    if "regime" in ds:
        planted, words = ds["regime"].values, [[f"regime {int(one) + 1}" for one in ds["regime"].values]]
        strips.append(strip("Planted regimes", 1 + planted * max(count - 1, 1) / 2, "%{text}", text=words))
    price = lines("price", name="price", colour="text", width=1.4, hover="price %{y:,.1f}")
    fits = dates[np.flatnonzero(np.diff(ds["block"].values)) + 1].tolist()
    return [panel(price, height=1 - len(strips) * STRIP), *strips, *(rule(x=start, width=1) for start in fits)]


def _ticks(plot: Plot) -> Mapping[str, Any]:
    count = plot.ds.sizes["token_name"]
    return {"coloraxis_colorbar_tickvals": sorted({1, (1 + count) // 2, count})}


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


# Dotted lines: the next fit.
as_text = figure(
    "as_text",
    "What does the market look like as a text?",
    _strips,
    title="The market as a text",
    needs=("price", "token", "block", "token_name"),
    shows="The price, and under it each day's token.",
    limits=DAYS,
    axes=(axis(None, "price"),),
    x=axis(scale="free", told=lambda plot: days_between(plot.limit("time"))),
    colour=colours("Token", ends=lambda plot: (1, plot.ds.sizes["token_name"])),
    notes=(lambda plot: _kept(plot.ds), lambda plot: _agree(plot.ds)),
    lead=lambda plot: _source(plot.ds),
    height=lambda plot: 490 if "regime" in plot.ds else 430,
    layout=_ticks,
)
