"""How far mean forecasts were off, and how much of that another forecast saves.

A score of too few forecasts, of a truth that never moves or of forecasts that are not finite is NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

LEAST_FORECASTS = 8
"""Forecasts below which nothing is scored."""


def scorable(truth: Float[np.ndarray, " forecast"], *others: float | Float[np.ndarray, " forecast"]) -> bool:
    """Whether there is enough to score: 8 forecasts, a truth that moves, and nothing that is NaN or infinite."""
    enough = len(truth) >= LEAST_FORECASTS and np.isfinite(truth).all() and np.ptp(truth) > 0
    return bool(enough and all(np.isfinite(other).all() for other in others))


def squared_errors(
    truth: Float[np.ndarray, " forecast"], forecast: float | Float[np.ndarray, " forecast"]
) -> Float[np.ndarray, " forecast"]:
    """(y - y^)^2 of each forecast; infinite where it is too large for a number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.square(truth - forecast)


def absolute_errors(
    truth: Float[np.ndarray, " forecast"], forecast: float | Float[np.ndarray, " forecast"]
) -> Float[np.ndarray, " forecast"]:
    """|y - y^| of each forecast; infinite where it is too large for a number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.abs(truth - forecast)


def mean_loss(losses: Float[np.ndarray, " forecast"]) -> float:
    """The mean of losses; NaN where it is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.mean(losses))
    return mean if np.isfinite(mean) else np.nan


def r2_out_of_sample(
    truth: Float[np.ndarray, " forecast"],
    forecast: Float[np.ndarray, " forecast"],
    reference: float | Float[np.ndarray, " forecast"] = 0.0,
) -> float:
    """Share of squared error saved against a reference forecast, by default zero.

    R2 = 1 - sum (y - y^)^2 / sum (y - reference)^2 (Campbell and Thompson 2008, whose reference is the mean of the
    past). At most 1, without a lower limit; NaN where the reference is never wrong.

    >>> truth = np.array([1.0, -1.0, 2.0, -2.0, 1.0, -1.0, 2.0, -2.0])
    >>> r2_out_of_sample(truth, truth / 2)
    0.75
    """
    if not scorable(truth, forecast, reference):
        return np.nan
    return _share_saved(mean_loss(squared_errors(truth, forecast)), mean_loss(squared_errors(truth, reference)))


def r2_against_mean(truth: Float[np.ndarray, " forecast"], forecast: Float[np.ndarray, " forecast"]) -> float:
    """R2 = 1 - sum (y - y^)^2 / sum (y - mean y)^2, the R2 of textbooks.

    Its reference, the mean of the very block that is judged, was known to nobody in time, and on a series that
    wanders, as prices do, anything near the last value scores close to 1.
    """
    if not scorable(truth, forecast):
        return np.nan
    return _share_saved(mean_loss(squared_errors(truth, forecast)), float(np.var(truth)))


class Hits(NamedTuple):
    """How often the direction was right, of the forecasts that count."""

    right: int
    counted: int

    @property
    def rate(self) -> float:
        """Share of right directions; NaN where none counts."""
        return self.right / self.counted if self.counted else np.nan


def hits(
    truth: Float[np.ndarray, " forecast"],
    forecast: Float[np.ndarray, " forecast"],
    reference: float | Float[np.ndarray, " forecast"] = 0.0,
) -> Hits:
    """How often the forecast was on the same side of the reference as the truth: with zero, the same sign.

    A truth equal to the reference moved in no direction, and a forecast equal to it names none: neither counts. So
    the zero forecast has no hit rate, and the rate of *always up* is the share of rises among all moves. For
    levels, let the last level be the reference.

    >>> hits(np.array([1.0, -1.0, 2.0, 0.0, 1.0, -1.0, 2.0, -2.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0, -1.0, 1.0, 1.0]))
    Hits(right=4, counted=6)
    """
    if not scorable(truth, forecast, reference):
        return Hits(0, 0)
    truth_signs, forecast_signs = np.sign(truth - reference), np.sign(forecast - reference)
    counts = (truth_signs != 0) & (forecast_signs != 0)
    return Hits(int((counts & (truth_signs == forecast_signs)).sum()), int(counts.sum()))


def _share_saved(loss: float, reference_loss: float) -> float:
    return 1 - loss / reference_loss if reference_loss > 0 else np.nan
