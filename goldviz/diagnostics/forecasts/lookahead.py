"""Columns that know tomorrow: what each channel, as it is known at a forecast, tells of the target's next move.

An honest market's next move hardly goes with anything that is known before it. A channel that goes with it by more than
chance, and by more than markets allow, is likely known later than it is dated, or computed from what comes. What it
says of the same day's move, and of its own past, counts for nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal, special, stats

from goldviz.data.markets.alignment import NextValues, Panel
from goldviz.data.markets.market import Transformation

FALSE_ALARMS = 0.01
"""How often honest columns, all of a file together, are to pass the bound of chance."""
HONEST_LINK = 0.08
"""A correlation that an honest channel may have with the next move: 0.6 % of its variance. More is named."""
HONEST_LINK_OF_SIZES = 0.2
"""The same with the size of the next move, beyond what past sizes tell: markets know a good deal of tomorrow's size."""
LEAST_PAIRS = 30
"""Pairs below which nothing is said of a channel."""
OWN_LAGS = 5
LAGS = 2
"""A channel's last values that are set beside the next move: one that is two days early shows in the second."""
SPARSE = 1 / 3
"""Share of the forecasts below which a channel with news is also set beside all moves until its next news."""
DECAY = 0.94
"""Of the variance's moving average (RiskMetrics 1996)."""
HALF_A_YEAR = 126

Floats = NDArray[np.float64]


class NextMoveLink(NamedTuple):
    """How one channel goes with the target's next move, or with the move's size where ``of_size`` is true.

    ``correlation`` is that of normal scores, NaN for too few pairs; ``chance`` is the bound within which it stays in 99
    of 100 honest files, all channels together.
    """

    channel: str
    correlation: float
    chance: float
    of_size: bool = False

    @property
    def suspicious(self) -> bool:
        """Whether neither chance nor an honest market explains it."""
        honest = HONEST_LINK_OF_SIZES if self.of_size else HONEST_LINK
        return bool(abs(self.correlation) > max(self.chance, honest))


def since_last_forecast(panel: Panel, answers: NextValues, transformations: Sequence[Transformation]) -> Floats:
    """What became known of each channel since the forecast before: (forecasts, channels), NaN where nothing did.

    Rows on which the target has no value make no forecast, and what they bring counts at the next one: increments
    are added up, of levels the last is kept.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-05", "2024-07-06", "2024-07-07", "2024-07-08"])
    >>> coin = np.array([[0.0, 1.0], [np.nan, 2.0], [np.nan, 4.0], [0.0, np.nan]])
    >>> panel = Panel(days, days, ("gold", "coin"), coin, np.array([9.0, np.nan, 9.0, 9.0]), "log_return")
    >>> answers = NextValues(np.array([0, 2]), np.array([2, 3]), np.zeros(2), np.array([2.0, 1.0]))
    >>> since_last_forecast(panel, answers, ("log_return", "log_return"))[:, 1].tolist()
    [1.0, 6.0]
    """
    ends = answers.rows + 1
    starts = np.concatenate([[0], ends[:-1]])
    values = panel.values[: ends[-1]]
    there = np.isfinite(values)
    row = np.where(there, np.arange(len(values))[:, None], -1)
    latest = np.maximum.reduceat(row, starts, axis=0)
    sums = np.add.reduceat(np.where(there, values, 0.0), starts, axis=0)
    for column, transformation in enumerate(transformations):
        if transformation == "level":
            sums[:, column] = values[latest[:, column], column]
    return np.where(latest >= 0, sums, np.nan)


def next_move_links(
    names: Sequence[str], news: Floats, moves: Floats, *, sizes: bool = False
) -> tuple[NextMoveLink, ...]:
    """The strongest link of each covariate in ``news`` (forecasts, covariates) with the ``moves`` (forecasts,) ahead.

    Each move is divided by the volatility known at its forecast, and what three moves before it tell by a line is
    taken off; of each channel what its own past and the last move tell is taken off. What is left is compared by normal
    scores (van der Waerden), of which heavy tails and lasting volatility leave nothing. Under honest timing the
    correlation r of n pairs has atanh(r) sqrt(n - 3) standard normal (Fisher 1921), and the bound is Bonferroni's over
    all pairs of channel and lag. A channel with little news is also set beside the sum of moves until its next news.
    With ``sizes``, both a channel and its size are also set beside the size of the next move.

    >>> generator = np.random.default_rng(0)
    >>> moves = generator.standard_t(4, 1500)
    >>> news = np.stack([moves + generator.standard_t(4, 1500), generator.standard_t(4, 1500)], axis=1)
    >>> [link.channel for link in next_move_links(("tomorrow", "honest"), news, moves) if link.suspicious]
    ['tomorrow']
    """
    ahead = _in_calm_units(moves)
    surprise = _left_over(ahead, [_lagged(ahead, lag) for lag in (1, 2, 3)])
    surprise_scores = _scores(surprise)
    size = _scores(np.abs(moves))
    past_sizes = [_lagged(_running_mean(size, length), 1) for length in (1, 5, 22)]
    size_surprise = _scores(_left_over(size, past_sizes)) if sizes else size
    tests = LAGS * news.shape[1] * (3 if sizes else 1)
    links = []
    for name, column in zip(names, news.T, strict=True):
        rows = np.flatnonzero(np.isfinite(column))
        left = _left_over(column[rows], _own_past(column[rows], _lagged(ahead, 1)[rows]))
        left = _scores(_in_calm_units(left))
        pairs = [(left, surprise_scores[rows])]
        if len(rows) < SPARSE * len(moves):
            pairs.append((left, _scores(_until_next(surprise, rows))))
        else:
            pairs += [(_lagged(left, lag), surprise_scores[rows]) for lag in range(1, LAGS)]
        links.append(_strongest(name, pairs, tests, of_size=False))
        if sizes:
            controls = [past[rows] for past in past_sizes]
            readings = [_scores(_left_over(reading, controls)) for reading in (left, _scores(np.abs(left)))]
            links.append(_strongest(name, [(one, size_surprise[rows]) for one in readings], tests, of_size=True))
    return tuple(links)


