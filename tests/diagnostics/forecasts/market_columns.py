"""Columns of a drawn market as they stand in people's files: honest ones, and ones that were made with what came later.

Each is known at the close of its day, and is set beside the moves from the day after on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import signal, sparse
from scipy.sparse.linalg import spsolve

Floats = NDArray[np.float64]
KINDS = ("garch", "gjr", "sv")
BEFORE = 260
"""Days before the first one that counts, so that moving averages are there."""
IN_A_DAY = 26


@dataclass(frozen=True)
class Drawn:
    """Daily moves with lasting volatility, and the path within each day."""

    days: pd.DatetimeIndex
    moves: pd.Series
    sigma: Floats
    high: Floats
    low: Floats
    within: Floats
    generator: np.random.Generator


def drawn_market(kind: str, seed: int, days: int = 1500) -> Drawn:
    """GARCH(1,1), the same with leverage (Glosten, Jagannathan and Runkle 1993), or stochastic volatility."""
    generator = np.random.default_rng([seed, KINDS.index(kind)])
    count = BEFORE + days + 1
    shocks = (generator.standard_t(6, count) / np.sqrt(1.5)).clip(-8, 8)
    if kind == "sv":
        first = generator.standard_normal(count)
        log_variance = signal.lfilter([0.9 * np.sqrt(1 - 0.98**2)], [1, -0.98], first)
        sigma = np.exp(np.append(log_variance[:1], log_variance[:-1]) / 2)
        moves = sigma * (np.sqrt(0.75) * shocks - 0.5 * first)
    else:
        own, leverage, kept = (0.08, 0.0, 0.9) if kind == "garch" else (0.03, 0.12, 0.89)
        variance, moves = np.ones(count), np.zeros(count)
        for day in range(count):
            if day:
                weight = own + leverage * (moves[day - 1] < 0)
                variance[day] = 1 - own - leverage / 2 - kept + weight * moves[day - 1] ** 2 + kept * variance[day - 1]
            moves[day] = np.sqrt(variance[day]) * shocks[day]
        sigma = np.sqrt(variance)
    steps = generator.standard_normal((count, IN_A_DAY)) * sigma[:, None] / np.sqrt(IN_A_DAY)
    steps += (moves - steps.sum(1))[:, None] / IN_A_DAY
    path = 0.01 * np.cumsum(steps, axis=1)
    index = pd.bdate_range("2009-01-05", periods=count)
    return Drawn(
        index,
        pd.Series(0.01 * moves, index),
        0.01 * sigma,
        np.maximum(path.max(1), 0),
        np.minimum(path.min(1), 0),
        1e-4 * np.square(steps).sum(1),
        generator,
    )


def honest_columns(market: Drawn) -> dict[str, Floats]:
    """Columns that nobody computed with anything later than their day."""
    r, days, g = market.moves, market.days, market.generator
    count, spread, price = len(r), market.high - market.low, np.exp(r.cumsum())
    month, week = days.to_period("M"), days.to_period("W")
    months, path = pd.factorize(month)[0], np.cumsum(g.standard_normal(count))
    other = pd.Series(0.6 * r + 0.8 * market.sigma * g.standard_normal(count), days)
    slow = signal.lfilter([0.1], [1, -0.9], g.standard_normal(count))
    log_variance = 2 * pd.Series(np.log(market.sigma), days)
    variance = r.pow(2)
    columns = {
        # Half of what an omniscient market would say of tomorrow, the rest of it late and by its mood.
        "implied volatility": np.exp(
            0.15 * log_variance.shift(-1).ffill() + 0.35 * log_variance.ewm(halflife=10).mean() + 0.5 * slow
        ),
        "spread of 5 days": r.rolling(5).std(),
        "spread of 21 days": r.rolling(21).std(),
        "spread of 63 days": r.rolling(63).std(),
        "realised within the day": market.within,
        "Parkinson": spread,
        "Parkinson, smooth": pd.Series(spread**2, days).ewm(halflife=8).mean(),
        "volume": np.exp(0.5 * np.log(market.sigma) + 0.4 * np.log(r.abs() / market.sigma + 0.3) + 0.3 * slow),
        "RiskMetrics": variance.ewm(alpha=0.06).mean(),
        "HAR": 0.3 * variance + 0.3 * variance.rolling(5).mean() + 0.4 * variance.rolling(22).mean(),
        "weekday": days.day_of_week,
        "month of the year": days.month,
        "day of the month": days.day,
        "days to the roll": np.arange(count) % 21,
        "macro, carried on": path[np.maximum(months - 1, 0)],
        "last month's spread": r.groupby(month).std().reindex(month - 1),
        "last month's move": r.groupby(month).sum().reindex(month - 1),
        "last week's move": r.groupby(week).sum().reindex(week - 1),
        "spread of the month so far": variance.groupby(month).cumsum() / (r.groupby(month).cumcount() + 1),
        "move of the month so far": r.groupby(month).cumsum(),
        "price": price,
        "mean of 20 prices": price.rolling(20).mean(),
        "mean of 200 prices": price.rolling(200).mean(),
        "momentum of 63 days": r.rolling(63).sum(),
        "momentum of 252 days": r.rolling(252).sum(),
        "drawdown": price / price.cummax(),
        "RSI": r.clip(lower=0).ewm(alpha=1 / 14).mean() / r.abs().ewm(alpha=1 / 14).mean(),
        "move": r,
        "size of the move": r.abs(),
        "the move before": r.shift(),
        "largest of 21 moves": r.abs().rolling(21).max(),
        "skewness": r.rolling(63).skew(),
        "rank of the size so far": r.abs().expanding().rank(pct=True),
        "another market": other,
        "its price": other.cumsum(),
        "its range": other.abs() + 0.5 * spread,
        "noise": g.standard_normal(count),
        "a random walk": path,
        "a slow indicator": slow,
        "the row's number": np.arange(count),
    }
    return {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}


def leaking_columns(market: Drawn) -> dict[str, Floats]:
    """Columns that hold something of the days behind their own."""
    r, days, g = market.moves, market.days, market.generator
    count, log_price = len(r), r.cumsum()
    month, week, quarter = (days.to_period(period) for period in ("M", "W", "Q"))
    volume = pd.Series(np.exp(0.4 * np.log(r.abs() + 0.003) + 0.2 * g.standard_normal(count)), days)
    smooth = signal.butter(3, 0.1)
    bends = sparse.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(count - 2, count))
    both_ways = r.pow(2).ewm(alpha=0.1).mean() + r.pow(2)[::-1].ewm(alpha=0.1).mean()[::-1]
    ends = log_price.groupby(month).last()
    at_ends = pd.Series(ends.to_numpy(), pd.DatetimeIndex([one.end_time.normalize() for one in ends.index]))
    later = (log_price.shift(-5) - log_price).fillna(0.0)
    monthly = r.groupby(month).transform("sum")
    columns = {
        "centred spread of 5 days": r.rolling(5, center=True).std(),
        "centred spread of 21 days": r.rolling(21, center=True).std(),
        "the month's spread": r.groupby(month).transform("std"),
        "the month's move and noise": monthly + monthly.std() * g.standard_normal(count),
        "the week's move": r.groupby(week).transform("sum"),
        "the quarter's mean move": r.groupby(quarter).transform("mean"),
        "the month's close": np.exp(log_price.groupby(month).transform("last")),
        "the week's high": np.exp(log_price.groupby(week).transform("max")),
        "centred mean price": np.exp(log_price).rolling(21, center=True).mean(),
        "filtered forwards and backwards": np.exp(signal.filtfilt(*smooth, log_price)),
        "Savitzky-Golay": np.exp(signal.savgol_filter(log_price, 21, 3)),
        "Hodrick-Prescott": spsolve((sparse.eye(count) + 1600 * bends.T @ bends).tocsc(), log_price.to_numpy()),
        "exponential from both sides": both_ways,
        "sizes, Savitzky-Golay": signal.savgol_filter(r.abs(), 31, 2),
        "Kalman's smoother": kalman_smoother(np.log(r.pow(2) + 1e-8).to_numpy()),
        "probability of storm, smoothed": storm_smoothed(r.to_numpy()),
        "interpolated month's closes": at_ends.reindex(at_ends.index.union(days)).interpolate("time").reindex(days),
        "tomorrow's volume": volume.shift(-1),
        "the size in ten days": r.abs().shift(-10),
        "the move in forty days": r.shift(-40),
        "rank of the size in the month": r.abs().groupby(month).rank(),
        "share of the week's squares": r.pow(2) / r.pow(2).groupby(week).transform("sum"),
        "highest of the next ten": np.exp(log_price)[::-1].rolling(10).max()[::-1],
        "barrier that is touched first": np.sign(later) * (later.abs() > 0.02),
    }
    return {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}


def kalman_smoother(y: Floats) -> Floats:
    """Rauch, Tung and Striebel's smoother of a state 0.98 a[t-1] + N(0, 0.03), seen with a variance of 4.9."""
    y = y - y.mean()
    known, variance = np.zeros(len(y)), np.ones(len(y))
    state, spread = 0.0, 1.0
    for t, seen in enumerate(y):
        before, wider = 0.98 * state, 0.98**2 * spread + 0.03
        state = before + wider / (wider + 4.9) * (seen - before)
        spread = wider * 4.9 / (wider + 4.9)
        known[t], variance[t] = state, spread
    smoothed = known.copy()
    for t in range(len(y) - 2, -1, -1):
        gain = 0.98 * variance[t] / (0.98**2 * variance[t] + 0.03)
        smoothed[t] = known[t] + gain * (smoothed[t + 1] - 0.98 * known[t])
    return smoothed


def storm_smoothed(moves: Floats) -> Floats:
    """The probability of the wilder of two hidden states, given all days (forward and backward)."""
    sigma, stay = np.array([0.5, 2.0]) * moves.std(), np.array([[0.98, 0.02], [0.03, 0.97]])
    seen = np.exp(-0.5 * np.square(moves[:, None] / sigma)) / sigma
    forward, backward = np.ones((len(moves), 2)) / 2, np.ones((len(moves), 2))
    for t in range(len(moves)):
        forward[t] = ((forward[t - 1] if t else forward[0]) @ stay) * seen[t]
        forward[t] /= forward[t].sum()
    for t in range(len(moves) - 2, -1, -1):
        backward[t] = stay @ (seen[t + 1] * backward[t + 1])
        backward[t] /= backward[t].sum()
    both = forward * backward
    return np.asarray(both[:, 1] / both.sum(1))


def beside_moves(market: Drawn, columns: dict[str, Floats]) -> tuple[list[str], Floats, Floats]:
    """Names, the columns as they are known at each forecast, (days, columns), and the moves behind them, (days,)."""
    table = np.stack(list(columns.values()), axis=1)
    return list(columns), table[BEFORE:-1], market.moves.to_numpy()[BEFORE + 1 :]
