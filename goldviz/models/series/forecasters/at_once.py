"""Forecasts that need no training: repeats, and the linear map that least squares gives.

Windows are (window, channel, look_back) in, (window, channel, horizon) out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from goldviz.models.series.least_squares import NormalEquations
from goldviz.models.series.sliding_windows import SlidingWindows

RIDGE = 1e-6
"""Ridge penalty of a weight for each row that is fitted: enough for columns that depend on each other."""

Forecast = Callable[[Float[np.ndarray, "window channel look_back"]], Float[np.ndarray, "window channel horizon"]]


def repeat(windows: SlidingWindows, rows: range, season: int) -> Forecast:
    """Forecast the last value for every step."""
    return lambda past: np.repeat(past[..., -1:], windows.horizon, axis=-1)


def seasonal_repeat(windows: SlidingWindows, rows: range, season: int) -> Forecast:
    """Forecast the last season's values, over and over: x_(t+h) = x_(t+h-k season), k as small as is known."""
    places = windows.look_back - season + np.arange(windows.horizon) % season
    return lambda past: np.asarray(past[..., places])


@dataclass(frozen=True)
class LinearMap:
    """x_(t+h) = x_t + b[h] + sum over lags of (x_(t-lag) - x_t) W[lag, h], the same for every channel."""

    weights: Float[np.ndarray, "look_back horizon"]
    bias: Float[np.ndarray, " horizon"]

    def __call__(
        self, past: Float[np.ndarray, "window channel look_back"]
    ) -> Float[np.ndarray, "window channel horizon"]:
        """The forecasts of these windows."""
        last = past[..., -1:]
        return np.asarray(last + (past - last) @ self.weights + self.bias)


def linear_map(windows: SlidingWindows, rows: range, season: int) -> LinearMap:
    """NLinear (Zeng et al. 2023) in closed form: least squares with a ridge of 1e-6 of the rows, in float64.

    The rows of X and Y are all windows of all channels, less their last value.
    """
    equations = NormalEquations(windows.look_back, windows.horizon)
    for part in windows.blocks(rows):
        past, future = windows.past(part), windows.future(part)
        last = past[..., -1:]
        equations.add((past - last).reshape(-1, windows.look_back), (future - last).reshape(-1, windows.horizon))
    solution = equations.solved(RIDGE)
    return LinearMap(solution[:-1], solution[-1])
