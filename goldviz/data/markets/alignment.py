"""Channels with calendars of their own, put on common rows without filling in and without looking ahead.

A row is a day, and its moment is when the target's value of that day is out: the moment of the forecast. What the
network sees at a row is what became known since the row before, so a value that is published late arrives late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.data.markets.market import Channel, Market, Transformation

Alignment = Literal["release", "date"]


@dataclass(frozen=True)
class Panel:
    """Observations on common rows.

    ``dates`` (rows,) are days without a zone, ascending; ``moments`` (rows,), in UTC, are the times of the forecasts
    made on those days. ``channels`` are the names, the target first. ``values`` (rows, channels) are the transformed
    observations that became known in (moments[i-1], moments[i]], NaN where there was none. ``price`` (rows,) is the
    target's observed level on that day, NaN where it has none; ``transformation`` is the target's.
    """

    dates: pd.DatetimeIndex
    moments: pd.DatetimeIndex
    channels: tuple[str, ...]
    values: NDArray[np.float64]
    price: NDArray[np.float64]
    transformation: Transformation = "log_return"


def aligned(market: Market, *, by: Alignment = "release") -> Panel:
    """Put all channels of a market on the days on which any of them has an observation.

    Increments are taken between neighbours on the channel's own calendar, before anything is put on rows. With
    ``by="release"`` an observation goes to the first row whose moment is at or after its release; one that is
    released after the last row's moment is left out. Where several go to one row, increments are added up, and of
    levels the last is kept. A day that a source lists without a value makes no row; that a day is on some channel's
    calendar counts as known beforehand.

    ``by="date"`` is the leak of a table joined by calendar date: every covariate's observation dated d is put on the
    latest day before d on which the target was observed, where the target's value of d is still to be forecast.

    Raises :class:`MarketError` for log returns of a price that is not positive, with the date.

    >>> from goldviz.data.markets.market import Release
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-03"])
    >>> gold = Channel("gold", "Gold", pd.Series([100.0, 101.0, 99.0], days), "difference")
    >>> rate = Channel("rate", "Rate", pd.Series([4.0, 4.5, 5.0], days), "level", Release("09:00", "UTC", days=1))
    >>> aligned(Market((gold, rate), "file", "by hand", days[-1])).values.tolist()
    [[nan, nan], [1.0, 4.0], [-2.0, 4.5]]
    """
    own = [channel.observed.index for channel in market.channels]
    dates = pd.DatetimeIndex(np.unique(np.concatenate([_seconds(index) for index in own])).astype("datetime64[s]"))
    moments = market.target.release.moments(dates)
    price = np.full(len(dates), np.nan)
    price[np.searchsorted(_seconds(dates), _seconds(own[0]))] = market.target.observed.to_numpy()
    values = np.full((len(dates), len(market.channels)), np.nan)
    for column, channel in enumerate(market.channels):
        increments = channel.increments()
        days = pd.DatetimeIndex(increments.index)
        if column > 0 and by == "date":
            rows = _rows_before(days, dates, price)
        else:
            # The target's own release is what makes the moments, so its values stay on their days.
            rows = np.searchsorted(_seconds(moments), _seconds(channel.release.moments(days)))
        _place(values[:, column], rows, channel, increments.to_numpy())
    return Panel(dates, moments, tuple(c.name for c in market.channels), values, price, market.target.transformation)


def _seconds(index: pd.Index) -> NDArray[np.int64]:
    """Seconds since 1970 UTC, whatever the unit in which the index counts."""
    return pd.DatetimeIndex(index).as_unit("s").asi8


def _rows_before(index: pd.Index, dates: pd.DatetimeIndex, price: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each date the latest row before it on which the target was observed; -1 where there is none."""
    target_rows = np.flatnonzero(np.isfinite(price))
    earlier = np.searchsorted(_seconds(dates)[target_rows], _seconds(index))
    return np.concatenate([[-1], target_rows])[earlier]


def _place(
    column: NDArray[np.float64], rows: NDArray[np.int64], channel: Channel, increments: NDArray[np.float64]
) -> None:
    """Write ascending observations into their rows; rows outside the column take none."""
    inside = (rows >= 0) & (rows < len(column))
    rows, increments = rows[inside], increments[inside]
    if channel.transformation == "level":
        column[rows] = increments  # Of several for one row numpy keeps the last.
    else:
        column[rows] = 0.0
        np.add.at(column, rows, increments)


@dataclass(frozen=True)
class NextValues:
    """The forecasting problem: an entry for each row on which the target was observed, but the last.

    ``rows`` (n,) are the rows of the forecasts and ``known`` (n,) the rows on which the answers become known: those
    of the next observation. ``values`` (n,) are the answers and ``days`` (n,) the calendar days until them.
    """

    rows: NDArray[np.int64]
    known: NDArray[np.int64]
    values: NDArray[np.float64]
    days: NDArray[np.float64]


def next_values(panel: Panel, kind: Literal["return", "level"]) -> NextValues:
    """What is to be forecast at each row: the change to the target's next observation, or its next level.

    The change is a log return where the target is seen in log returns, otherwise a difference in the target's unit.

    >>> days = pd.DatetimeIndex(["2024-07-05", "2024-07-06", "2024-07-08"])
    >>> panel = Panel(days, days, ("gold",), np.zeros((3, 1)), np.array([100.0, np.nan, 103.0]), "difference")
    >>> next_values(panel, "return")
    NextValues(rows=array([0]), known=array([2]), values=array([3.]), days=array([3.]))
    """
    observed_rows = np.flatnonzero(np.isfinite(panel.price))
    rows, next_rows = observed_rows[:-1], observed_rows[1:]
    levels = panel.price[observed_rows]
    if kind == "level":
        values = levels[1:]
    else:
        values = np.diff(np.log(levels) if panel.transformation == "log_return" else levels)
    days = (_seconds(panel.dates)[next_rows] - _seconds(panel.dates)[rows]) / 86_400
    return NextValues(rows, next_rows, values, days)
