"""The last days of a market as clocks: what carries each day's date, and at which hour it came out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from goldviz.data.markets.market import Channel, Market

CLOCK_DAYS = 3
"""Days that are shown; each has a row for every channel."""
CLOCK_CHANNELS = 8
"""Channels that are shown, the target first."""


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


def _hours(channel: Channel, days: pd.DatetimeIndex) -> np.ndarray:
    """Hours from midnight to the release, NaN on days that the channel does not have."""
    release_times = channel.release.moments(days)
    midnight = days.to_numpy().astype("datetime64[s]").astype(np.int64)
    wait: np.ndarray = (release_times.as_unit("s").asi8 - midnight) / 3600.0
    return np.where(days.isin(channel.observed.index), wait, np.nan)
