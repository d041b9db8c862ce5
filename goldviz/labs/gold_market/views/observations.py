"""What of a market is observed, and when: by month, on the last days, by channel, and at which hour of a day."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from goldviz.data.markets.alignment import Alignment, Panel, aligned
from goldviz.data.markets.calendars import ChannelCalendar
from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.masking import masked
from goldviz.data.markets.release_words import release_words

RECENT_ROWS = 60
"""Rows at the end that are shown day by day."""

CLOCK_DAYS = 3
"""Days that are shown; each has a row for every channel."""
CLOCK_CHANNELS = 8
"""Channels that are shown, the target first."""

HOUR, DAY = 3600.0, 86_400.0


@dataclass(frozen=True)
class SeenRows:
    """What stands in the rows of a panel: all of it, what masking leaves, and how old it is.

    ``panel`` is after masking, ``hidden`` (rows, channels) says where masking took a value away. ``dated`` (rows,
    channels) is the date, in seconds since 1970, of the latest value that stood there before masking, and ``wait`` the
    hours from that value's release to the moment of the row's forecast; NaN where none stood. A wait below zero is a
    look into the future.
    """

    panel: Panel
    hidden: NDArray[np.bool_]
    dated: NDArray[np.float64]
    wait: NDArray[np.float64]


def seen_rows(market: Market, *, by: Alignment, pattern: str, share: float, seed: int) -> SeenRows:
    """Align a market and hide a share of its covariates' values.

    >>> from goldviz.data.markets.market import Release
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-03"])
    >>> noon, evening = Release("12:00", "UTC"), Release("18:00", "UTC")
    >>> gold = Channel("gold", "Gold", pd.Series([100.0, 101.0, 99.0], days), "difference", noon)
    >>> rate = Channel("rate", "Rate", pd.Series([4.0, 4.5, 5.0], days), "difference", evening)
    >>> market = Market((gold, rate), "file", "by hand", days[-1])
    >>> seen_rows(market, by="release", pattern="none", share=0.0, seed=0).wait[:, 1].tolist()
    [nan, nan, 18.0]
    >>> seen_rows(market, by="date", pattern="none", share=0.0, seed=0).wait[:, 1].tolist()
    [-30.0, -30.0, nan]
    """
    whole = aligned(market, by=by)
    panel = masked(whole, pattern, share, np.random.Generator(np.random.PCG64(seed)))
    present = np.isfinite(whole.values)
    hidden = present & ~np.isfinite(panel.values)
    # Dates go the way that values go: a level keeps the last of several.
    own_dates = replace(market, channels=tuple(_dates_as_levels(channel) for channel in market.channels))
    dates_of_values = np.where(present, aligned(own_dates, by=by).values, np.nan)
    wait = np.full(dates_of_values.shape, np.nan)
    moments = _seconds(panel.moments)
    for column, channel in enumerate(market.channels):
        rows = np.flatnonzero(present[:, column])
        dates = pd.DatetimeIndex(dates_of_values[rows, column].astype("datetime64[s]"))
        wait[rows, column] = (moments[rows] - _seconds(channel.release.moments(dates))) / HOUR
    return SeenRows(panel, hidden, dates_of_values, wait)


def _dates_as_levels(channel: Channel) -> Channel:
    days = pd.DatetimeIndex(channel.observed.index)
    return replace(channel, values=pd.Series(_seconds(days), index=days, dtype=np.float64), transformation="level")


def _seconds(index: pd.DatetimeIndex) -> NDArray[np.int64]:
    return index.as_unit("s").asi8


def observed_by_month(rows: SeenRows) -> xr.Dataset:
    """How many rows of each month bring a new value of each channel.

    ``seen`` and ``hidden`` (month, channel) count rows; both are NaN in months before the channel's first value and
    after its last. ``weekdays`` (month) are the month's Mondays to Fridays between the first and the last row.
    """
    dates = rows.panel.dates.to_numpy().astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    first = months[0]
    number = (months - first).astype(np.int64)
    starts = first + np.arange(number[-1] + 1)
    begins = np.maximum(starts.astype("datetime64[D]"), dates[0])
    ends = np.minimum((starts + 1).astype("datetime64[D]"), dates[-1] + 1)
    present = np.isfinite(rows.panel.values)
    counts = {"seen": _by_month(number, present), "hidden": _by_month(number, rows.hidden)}
    either = counts["seen"] + counts["hidden"] > 0
    alive = np.maximum.accumulate(either) & np.maximum.accumulate(either[::-1])[::-1]
    return xr.Dataset(
        {
            **{name: (("month", "channel"), np.where(alive, count, np.nan)) for name, count in counts.items()},
            "weekdays": ("month", np.busday_count(begins, ends).astype(np.float64)),
        },
        coords={"month": starts.astype("datetime64[s]")},
    )


def _by_month(number: NDArray[np.int64], flags: NDArray[np.bool_]) -> NDArray[np.float64]:
    columns = [np.bincount(number, weights=column, minlength=number[-1] + 1) for column in flags.T.astype(np.float64)]
    return np.stack(columns, axis=1)


def observed_lately(rows: SeenRows) -> xr.Dataset:
    """The last rows one by one.

    ``dated`` (row, channel) is the date of the value that is new in the row (days since 1970), NaN where there is
    none; ``wait`` the hours from its release to the row's forecast; ``masked`` is 1 where masking took it away, else
    0. ``forecast`` (row) is 1 where the target has a value, and so a forecast is made, else 0.
    """
    last = slice(-RECENT_ROWS, None)
    row_channel = ("row", "channel")
    return xr.Dataset(
        {
            "dated": (row_channel, rows.dated[last] / DAY),
            "wait": (row_channel, rows.wait[last]),
            "masked": (row_channel, rows.hidden[last].astype(np.float64)),
            "forecast": ("row", np.isfinite(rows.panel.price[last]).astype(np.float64)),
        },
        coords={"row": rows.panel.dates[last].to_numpy().astype("datetime64[s]")},
    )


def channel_facts(market: Market, seen_rows: SeenRows) -> xr.Dataset:
    """What there is of each channel on its own calendar, before anything is aligned or hidden.

    ``observed`` values; ``without_value``, days that the source lists empty; ``weekday_share``, the share of Mondays
    to Fridays between its first and last value that have one; ``weekend``, values on Saturdays and Sundays;
    ``longest_gap`` in days between neighbours; ``unchanged``, values equal to the one before; ``typical_wait``, the
    median of the waits; ``too_early``, values that stand in a row before they were out, and ``placed``, all that
    stand in rows, both before masking. Coordinates say the channel's words, how it is transformed and released, its
    first and its last date (empty where it has none) and the date on which its longest gap ends.
    """
    channels, calendars = market.channels, [ChannelCalendar.of(channel) for channel in market.channels]
    waits = [wait[np.isfinite(wait)] for wait in seen_rows.wait.T]
    numbers = {
        "observed": [len(calendar.days) for calendar in calendars],
        "without_value": [int(channel.values.isna().sum()) for channel in channels],
        "weekday_share": [calendar.weekday_share for calendar in calendars],
        "weekend": [calendar.weekend for calendar in calendars],
        "longest_gap": [calendar.longest_gap for calendar in calendars],
        "unchanged": [(np.diff(channel.observed.to_numpy()) == 0).sum() for channel in channels],
        "typical_wait": [np.median(wait) if len(wait) else np.nan for wait in waits],
        "placed": [len(wait) for wait in waits],
        "too_early": [(wait < 0).sum() for wait in waits],
    }
    words = {
        "channel": [channel.name for channel in channels],
        "words": [channel.words for channel in channels],
        "unit": [channel.unit for channel in channels],
        "transformation": [str(channel.transformation) for channel in channels],
        "released": [release_words(channel.release) for channel in channels],
        "first": [calendar.first for calendar in calendars],
        "last": [calendar.last for calendar in calendars],
        "gap_ends": [calendar.gap_ends for calendar in calendars],
    }
    return xr.Dataset(
        {name: ("channel", np.array(each, np.float64)) for name, each in numbers.items()},
        coords={name: ("channel", each) for name, each in words.items()},
    )


def clock_view(market: Market) -> xr.Dataset:
    """``out_after`` (clock_day, clock_channel): hours from a day's midnight to the release of the value that carries
    its date, UTC; NaN where the channel has none of that date.

    ``year_out_after`` (year_day, clock_channel) is the same for the last year of the target's dates.
    """
    dates = pd.DatetimeIndex(market.target.observed.index)
    year = dates[dates > dates[-1] - pd.DateOffset(years=1)]
    channels = market.channels[:CLOCK_CHANNELS]
    hours = np.stack([_hours(channel, year) for channel in channels], axis=1)
    days = year[-CLOCK_DAYS:]
    return xr.Dataset(
        {
            "out_after": (("clock_day", "clock_channel"), hours[-len(days) :]),
            "year_out_after": (("year_day", "clock_channel"), hours),
        },
        coords={"clock_day": days.to_numpy().astype("datetime64[s]")},
    )


def _hours(channel: Channel, days: pd.DatetimeIndex) -> NDArray[np.float64]:
    """Hours from midnight to the release, NaN on days that the channel does not have."""
    wait = (_seconds(channel.release.moments(days)) - _seconds(days)) / HOUR
    return np.where(days.isin(channel.observed.index), wait, np.nan)