def columns_ahead(
    panel: Panel,
    transformations: Sequence[Transformation],
    changes: NextValues,
    *,
    end: int | None = None,
    sizes: bool = False,
) -> tuple[NextMoveLink, ...]:
    """The covariates of a panel whose link with the next of these changes is suspicious, the strongest first.

    With an ``end``, only the changes count that were known when the forecast of that position was made.
    """
    news = since_last_forecast(panel, changes, transformations)[:end, 1:]
    usable = changes.known[:end] < (changes.rows[end] if end is not None else len(panel.dates))
    links = next_move_links(panel.channels[1:], news[usable], changes.values[:end][usable], sizes=sizes)
    strongest: dict[str, NextMoveLink] = {}
    for link in sorted((link for link in links if link.suspicious), key=lambda link: -abs(link.correlation)):
        strongest.setdefault(link.channel, link)
    return tuple(strongest.values())


def lookahead_warning(words: str, link: NextMoveLink) -> str:
    """What to say of a suspicious channel before anything is trained on it.

    >>> lookahead_warning("Model High", NextMoveLink("Model High", 0.74, 0.1))
    'Model High tells the next move: correlation +0.74, by chance at most 0.10. Is it known later than its date says? \
Set its release time, or leave it out.'
    """
    correlation = f"{link.correlation:+.2f}".replace("-", "−")
    return (
        f"{words} tells {'the size of ' if link.of_size else ''}the next move: correlation {correlation}, by chance at "
        f"most {link.chance:.2f}. Is it known later than its date says? Set its release time, or leave it out."
    )


def _strongest(name: str, pairs: Sequence[tuple[Floats, Floats]], tests: int, *, of_size: bool) -> NextMoveLink:
    bound = float(special.ndtri(1 - FALSE_ALARMS / (2 * tests)))
    links = []
    for x, y in pairs:
        both = np.isfinite(x) & np.isfinite(y)
        count = int(both.sum())
        if count < LEAST_PAIRS or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
            continue
        correlation = float(np.corrcoef(x[both], y[both])[0, 1])
        links.append(NextMoveLink(name, correlation, float(np.tanh(bound / np.sqrt(count - 3))), of_size))
    # The one that is farthest out of its own bound: sparse pairs have a wider one.
    return max(links, key=lambda one: abs(one.correlation) / one.chance, default=NextMoveLink(name, np.nan, np.nan))


def _own_past(x: Floats, last_move: Floats) -> list[Floats]:
    return [*(_lagged(x, lag) for lag in range(1, 1 + min(OWN_LAGS, len(x) // 20))), last_move]


def _lagged(x: Floats, lag: int) -> Floats:
    return np.concatenate([np.full(min(lag, len(x)), np.nan), x[: max(len(x) - lag, 0)]])


def _running_mean(x: Floats, length: int) -> Floats:
    """The mean of the last values up to each one, of fewer at the start."""
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    ends = np.arange(1, len(x) + 1)
    starts = np.maximum(ends - length, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def _left_over(y: Floats, regressors: Sequence[Floats]) -> Floats:
    """What least squares on the regressors leaves of y; NaN where one of them is not there."""
    design = np.column_stack([np.ones(len(y)), *regressors])
    usable = np.isfinite(design).all(axis=1) & np.isfinite(y)
    left = np.full(len(y), np.nan)
    if usable.sum() > 2 * design.shape[1]:
        spread = np.abs(design[usable]).max(axis=0)
        scaled = design[usable] / np.where(spread > 0, spread, 1.0)
        left[usable] = y[usable] - scaled @ np.linalg.lstsq(scaled, y[usable], rcond=None)[0]
    return left


def _in_calm_units(x: Floats) -> Floats:
    """Each value divided by the root of the exponentially weighted mean of the squares before it."""
    usable = np.isfinite(x)
    squares = np.square(x[usable])
    if not squares.any():
        return x
    start = squares[:HALF_A_YEAR].mean() or squares.mean()
    before = np.concatenate([[start], squares[:-1]])
    variance = signal.lfilter([1 - DECAY], [1, -DECAY], before, zi=[DECAY * start])[0]
    scaled = np.full(len(x), np.nan)
    # A price that stood still for long is no reason to count its first move a hundredfold.
    scaled[usable] = x[usable] / np.sqrt(np.maximum(variance, 0.01 * squares.mean()))
    return scaled


def _scores(x: Floats) -> Floats:
    """Normal scores of the ranks, NaN where there is no value."""
    usable = np.isfinite(x)
    scores = np.full(len(x), np.nan)
    scores[usable] = special.ndtri((stats.rankdata(x[usable]) - 0.5) / max(int(usable.sum()), 1))
    return scores


def _until_next(moves: Floats, rows: NDArray[np.intp]) -> Floats:
    """For each of these forecasts the moves from it up to the next of them, in units of one move; NaN for the last."""
    if len(rows) < 2:
        return np.full(len(rows), np.nan)
    sums = np.cumsum(np.concatenate([np.zeros(1), np.nan_to_num(moves)]))
    return np.append((sums[rows[1:]] - sums[rows[:-1]]) / np.sqrt(np.diff(rows)), np.nan)
