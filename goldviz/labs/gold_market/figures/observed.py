"""Who is observed: at which hour of the last days, month by month over the years, and day by day at the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import market
from goldviz.figures.chart import bars, figure
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, each
from goldviz.figures.maps import cells, colour_bar
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import SEQUENTIAL, with_alpha
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.figures.drawing import channels, free, of_market, told

LINE = 16
"""Pixels of a channel in a day's row."""
MOST_HOURS = 48
ROOM = 13
"""Hours beside the last clock, for its name."""
STATES_OF_CLOCK = (
    ("out: may be used", market.KNOWN, "circle", "left", np.less_equal),
    ("not out yet: using it is a leak", market.JOINED, "diamond-open", "right", np.greater),
)
"""Names stand away from the line: what is out stands left of it."""
SEEN_HEIGHT, HIDDEN_HEIGHT, GAP = 0.58, 0.24, 0.18
"""Parts of a channel's row in the strip."""
STATES = (
    ("known at the forecast", market.KNOWN, 0.6),
    ("not out yet: a leak", market.JOINED, 0.34),
    ("hidden on purpose", market.HIDDEN, 0.12),
)
"""What can be said of a value in a row, with its colour and height: nothing is told by colour alone."""


def hour_of(number: int) -> int:
    """The hour after midnight that a place on the slider stands for: the first is midnight itself."""
    return number - 1


def hour_in_words(hour: int) -> str:
    """
    >>> hour_in_words(18), hour_in_words(30)
    ('18:00 UTC', '6:00 UTC of the day after')
    """
    return f"{hour % 24}:00 UTC{' of the day after' if hour >= 24 else ''}"


