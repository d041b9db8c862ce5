"""Who is observed: at which hour of the last days, by month, day by day at the end; and every channel's facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import SEEN_AS
from goldviz.figures import market
from goldviz.figures.chart import axis, bars, colours, rule
from goldviz.figures.frames import AtStep, each
from goldviz.figures.maps import cells
from goldviz.figures.marks import Canvas, Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.theme import with_alpha
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.figures.drawing import DATES, FLAT, channels, of_market, told

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


class Clocks:
    """Every value of the last days at its own hour, on one of two traces: which one changes with the moment."""

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        ds, figure, ink = canvas.plot.ds, canvas.plot.figure, canvas.plot.ink
        out = ds["out_after"].values
        late, (days, channels) = np.minimum(out, MOST_HOURS), out.shape
        height = np.add.outer(np.arange(days) * (channels + 1.0), np.arange(channels))
        for name, colour, symbol, side, holds in STATES_OF_CLOCK:

            def those(number: int, holds: np.ufunc = holds) -> list[float | None]:
                there = holds(out, hour_of(number)).ravel()
                return [place if seen else None for place, seen in zip(late.ravel().tolist(), there, strict=True)]

            figure.scatter(
                x=each(canvas.looked_at["moment"], those),
                y=height.ravel(),
                mode="markers+text",
                name=name,
                text=market.names(ds)[:channels] * days,
                textposition=f"middle {side}",
                textfont={"size": 13, "color": ink.text},
                marker={"color": colour, "symbol": symbol, "size": 8},
                cliponaxis=False,
                customdata=np.nan_to_num(out).ravel(),
                hovertemplate="%{text}: out %{customdata:.3~g} h after the day's midnight<extra></extra>",
            )
        for row in range(1, days):
            figure.add_hline(y=row * (channels + 1.0) - 1, line={"color": ink.grid, "width": 1})


def _hours(plot: Plot) -> dict[str, Any]:
    last = float(np.nanmax(plot.ds["out_after"].values).clip(24, MOST_HOURS))
    return {"range": [-1, last + ROOM], "tickvals": [*range(0, int(last) + 1, 12)], "showgrid": True}


def _days(plot: Plot) -> dict[str, Any]:
    """Days from top to bottom, each with room for all channels."""
    days, step = plot.ds["clock_day"].values.astype("datetime64[s]").tolist(), plot.ds["out_after"].shape[1] + 1.0
    return {
        "tickvals": [row * step + step / 2 - 1 for row in range(len(days))],
        "ticktext": [day.strftime("%a<br>%d %b") for day in days],
        "range": [len(days) * step - 0.6, -1],
        "showgrid": False,
        "ticklen": 0,
    }


def _out_by(plot: Plot, moment: int | AtStep) -> Any:
    """What is out at an hour, over the last year."""

    def said(number: int) -> str:
        hour = hour_of(number)
        share = measures.out_by(plot.ds, hour)
        out = f": {share:.0%} of the covariates' values of that date are out" if np.isfinite(share) else ""
        return f"Forecast at {hour_in_words(hour)}{out}."

    return each(moment, said)


def _later(ds: Run) -> str:
    return "Marks at the right edge: later." if np.nanmax(ds["out_after"].values) > MOST_HOURS else ""


clock = of_market(
    "clock",
    "Which of a day's values are out when you forecast?",
    Clocks(),
    lambda plot, moment: [
        rule(x=each(moment, hour_of), colour="accent", dash="solid", width=3, more={"layer": "below"})
    ],
    shows="When a value of each date came out. Gold: the forecast's moment.",
    x=axis("Hours after the day's midnight, UTC", scale="free", told=_hours),
    y=axis(scale="free", told=_days),
    notes=(_out_by, told(_later)),
    height=lambda plot: 210 + LINE * plot.ds["out_after"].size + LINE * plot.ds.sizes["clock_day"],
    hover="closest",
    looks_at={"moment": 20},
    position="moment",
    at_once=True,
)


class Strips:
    """How many values of each channel a month brings, and in a thinner strip below which of them are hidden."""

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        ds, figure = canvas.plot.ds, canvas.plot.figure
        has_hidden = bool(np.nansum(ds["hidden"].values) > 0)
        months, weekdays = market.days(ds["month"]), ds["weekdays"].values
        height = SEEN_HEIGHT if has_hidden else SEEN_HEIGHT + HIDDEN_HEIGHT
        for number in range(ds.sizes["channel"]):
            seen, hidden = ds["seen"].values[:, number], ds["hidden"].values[:, number]
            heading = f"<b>{market.in_template(market.words(ds, number))}</b><br>%{{x|%B %Y}}: "
            figure.add_trace(
                cells(
                    np.minimum(seen / np.maximum(weekdays, 1), 1)[None],
                    x=months,
                    y=[number, number + height],
                    customdata=_said(seen, hidden, weekdays),
                    hover=f"{heading}new on %{{customdata[0]:.0f}} days<br>%{{customdata[2]:.0f}} weekdays, "
                    "%{customdata[1]:.0f} hidden",
                    hoverongaps=False,
                )
            )
            if has_hidden:
                share = np.where(hidden > 0, hidden / np.maximum(seen + hidden, 1), np.nan)
                figure.heatmap(
                    z=share[None].astype(np.float32),
                    x=months,
                    y=[number + height, number + height + HIDDEN_HEIGHT],
                    customdata=_said(hidden, seen + hidden),
                    zmin=0,
                    zmax=1,
                    showscale=False,
                    hoverongaps=False,
                    colorscale=[[0, with_alpha(market.HIDDEN, 0.15)], [1, market.HIDDEN]],
                    hovertemplate=f"{heading}%{{customdata[0]:.0f}} of %{{customdata[1]:.0f}} values hidden"
                    "<extra></extra>",
                )


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


def _blank(ds: Run) -> str:
    return "Blank: before a channel's first value or after its last." if np.isnan(ds["seen"].values).any() else ""


strip = of_market(
    "strip",
    "Who is observed in which month?",
    Strips(),
    over="month",
    x=DATES,
    y=axis(scale="free", told=lambda plot: market.channel_rows(market.names(plot.ds), middle=(1 - GAP) / 2, room=0.5)),
    colour=colours("New values per weekday", ends=(0, 1), tickvals=[0, 0.5, 1], ticktext=["0", "½", "1 +"]),
    notes=(told(hidden_sentence), told(_blank)),
    height=lambda plot: 230 + 34 * plot.ds.sizes["channel"],
    legend="none",
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
        marker=FLAT,
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


last_days = of_market(
    "last_days",
    "Who is new on which of the last days?",
    _new,
    title=lambda plot: f"Who is new on which of the last {plot.ds.sizes['row']} days?",
    shows="Each mark is a new value in that day's row, or one that is hidden from it.",
    cannot_show="Revisions.",
    over="row",
    x=axis(scale="free", **{**market.DATES, "nticks": 5}),
    y=axis(scale="free", told=channels),
    notes=(told(early_sentence), "Shaded: days without a value of the target, so without a forecast."),
    height=lambda plot: 180 + 30 * plot.ds.sizes["channel"],
    legend_lines=lambda plot: len(plot.figure.data),
    hover="closest",
    layout=_days_without_forecast,
)


def facts_table(ds: Run) -> pd.DataFrame:
    """One row a channel, the target first, with the columns as a person reads them; text is not escaped."""

    def whole(name: str) -> Any:
        return pd.array(ds[name].values, dtype="Float64").astype("Int64")

    columns = {
        "Channel": ds["words"].values.astype(str),
        "Symbol": ds["channel"].values.astype(str),
        "Seen as": [SEEN_AS[str(kind)] for kind in ds["transformation"].values],
        "Out at": ds["released"].values,
        "Age at the forecast (h)": ds["typical_wait"].values,
        "Share of weekdays": ds["weekday_share"].values,
        "Values": whole("observed"),
        "Listed without value": whole("without_value"),
        "On weekends": whole("weekend"),
        "Longest gap (days)": whole("longest_gap"),
        "Unchanged values": whole("unchanged"),
        "Gap ends": ds["gap_ends"].values,
        "First": ds["first"].values,
        "Last": ds["last"].values,
    }
    return pd.DataFrame(columns)
