"""What is known beforehand of a market's days: the calendar, and channels that are out long before their day."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from jaxtyping import Float

from goldviz.data.markets.market import Market
from goldviz.labs.series_attention.tasks.windows import SeriesProblemError

CALENDAR = ("sine of the weekday", "cosine of the weekday", "logarithm of the days since the row before")
DAYS_A_WEEK = 7


def calendar_of_days(dates: pd.DatetimeIndex) -> Float[np.ndarray, "row 3"]:
    """:data:`CALENDAR` of ascending days; the first has a day before it.

    >>> calendar_of_days(pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-09"]))[:, 2].round(2).tolist()
    [0.0, 0.0, 1.95]
    """
    angle = 2 * math.pi * dates.day_of_week.to_numpy() / DAYS_A_WEEK
    gaps = np.r_[1.0, np.diff(dates.as_unit("s").asi8) / 86_400]
    return np.stack([np.sin(angle), np.cos(angle), np.log(gaps)], 1)


def channel_ahead(
    market: Market, name: str, dates: pd.DatetimeIndex, moments: pd.DatetimeIndex, horizon: int, train_rows: int
) -> Float[np.ndarray, " row"]:
    """A channel's value of each of the ``dates``, standardised by the first ``train_rows`` of them.

    ``moments`` (UTC) are those of the rows' forecasts.

    Raises :class:`SeriesProblemError` for a channel that there is not, that has no value for a day or the same for all,
    and, with the day, for one that is not out at a forecast ``horizon`` rows before its day.
    """
    by_name = {channel.name: channel for channel in market.channels[1:]}
    if name not in by_name:
        channels = ", ".join(by_name) or "none: the market has no other channel"
        raise SeriesProblemError(f"The covariate is {name!r}; allowed are {channels}.")
    channel = by_name[name]
    late = channel.release.moments(dates[horizon:]) > moments[: len(dates) - horizon]
    if late.any():
        row = int(np.argmax(late))
        raise SeriesProblemError(
            f"{channel.words} of {dates[row + horizon]:%Y-%m-%d} is not known yet on {dates[row]:%Y-%m-%d}, when a "
            f"forecast {horizon} rows ahead would need it. Allowed are covariates that are out before: the calendar is."
        )
    values = channel.observed.reindex(dates)
    if values.isna().any():
        day = dates[int(np.argmax(values.isna().to_numpy()))]
        raise SeriesProblemError(f"{channel.words} has no value for {day:%Y-%m-%d}; a covariate needs one a row.")
    numbers = values.to_numpy(np.float64)
    mean, spread = numbers[:train_rows].mean(), numbers[:train_rows].std()
    if not spread > 0:
        raise SeriesProblemError(f"{channel.words} never changes before the tests; a covariate has to.")
    return np.asarray((numbers - mean) / spread)
