"""Forecasts of series that need no training by gradients: an entry of the table each, in closed form.

Each is told the windows that may be learned from, (series, row), and forecasts what follows the context of others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from goldviz.models.series.least_squares import NormalEquations, with_ones
from goldviz.models.style import NetworkStyle

Rows = Float[np.ndarray, "series row"]
RIDGE = 1e-3
"""Of a linear map's weight, for each window that is learned from."""
LARGEST_ORDER = 24


@dataclass(frozen=True)
class Problem:
    """Windows with their future, contexts alone, and after how many rows a season comes again."""

    learned: Rows
    contexts: Rows
    period: int

    @property
    def context(self) -> int:
        """Rows of a context."""
        return int(self.contexts.shape[1])

    @property
    def horizon(self) -> int:
        """Rows to forecast."""
        return int(self.learned.shape[1]) - self.context


@dataclass(frozen=True)
class SimpleForecast:
    """How it looks in figures, and the rows that it forecasts."""

    style: NetworkStyle
    forecast: Callable[[Problem], Rows]


def repeated(problem: Problem) -> Rows:
    """The last value again and again."""
    return np.repeat(problem.contexts[:, -1:], problem.horizon, 1)


def seasonal(problem: Problem) -> Rows:
    """The last ``period`` values over again; raises ValueError for a period longer than the context."""
    if problem.period > problem.context:
        raise ValueError(f"The period is {problem.period} rows; allowed are at most the context's {problem.context}.")
    last = problem.contexts[:, -problem.period :]
    return np.asarray(last[:, np.arange(problem.horizon) % problem.period])


def linear_map(problem: Problem) -> Rows:
    """One linear map from a context to the whole horizon, by least squares with a small ridge."""
    past, future = np.split(problem.learned, [problem.context], 1)
    return np.asarray(with_ones(problem.contexts) @ _fitted(past, future))


def autoregression(problem: Problem) -> Rows:
    """One linear map from the last rows to the next one, read on as its own past: AR(p) with p at most 24."""
    order = min(LARGEST_ORDER, problem.context)
    windows = np.lib.stride_tricks.sliding_window_view(problem.learned, order + 1, 1).reshape(-1, order + 1)
    weights = _fitted(windows[:, :-1], windows[:, -1:])
    rows = problem.contexts.astype(np.float64)
    for _ in range(problem.horizon):
        rows = np.concatenate([rows, with_ones(rows[:, -order:]) @ weights], 1)
    return rows[:, -problem.horizon :]


def _fitted(past: Rows, future: Rows) -> Float[np.ndarray, "row_and_one answer"]:
    """The map from the past and a one to the future, by least squares."""
    equations = NormalEquations(past.shape[1], future.shape[1])
    equations.add(past, future)
    return equations.solved(RIDGE)


SIMPLE_FORECASTS = {
    "repeat": SimpleForecast(NetworkStyle("repeat", "#8a7f6a", "dot", "diamond-tall"), repeated),
    "seasonal": SimpleForecast(NetworkStyle("seasonal repeat", "#7d8f24", "dash", "x"), seasonal),
    "linear": SimpleForecast(NetworkStyle("linear map", "#0e7ac0", "dashdot", "diamond"), linear_map),
    "ar": SimpleForecast(NetworkStyle("AR", "#9263cf", "longdash", "pentagon"), autoregression),
}
"""Forecast by name, the simplest first."""
