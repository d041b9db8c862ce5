"""Whether one forecast is better than another by more than chance.

Every test here takes the losses of two forecasts of the same truths. Positive statistics speak for the forecast that is
tested, negative ones for its reference. Where a test has nothing to go on, statistic and p are NaN.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import special

from goldviz.diagnostics.forecasts.scores import LEAST_FORECASTS

ROUNDING = 1e-14
"""Losses whose differences vary by less than this share of their size differ by rounding alone."""


class Significance(NamedTuple):
    """A statistic, and how often chance alone would bring one as far from zero."""

    statistic: float
    p_value: float


NOTHING_TO_TEST = Significance(np.nan, np.nan)


def diebold_mariano(
    losses: Float[np.ndarray, " forecast"], reference_losses: Float[np.ndarray, " forecast"], horizon: int = 1
) -> Significance:
    """Test of equal expected loss (Diebold and Mariano 1995), corrected for small samples.

    With d = reference losses - losses, the statistic is mean d / sqrt(V / n), where V sums the autocovariances of d
    at lags -(h-1) ... h-1: errors of forecasts h steps ahead overlap up to lag h - 1. It is multiplied by
    sqrt((n + 1 - 2 h + h (h - 1) / n) / n) and compared with Student's t on n - 1 degrees of freedom, both sides
    (Harvey, Leybourne and Newbold 1997). With h = 1 it is the t-test of mean d = 0.

    NaN for fewer than 8 forecasts, for losses that are the same and where V, which may be negative for h > 1, is not
    positive. Raises ``ValueError`` for a horizon below 1.

    >>> tested = diebold_mariano(np.array([1.0, 2, 1, 2, 1, 2, 1, 2]), np.array([2.0, 2, 2, 2, 2, 2, 1, 1]))
    >>> f"{tested.statistic:.4f} {tested.p_value:.4f}"
    '1.0000 0.3506'
    """
    if horizon < 1:
        raise ValueError(f"The horizon is {horizon}; allowed is a whole number from 1.")
    count = len(losses)
    if count < max(LEAST_FORECASTS, horizon + 1):
        return NOTHING_TO_TEST
    with np.errstate(over="ignore", invalid="ignore"):
        differences = reference_losses - losses
        mean = differences.mean()
        around = differences - mean
        size = np.abs(losses).max() + np.abs(reference_losses).max()
        covariances = [around[lag:] @ around[: count - lag] / count for lag in range(horizon)]
    variance = covariances[0] + 2 * sum(covariances[1:])
    if not (np.isfinite(variance) and np.abs(around).max() > ROUNDING * size and variance > 0):
        return NOTHING_TO_TEST
    correction = (count + 1 - 2 * horizon + horizon * (horizon - 1) / count) / count
    statistic = float(mean / math.sqrt(variance / count) * math.sqrt(correction))
    if not math.isfinite(statistic):
        return NOTHING_TO_TEST
    return Significance(statistic, 2 * float(special.stdtr(count - 1, -abs(statistic))))
