"""Simulated series with the character of the public sets that forecasters are compared on.

A new one is an entry of :data:`SIMULATED_SERIES`. Each is drawn from a seed, and a longer one begins as a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from goldviz.labs.leaderboard.multivariate import MultivariateSeries

DAY, WEEK = 24, 168
"""Hours."""
DAILY_MOVE = 0.006
"""Standard deviation of an exchange rate's log move in a day."""
SHARED = 0.4
"""Part of the moves' variance that all rates have in common."""
LOAD_MEMORY = 0.8
"""How much of an hour's deviation from the load's rhythm is left an hour later."""
LOAD_DRIFT = 0.01
"""Standard deviation of the load level's move in an hour."""


@dataclass(frozen=True)
class SimulatedSeries:
    """What it is called, what one row of it is, and what draws (row, channel) from a seed."""

    words: str
    row: str
    draw: Callable[[int, int, int], Float[np.ndarray, "row channel"]]

    def __call__(self, rows: int, channels: int, seed: int) -> MultivariateSeries:
        """The series of this seed."""
        names = tuple(f"channel {number}" for number in range(1, channels + 1))
        return MultivariateSeries(names, self.draw(rows, channels, seed), self.row, f"simulated {self.words}")


def exchange_rates(rows: int, channels: int, seed: int) -> Float[np.ndarray, "row channel"]:
    """Logarithms of rates whose moves have no memory, so that the last value is the best forecast of all.

    x_t = x_(t-1) + e_t, with Gaussian moves that share a part of their variance.
    """
    moves = [np.random.default_rng([seed, channel]).standard_normal(rows) for channel in range(channels + 1)]
    common, own = moves[0][:, None], np.stack(moves[1:], axis=1)
    return np.asarray(np.cumsum(DAILY_MOVE * (np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own), axis=0))


def hourly_load(rows: int, channels: int, seed: int) -> Float[np.ndarray, "row channel"]:
    """Load with a day, a week, a slow drift and noise that lasts a few hours.

    Each channel has a day of two harmonics with phases of its own, and less load at the weekend.
    """
    return np.stack([_load(rows, np.random.default_rng([seed, channel])) for channel in range(channels)], axis=1)


def _load(rows: int, generator: np.random.Generator) -> Float[np.ndarray, " row"]:
    hours = np.arange(rows)
    first, second, weekend = generator.uniform([0.8, 0.2, 0.3], [1.2, 0.5, 0.9])
    phases = generator.uniform(0, 2 * np.pi, 2)
    day = first * np.sin(2 * np.pi * hours / DAY + phases[0]) + second * np.sin(4 * np.pi * hours / DAY + phases[1])
    rest = weekend * (hours % WEEK >= 5 * DAY)
    drift, shocks = generator.standard_normal((rows, 2)).T
    return np.asarray(day - rest + LOAD_DRIFT * np.cumsum(drift) + _first_order(0.3 * shocks, LOAD_MEMORY))


def _first_order(shocks: Float[np.ndarray, " row"], memory: float) -> Float[np.ndarray, " row"]:
    """y_t = memory y_(t-1) + shock_t, from zero."""
    values, level = np.empty_like(shocks), 0.0
    for place, shock in enumerate(shocks.tolist()):
        level = memory * level + shock
        values[place] = level
    return values


SIMULATED_SERIES = {
    "exchange": SimulatedSeries("exchange rates without memory", "day", exchange_rates),
    "load": SimulatedSeries("hourly load with days and weeks", "hour", hourly_load),
}
