"""The windows of a market that *ODE-RNN* learns from and is tested on: rows of its observations, without too long gaps.

Values are standardised by the moments of the training part, which ends before the last fifth of the observations; test
windows lie in that fifth. Times are in weeks. No window that is trained on has a gap above the settings' longest; a
long last gap is made by leaving observations out. What became known of a covariate on a day without the target's price
belongs to no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from numpy.typing import NDArray

from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink, columns_ahead

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

TEST_SHARE = 0.2
"""Of the market's observations: the last ones, which no training sequence reaches."""
DAYS_IN_TIME_UNIT = 7.0
"""The market's times are in weeks: a night is 0.14, a weekend 0.43."""
FARTHEST = 10.0
"""Standard deviations; a return farther out is read as this far out."""

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


def market_windows(settings: ODERNNLaboratory) -> MarketWindows:
    """Those of the settings' market; raises :class:`MarketError` where there are none, or where nothing changes."""
    market = load_market(settings.data, settings.market_seed)
    panel = aligned(market)
    rows = np.flatnonzero(np.isfinite(panel.price))[1:]
    dates = panel.dates[rows]
    times = np.asarray(dates.as_unit("s").asi8 / (86_400 * DAYS_IN_TIME_UNIT))
    split = int(len(rows) * (1 - TEST_SHARE))
    values = _standardised(panel.values[rows], split)
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
                "longest gap or more data."
            )
    if not np.isfinite(data.values[: data.split, 0]).any():
        raise MarketError(
            f"The moves of {words} are all the same before {data.dates[data.split]:%Y-%m-%d}: there is nothing to "
            "learn. Choose another series to forecast, or bring more data."
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


def _standardised(values: Float[np.ndarray, "rows channels"], rows: int) -> Float[np.ndarray, "rows channels"]:
    """By mean and standard deviation of the first ``rows`` rows; a channel that does not vary there is missing."""
    observed_there = np.isfinite(values)
    first = np.where(observed_there[:rows], values[:rows], 0.0)
    count = np.maximum(observed_there[:rows].sum(0), 1)
    mean = first.sum(0) / count
    spread = np.sqrt((np.where(observed_there[:rows], values[:rows] - mean, 0.0) ** 2).sum(0) / count)
    usable = spread > 1e-12 * np.abs(mean)
    scores = np.where(usable, (values - mean) / np.where(usable, spread, 1.0), np.nan)
    return np.asarray(np.clip(scores, -FARTHEST, FARTHEST))


def foreseeing(windows: MarketWindows) -> list[NextMoveLink]:
    """Columns, by their words, that tell the next move before the tests begin by more than an honest one can."""
    market, panel = windows.market, aligned(windows.market)
    words = {channel.name: channel.words for channel in market.channels}
    kinds = [channel.transformation for channel in market.channels]
    links = columns_ahead(panel, kinds, next_values(panel, "return"), end=windows.split)
    return [link._replace(channel=words[link.channel]) for link in links]
