"""Windows of a market's own moves: rows are the days on which the target was observed, times are in days.

Values are standardised by the moments of the training part, which ends before the last fifth of the rows; test windows
lie in that fifth, one begins where the forecast of another ends. Covariates have to be known for days to come: the
calendar is, and a channel that is out long before its day.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market
from goldviz.data.markets.standard_scores import ChannelMoments
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink, next_move_links, suspicious
from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesProblemError, SeriesWindows

TEST_SHARE = 0.2
WEEK = 5
"""Trading days, which a seasonal forecast repeats."""


def market_problem(
    data: str, market_seed: int, context: int, horizon: int, *, calendar: bool = False, covariate: str = ""
) -> SeriesProblem:
    """All windows of the market's first four fifths, and of its last those that forecast each row once.

    ``calendar`` tells networks what the calendar knows of a row, ``covariate`` is a channel that is known beforehand.

    Raises:
        MarketError: the market is not there any more.
        SeriesProblemError: the target is shorter than a window in either part, or never changes; the covariate is
            not known at the forecast.
    """
    market = load_market(data, market_seed)
    panel = aligned(market)
    rows = np.flatnonzero(np.isfinite(panel.values[:, 0]))
    moves, days = panel.values[rows, 0], panel.dates[rows].as_unit("s").asi8 / 86_400
    split, length, words = int(len(rows) * (1 - TEST_SHARE)), context + horizon, market.target.words
    if len(rows) - split < length:
        raise SeriesProblemError(
            f"{words} has {len(rows)} moves, of which the last fifth is for tests; a window has {length} rows. Allowed "
            f"are at least {-(-length // TEST_SHARE):.0f} moves: take a shorter context or horizon, or more data."
        )
    location, scale = (float(one[0]) for one in ChannelMoments.of(moves[:split, None]))
    if np.isnan(scale):
        raise SeriesProblemError(f"The moves of {words} are all the same before the tests: there is nothing to learn.")
    scores = (moves - location) / scale
    columns, names, ahead = [np.zeros((len(rows), 0))], list[str](), list[NextMoveLink]()
    if calendar:
        columns, names = [*columns, calendar_of_days(panel.dates[rows])], [*names, *CALENDAR]
    if covariate:
        next_values = channel_ahead(market, covariate, panel.dates[rows], panel.moments[rows], horizon, split)
        columns, names = [*columns, next_values[:, None]], [*names, covariate]
        # A row's value stands beside the move of the same row, which is still to come at its forecast.
        channel = next(channel.words for channel in market.channels[1:] if channel.name == covariate)
        ahead = list(suspicious(next_move_links([channel], next_values[:split, None], moves[:split])))
    covariates = np.concatenate(columns, 1)
    train_windows, test_windows = (
        _windows(scores[part], covariates[part], days[part], length, step)
        for part, step in ((slice(split), 1), (slice(split, None), horizon))
    )
    return SeriesProblem(
        train_windows,
        test_windows,
        context,
        min(WEEK, context),
        location,
        scale,
        float("nan"),
        tuple(names),
        time_unit="days",
        columns_ahead=tuple(ahead),
    )


def _windows(
    values: NDArray[np.float64], covariates: NDArray[np.float64], days: NDArray[np.float64], length: int, step: int
) -> SeriesWindows:
    """Windows of so many rows, one begins ``step`` rows after another; times begin at 0 in each."""
    of_values, of_covariates, of_days = (
        np.lib.stride_tricks.sliding_window_view(part, length, 0)[::step] for part in (values, covariates, days)
    )
    times = of_days - of_days[:, :1]
    return SeriesWindows(
        torch.tensor(of_values, dtype=torch.float32),
        torch.tensor(of_covariates.swapaxes(1, 2), dtype=torch.float32),
        torch.tensor(times, dtype=torch.float32),
    )


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
    mean, spread = (one[0] for one in ChannelMoments.of(numbers[:train_rows, None]))
    if np.isnan(spread):
        raise SeriesProblemError(f"{channel.words} never changes before the tests; a covariate has to.")
    return np.asarray((numbers - mean) / spread)