def _clock(plot: Plot, moment: int | AtStep) -> Figure:
    """One mark a value: out by the moment in view, or not out yet."""
    ds, figure, ink = plot.ds, plot.figure, plot.ink
    out, days = ds["out_after"].values, ds["clock_day"].values.astype("datetime64[D]").astype("datetime64[s]")
    count, channels = out.shape
    late = np.where(out > MOST_HOURS, MOST_HOURS, out)
    height = np.arange(count)[:, None] * (channels + 1.0) + np.arange(channels)[None]
    names = np.tile(market.names(ds)[:channels], (count, 1))
    hour = each(moment, hour_of)
    for name, colour, symbol, side, holds in STATES_OF_CLOCK:
        figure.scatter(
            x=each(hour, partial(_there, late, out, holds)),
            y=height.ravel(),
            mode="markers+text",
            name=name,
            text=names.ravel().tolist(),
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
    later = "Marks at the right edge: later." if np.nanmax(out) > MOST_HOURS else ""
    notes = [each(hour, lambda at: _told(ds, at)), sentences(market.source_sentence(ds), later)]
    plot.finish(*notes, hover="closest", height=210 + LINE * count * (channels + 1))
    market.legend_under(figure, lines=2, axis=52)
    last = float(max(24, np.nanmax(late)))
    ticks, ends = list(range(0, int(last) + 1, 12)), [-1, last + ROOM]
    figure.update_xaxes(title_text="Hours after the day's midnight, UTC", range=ends, tickvals=ticks, showgrid=True)
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


clock = figure(
    "clock",
    "Which of a day's values are out when you forecast?",
    # Every value stands at its own hour on one of two traces, which changes with the moment.
    draw=_clock,
    shows="When a value of each date came out. Gold: the forecast's moment.",
    looks_at={"moment": 20},
    position="moment",
    at_once=True,
)


def _strip(plot: Plot) -> Figure:
    """How many values of each channel a month brings, one row a channel."""
    ds, figure, count = plot.ds, plot.figure, plot.ds.sizes["channel"]
    has_hidden = bool(np.nansum(ds["hidden"].values) > 0)
    months, weekdays = ds["month"].values.astype("datetime64[D]").astype(str), np.maximum(ds["weekdays"].values, 1.0)
    height = SEEN_HEIGHT if has_hidden else SEEN_HEIGHT + HIDDEN_HEIGHT
    for number in range(count):
        observations, hidden = ds["seen"].values[:, number], ds["hidden"].values[:, number]
        heading = f"<b>{market.in_template(market.words(ds, number))}</b><br>%{{x|%B %Y}}: "
        figure.add_trace(
            cells(
                np.minimum(observations / weekdays, 1)[None],
                x=months,
                y=[number, number + height],
                customdata=_said(observations, hidden, ds["weekdays"].values),
                hover=f"{heading}new on %{{customdata[0]:.0f}} days<br>%{{customdata[2]:.0f}} weekdays, "
                "%{customdata[1]:.0f} hidden",
                hoverongaps=False,
            )
        )
        if has_hidden:
            share = np.where(hidden > 0, hidden / np.maximum(observations + hidden, 1), np.nan)
            figure.heatmap(
                z=share[None].astype(np.float32),
                x=months,
                y=[number + height, number + height + HIDDEN_HEIGHT],
                customdata=_said(hidden, observations + hidden),
                zmin=0,
                zmax=1,
                showscale=False,
                hoverongaps=False,
                colorscale=[[0, with_alpha(market.HIDDEN, 0.15)], [1, market.HIDDEN]],
                hovertemplate=f"{heading}%{{customdata[0]:.0f}} of %{{customdata[1]:.0f}} values hidden<extra></extra>",
            )
    plot.link("x", "day")
    blank = "Blank: before a channel's first value or after its last." if np.isnan(ds["seen"].values).any() else ""
    notes = hidden_sentence(ds), sentences(market.source_sentence(ds), blank)
    plot.finish(*notes, legend=False, hover="closest", height=230 + 34 * count)
    market.date_axis(figure)
    market.channel_axis(figure, market.names(ds), (count - GAP / 2, -GAP / 2), middle=(1 - GAP) / 2)
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", "½", "1 +"]}
    return colour_bar(figure, (0, 1), SEQUENTIAL, "New values per weekday", **ticks)


def _said(*counts: NDArray[np.float64]) -> NDArray[np.float32]:
    """What a row of one channel says on hover: (1, month, count)."""
    return np.stack(counts, axis=-1)[None].astype(np.float32)


def release_of(ds: Run, number: int) -> str:
    """When a channel's values are out."""
    return str(ds["released"].values[number])


def hidden_sentence(ds: Run) -> str:
    """Which part of the covariates' rows masking has hidden; empty where none is."""
    share = measures.hidden(ds)
    if not share:
        return ""
    return f"Pink strips: hidden on purpose, {market.percent(share)} of {measures.there_in_months(ds):,.0f} values."


strip = figure(
    "strip",
    "Who is observed in which month?",
    # Two strips of unlike height for each channel, in two colour scales.
    draw=_strip,
    shows="New values per weekday, month by month.",
)


def _new(plot: Plot) -> Sequence[Mark]:
    """Which channel has a new value in which of the last rows, and whether that value was out by then."""
    ds = plot.ds
    present, masks = np.isfinite(ds["dated"].values), ds["masked"].values > 0
    early = present & ~masks & (ds["wait"].values < 0)
    kinds = zip((present & ~masks & ~early, early, masks), STATES, strict=True)
    return [_blocks(ds, where, *state) for where, state in kinds if where.any()]


def _blocks(ds: Run, where: NDArray[np.bool_], name: str, colour: str, height: float) -> Mark:
    rows, channels = np.nonzero(where)
    heading = [as_label(market.words(ds, channel)) for channel in channels.tolist()]
    dates = ds["dated"].values[where].astype(np.int64).astype("datetime64[D]").astype(str)
    ages = [_age(hours) for hours in ds["wait"].values[where]]
    heights = xr.DataArray(np.full(len(rows), height), {"row": market.days(ds["row"])[rows]}, "row")
    said = np.stack([heading, dates, ages], axis=-1)
    return bars(
        lambda plot: heights,
        name=name,
        colour=colour,
        marker={"line": {"width": 0}},
        more={"base": channels - height / 2, "width": 0.78 * _row_width(ds), "customdata": said},
        hover="<b>%{customdata[0]}</b><br>row of %{x|%a %d %b %Y}<br>value of %{customdata[1]}, "
        f"out %{{customdata[2]}}<extra>{name}</extra>",
    )


def _row_width(ds: Run) -> float:
    """The typical distance of two rows in milliseconds, the unit of Plotly's dates."""
    return float(np.median(np.diff(ds["row"].values)) / np.timedelta64(1, "ms"))


def _age(hours: float) -> str:
    """When a value came out, seen from the row's forecast.

    >>> _age(20.5), _age(0.0), _age(-26.5)
    ('20.5 h before the forecast', 'at the forecast', '26.5 h after the forecast')
    """
    if hours == 0:
        return "at the forecast"
    return f"{abs(hours):.3g} h {'before' if hours > 0 else 'after'} the forecast"


def _days_without_forecast(plot: Plot) -> dict[str, Any]:
    """Grey where the target has no value."""
    half = np.timedelta64(int(_row_width(plot.ds) / 2), "ms")
    rows = plot.ds["row"].values[plot.ds["forecast"].values == 0].astype("datetime64[ms]")
    grey = {"fillcolor": with_alpha(plot.ink.muted, 0.16), "line": {"width": 0}, "layer": "below"}
    whole = {"type": "rect", "y0": 0, "y1": 1, "yref": "paper", **grey}
    return {"barmode": "overlay", "shapes": [{"x0": str(row - half), "x1": str(row + half), **whole} for row in rows]}


def early_sentence(ds: Run) -> str:
    """How many of the covariates' values stand in a row before they were out, over all the years; empty without any."""
    count, early = measures.placed(ds), measures.placed_too_early(ds)
    if not count:
        return ""
    part = "none of" if not early else "all" if early == count else f"{early:,.0f} of"
    return f"Joined by {ds.attrs['alignment']}: {part} {count:,.0f} covariates' values are used before their release."


def _shaded(ds: Run) -> str:
    return f"{market.source_sentence(ds)} Shaded: days without a value of the target, so without a forecast."


last_days = of_market(
    "last_days",
    "Who is new on which of the last days?",
    _new,
    title=lambda plot: f"Who is new on which of the last {plot.ds.sizes['row']} days?",
    shows="Each mark is a new value in that day's row, or one that is hidden from it.",
    cannot_show="Revisions.",
    over="row",
    x=free(lambda plot: {**market.DATES, "nticks": 5}),
    y=free(channels),
    notes=(told(early_sentence),),
    lead=told(_shaded),
    height=lambda plot: 180 + 30 * plot.ds.sizes["channel"],
    legend_lines=lambda plot: len(plot.figure.data),
    hover="closest",
    layout=_days_without_forecast,
)
