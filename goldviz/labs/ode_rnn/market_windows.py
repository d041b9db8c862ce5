"""The windows of a market that *ODE-RNN* learns from and is tested on: rows of its observations, without too long gaps.

Values are standardised by the moments of the training part, which ends before the last fifth of the observations; test
windows lie in that fifth. Times are in weeks. No window that is trained on has a gap above the settings' longest; a
long last gap is made by leaving observations out. What became known of a covariate on a day without the target's price
belongs to no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jaxtyping import Int
from numpy.typing import NDArray

from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.standard_scores import standard_scores
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink, covariates_ahead

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

TEST_SHARE = 0.2
"""Of the market's observations: the last ones, which no training sequence reaches."""
DAYS_IN_TIME_UNIT = 7.0
"""The market's times are in weeks: a night is 0.14, a weekend 0.43."""
Windows = Int[np.ndarray, "windows length"]


@dataclass(frozen=True)
class MarketWindows:
    """Observations of a market and the windows that are cut of them, each a row of places among ``dates``.

    ``times`` are in weeks, ``values`` (rows, channels) standardised, NaN where there is none. The first ``split`` rows
    are learned from.
    """

    market: Market
    channels: tuple[str, ...]
    dates: pd.DatetimeIndex
    times: NDArray[np.float64]
    values: NDArray[np.float64]
    split: int
    trained_on: Windows
    tested_on: Windows
    tested_on_long: Windows

    @cached_property
    def columns_ahead(self) -> tuple[NextMoveLink, ...]:
        """Columns that tell the next move before the tests begin by more than an honest one can."""
        panel = aligned(self.market)
        return covariates_ahead(self.market, panel, next_values(panel, "return"), end=self.split)


def market_windows(settings: ODERNNLaboratory) -> MarketWindows:
    """Those of the settings' market; raises :class:`MarketError` where there are none, or where nothing changes."""
    market = load_market(settings.data, settings.market_seed)
    panel = aligned(market)
    rows = np.flatnonzero(np.isfinite(panel.price))[1:]
    dates = panel.dates[rows]
    times = np.asarray(dates.as_unit("s").asi8 / (86_400 * DAYS_IN_TIME_UNIT))
    split = int(len(rows) * (1 - TEST_SHARE))
    values = standard_scores(panel.values[rows], slice(split))
    usual = _windows(times, settings.observations, settings.longest_gap)
    long = _long_windows(times, settings.observations, settings.longest_gap)
    windows = MarketWindows(
        market,
        panel.channels,
        dates,
        times,
        values,
        split,
        usual[usual[:, -1] < split],
        usual[usual[:, 0] >= split],
        long[long[:, 0] >= split],
    )
    _refuse_unusable(windows, settings)
    return windows


def _refuse_unusable(data: MarketWindows, settings: ODERNNLaboratory) -> None:
    words, gaps = data.market.target.words, np.diff(data.times)
    usual = float(np.median(gaps)) if gaps.size else 0.0
    windows = {
        "training": data.trained_on,
        "tests": data.tested_on,
        "tests of long gaps": data.tested_on_long,
    }
    for purpose, there in windows.items():
        if len(there) == 0:
            raise MarketError(
                f"{words} has no {settings.observations} observations in a row for {purpose} with gaps of at "
                f"most {settings.longest_gap:g} weeks; its usual gap is {usual:.2g}. Take fewer observations, a longer "
                "longest gap or more data.",
                "too_few",
            )
    if not np.isfinite(data.values[: data.split, 0]).any():
        raise MarketError(
            f"The moves of {words} are all the same before {data.dates[data.split]:%Y-%m-%d}: there is nothing to "
            "learn. Choose another series to forecast, or bring more data.",
            "constant",
        )


def _windows(times: NDArray[np.float64], length: int, longest_gap: float) -> Windows:
    """All windows without too long a gap."""
    first = np.arange(max(0, len(times) - length + 1))
    rows = first[:, None] + np.arange(length)
    return np.asarray(rows[(np.diff(times[rows], axis=1) <= longest_gap * (1 + 1e-9)).all(1)])


def _long_windows(times: NDArray[np.float64], length: int, longest_gap: float) -> Windows:
    """Windows whose last row is the first one that is further away than the longest gap, and less than twice."""
    start = _windows(times, length - 1, longest_gap)
    last = start[:, -1]
    later = np.searchsorted(times, times[last] + longest_gap * (1 + 1e-9), side="right")
    there = later < len(times)
    start, last, later = start[there], last[there], later[there]
    near = times[later] - times[last] <= 2 * longest_gap
    return np.asarray(np.concatenate([start, later[:, None]], 1)[near])
