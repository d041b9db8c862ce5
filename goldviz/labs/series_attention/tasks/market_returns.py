"""Windows of a market's own moves: rows are the days on which the target was observed, times are in days.

Values are standardised by the moments of the training part, which ends before the last fifth of the rows; test windows
lie in that fifth. A covariate of the market is not known for days to come, so none is used.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.kept_markets import load_market
from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesProblemError, SeriesWindows

TEST_SHARE = 0.2
WEEK = 5
"""Trading days, which a seasonal forecast repeats."""


def market_problem(data: str, market_seed: int, context: int, horizon: int) -> SeriesProblem:
    """All windows of the market's first four fifths, and all of its last.

    Raises:
        MarketError: the market is not there any more.
        SeriesProblemError: the target is shorter than a window in either part, or never changes.
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
    location, scale = float(moves[:split].mean()), float(moves[:split].std())
    if not scale > 0:
        raise SeriesProblemError(f"The moves of {words} are all the same before the tests: there is nothing to learn.")
    scores = (moves - location) / scale
    learned, unseen = (_windows(scores[part], days[part], length) for part in (slice(split), slice(split, None)))
    return SeriesProblem(learned, unseen, context, min(WEEK, context), location, scale, float("nan"), time_unit="days")


def _windows(values: NDArray[np.float64], days: NDArray[np.float64], length: int) -> SeriesWindows:
    """Every window of so many rows; times begin at 0 in each."""
    of_values, of_days = (np.lib.stride_tricks.sliding_window_view(part, length) for part in (values, days))
    times = of_days - of_days[:, :1]
    return SeriesWindows(
        torch.tensor(of_values, dtype=torch.float32),
        torch.zeros(*of_values.shape, 0),
        torch.tensor(times, dtype=torch.float32),
    )
