"""What of a market is observed, and when: month by month, on the last days, and channel by channel."""

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
    rows = [_facts(channel) for channel in market.channels]
    early = [_too_early(wait) for wait in seen_rows.wait.T]
    numbers = {name: ("channel", np.array([row[name] for row in rows])) for name in rows[0]}
    dates = [_spans(channel) for channel in market.channels]
    return xr.Dataset(
        {**numbers, **{name: ("channel", np.array([row[name] for row in early])) for name in early[0]}},
        coords={
            "channel": [channel.name for channel in market.channels],
            "words": ("channel", [channel.words for channel in market.channels]),
            "unit": ("channel", [channel.unit for channel in market.channels]),
            "transformation": ("channel", [str(channel.transformation) for channel in market.channels]),
            "released": ("channel", [release_words(channel.release) for channel in market.channels]),
            **{name: ("channel", [span[name] for span in dates]) for name in dates[0]},
        },
    )


def _facts(channel: Channel) -> dict[str, float]:
    calendar = ChannelCalendar.of(channel)
    return {
        "observed": float(len(calendar.days)),
        "without_value": float(len(channel.values) - len(calendar.days)),
        "weekday_share": calendar.weekday_share,
        "weekend": float(calendar.weekend),
        "longest_gap": calendar.longest_gap,
        "unchanged": float((np.diff(channel.observed.to_numpy()) == 0).sum()),
    }


def _spans(channel: Channel) -> dict[str, str]:
    calendar = ChannelCalendar.of(channel)
    return {"first": calendar.first, "last": calendar.last, "gap_ends": calendar.gap_ends}


def _too_early(wait: NDArray[np.float64]) -> dict[str, float]:
    waits = wait[np.isfinite(wait)]
    return {
        "typical_wait": float(np.median(waits)) if len(waits) else np.nan,
        "placed": float(len(waits)),
        "too_early": float((waits < 0).sum()),
    }
