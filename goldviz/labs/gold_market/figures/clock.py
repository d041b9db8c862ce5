"""A calendar of the last days with the hours at which their values came out, and a forecast's moment across it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, each
from goldviz.figures.reading import sentences
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.gold_market import measures

LINE = 16
"""Pixels of a channel in a day's row."""
MOST_HOURS = 48
ROOM = 13
"""Hours beside the last clock, for its name."""


def hour_of(number: int) -> int:
    """The hour after midnight that a place on the slider stands for: the first is midnight itself."""
    return number - 1


def hour_in_words(hour: int) -> str:
    """
    >>> hour_in_words(18), hour_in_words(30)
    ('18:00 UTC', '6:00 UTC of the day after')
    """
    return f"{hour % 24}:00 UTC{' of the day after' if hour >= 24 else ''}"


@drawn(
    "Which of a day's values are out when you forecast?",
    name="clock",
    at="moment",
    at_once=True,
    shows="When a value of each date came out. Gold: the forecast's moment.",
)
def clock(ds: Run, *, moment: int | AtStep = 20, theme: Theme = "light") -> Figure:
    """One mark a value: out by the moment in view, or not out yet."""
    out, days = ds["out_after"].values, ds["clock_day"].values.astype("datetime64[D]").astype("datetime64[s]")
    count, channels = out.shape
    late = np.where(out > MOST_HOURS, MOST_HOURS, out)
    height = np.arange(count)[:, None] * (channels + 1.0) + np.arange(channels)[None]
    names = np.tile(market.names(ds)[:channels], (count, 1))
    hour = each(moment, hour_of)
    figure, ink = Figure(), INKS[theme]
    states = (
        ("out: may be used", market.KNOWN, "circle", "left", np.less_equal),
        ("not out yet: using it is a leak", market.JOINED, "diamond-open", "right", np.greater),
    )
    for name, colour, symbol, side, holds in states:
        figure.scatter(
            x=each(hour, partial(_there, late, out, holds)),
            y=height.ravel(),
            mode="markers+text",
            name=name,
            text=names.ravel().tolist(),
            # Away from the line: what is out stands left of it.
            textposition=f"middle {side}",
            textfont={"size": 11, "color": ink.text},
            marker={"color": colour, "symbol": symbol, "size": 8},
            cliponaxis=False,
            customdata=np.nan_to_num(out).ravel(),
            hovertemplate="%{text}: out %{customdata:.3~g} h after the day's midnight<extra></extra>",
        )
    for row in range(1, count):
        figure.add_hline(y=row * (channels + 1.0) - 1, line={"color": ink.grid, "width": 1})
    figure.add_vline(x=hour, line={"color": ink.accent, "width": 3}, layer="below")
    notes = [
        each(hour, lambda at: _told(ds, at)),
        sentences(market.source_sentence(ds), "Marks at the right edge: later." if np.nanmax(out) > MOST_HOURS else ""),
    ]
    look.apply(
        figure,
        theme,
        title="Which of a day's values are out when you forecast?",
        notes=notes,
        hover="closest",
        height=210 + LINE * count * (channels + 1),
    )
    market.legend_under(figure, lines=2, axis=52)
    last = float(max(24, np.nanmax(late)))
    ticks = list(range(0, int(last) + 1, 12))
    figure.update_xaxes(
        title_text="Hours after the day's midnight, UTC", range=[-1, last + ROOM], tickvals=ticks, showgrid=True
    )
    return figure.update_yaxes(
        tickvals=(height.mean(1)).tolist(),
        ticktext=[day.item().strftime("%a<br>%d %b") for day in days],
        range=[count * (channels + 1.0) - 0.6, -1],
        showgrid=False,
        ticklen=0,
    )


def _there(places: NDArray[np.float64], out: NDArray[np.float64], holds: np.ufunc, hour: int) -> list[float | None]:
    """The places of values of which this holds at the hour, and gaps for the others."""
    where = holds(out, hour).ravel()
    return [place if there else None for place, there in zip(places.ravel().tolist(), where, strict=True)]


def _told(ds: Run, hour: int) -> str:
    """What is out at an hour, over the last year."""
    share = measures.out_by(ds, hour)
    if not np.isfinite(share):
        return f"Forecast at {hour_in_words(hour)}."
    return f"Forecast at {hour_in_words(hour)}: {share:.0%} of the covariates' values of that date are out."
