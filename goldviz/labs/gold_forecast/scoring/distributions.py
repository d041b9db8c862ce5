"""How well a forecast distribution, or its width alone, fits what came: one loss for each forecast."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Bool, Float
from scipy import special

from goldviz.diagnostics.forecasts.scores import mean_loss, scorable

PerForecast: TypeAlias = Float[np.ndarray, " forecast"]


def qlike_losses(truth: PerForecast, scale: PerForecast) -> PerForecast:
    """QLIKE of a variance forecast, log s^2 + r^2 / s^2 (Patton 2011), lowest in the mean for the true variance.

    ``truth`` is the return r, whose mean counts as zero, and ``scale`` its forecast standard deviation s. Up to a
    constant this is twice the negative log likelihood of a Gaussian. In the mean it ranks forecasts by r^2, noisy as
    that is, as it would by the true variance; a loss in s instead of s^2 would not. NaN where s is not above zero.
    A return of zero costs log s^2, so this form needs no floor under r^2, as r^2 / s^2 - log(r^2 / s^2) - 1 would; what
    has a floor are the forecasts, see :data:`goldviz.models.baselines.volatility_baselines.SMALLEST_SHARE`.
    """
    z, positive = _standardised(truth, 0.0, scale)
    with np.errstate(over="ignore"):
        losses: np.ndarray = 2 * np.log(positive) + np.square(z)
    return losses


def qlike(truth: PerForecast, scale: PerForecast) -> float:
    """Mean QLIKE; its zero means nothing, differences do. NaN where there is nothing to score."""
    return mean_loss(qlike_losses(truth, scale)) if scorable(truth, scale) else np.nan


def crps_gaussian(truth: PerForecast, mean: float | PerForecast, scale: PerForecast) -> PerForecast:
    """Continuous ranked probability score of N(mean, scale^2), in the truth's unit; lower is better.

    scale [z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi)], z = (y - mean) / scale (Gneiting and Raftery 2007,
    section 4.2). The CRPS of a forecast without any spread is its absolute error. NaN where ``scale`` is not positive.
    """
    z, positive = _standardised(truth, mean, scale)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        density = np.exp(-np.square(z) / 2) / math.sqrt(2 * math.pi)
        score: np.ndarray = positive * (z * (2 * special.ndtr(z) - 1) + 2 * density - 1 / math.sqrt(math.pi))
    return score


def crps_student(
    truth: PerForecast,
    mean: float | PerForecast,
    scale: PerForecast,
    freedom: float | PerForecast,
) -> PerForecast:
    """CRPS of mean + scale t, t being Student's with ``freedom`` nu > 1 (Jordan, Krueger and Lerch 2019, appendix A).

    scale [z (2 F(z) - 1) + 2 f(z) (nu + z^2) / (nu - 1) - 2 sqrt(nu) / (nu - 1) B(1/2, nu - 1/2) / B(1/2, nu/2)^2].
    ``scale`` is not the standard deviation, which is scale sqrt(nu / (nu - 2)). NaN where ``scale`` is not positive
    or ``freedom`` not above 1.
    """
    z, positive = _standardised(truth, mean, scale)
    nu = np.where(np.greater(freedom, 1), freedom, np.nan)
    log_beta = special.betaln(0.5, nu / 2)
    spread = 2 * np.sqrt(nu) / (nu - 1) * np.exp(special.betaln(0.5, nu - 0.5) - 2 * log_beta)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        density = np.exp(-log_beta - np.log(nu) / 2 - (nu + 1) / 2 * np.log1p(np.square(z) / nu))
        middle_part = z * (2 * special.stdtr(nu, z) - 1)
        score: np.ndarray = positive * (middle_part + 2 * density * (nu + np.square(z)) / (nu - 1) - spread)
    return score


def pit_gaussian(truth: PerForecast, mean: float | PerForecast, scale: PerForecast) -> PerForecast:
    """Phi((y - mean) / scale): the forecast probability of at most what came, uniform if forecasts are right."""
    z, _ = _standardised(truth, mean, scale)
    return np.asarray(special.ndtr(z))


def pit_student(
    truth: PerForecast,
    mean: float | PerForecast,
    scale: PerForecast,
    freedom: float | PerForecast,
) -> PerForecast:
    """The same for mean + scale t with ``freedom`` degrees of freedom."""
    z, _ = _standardised(truth, mean, scale)
    return np.asarray(special.stdtr(freedom, z))


def inside(truth: PerForecast, low: PerForecast, high: PerForecast) -> Bool[np.ndarray, " forecast"]:
    """Whether what came lay in the forecast interval, ends included."""
    return (low <= truth) & (truth <= high)


def inside_gaussian(
    truth: PerForecast,
    mean: float | PerForecast,
    scale: PerForecast,
    share: float,
) -> Bool[np.ndarray, " forecast"]:
    """Whether what came lay in the middle ``share`` of N(mean, scale^2)."""
    half = float(special.ndtri((1 + share) / 2)) * scale
    return inside(truth, mean - half, mean + half)


def _standardised(truth: PerForecast, mean: float | PerForecast, scale: PerForecast) -> tuple[PerForecast, PerForecast]:
    """(y - mean) / scale and the scale, both NaN where the scale is not positive."""
    positive = np.where(np.greater(scale, 0), scale, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        return (truth - mean) / positive, positive


def pit_from_quantiles(
    truth: Float[np.ndarray, " forecast"],
    quantiles: Float[np.ndarray, "forecast level"],
    levels: Float[np.ndarray, " level"],
) -> Float[np.ndarray, " forecast"]:
    """F(y), the forecast probability of at most what came (probability integral transform, Dawid 1984).

    Between two quantiles the probability is spread evenly. Beyond the outermost ones it falls off exponentially, at
    first with the density of the neighbouring stretch:

        F(x) = tau_1 exp(-(q_1 - x) / s),  s = tau_1 (q_2 - q_1) / (tau_2 - tau_1),  for x < q_1,

    and likewise above. So every value has a probability between 0 and 1, and scores are those of one distribution.
    ``quantiles`` do not decrease along ``levels``, which lie between 0 and 1; NaN where one of them is not finite.
    Where several quantiles coincide with the truth, the highest of their levels is taken.

    >>> levels = np.array([0.25, 0.5, 0.75])
    >>> pit_from_quantiles(np.array([-1.0, 0.0, 0.5, 2.0]), np.tile([-1.0, 0.0, 1.0], (4, 1)), levels).round(3)
    array([0.25 , 0.5  , 0.625, 0.908])
    """
    quantiles = _known(truth, quantiles)
    rank = (truth[:, None] >= quantiles).sum(axis=1)
    stretch = np.clip(rank - 1, 0, len(levels) - 2)
    low, high = (np.take_along_axis(quantiles, stretch[:, None] + end, axis=1)[:, 0] for end in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = levels[stretch] + (levels[stretch + 1] - levels[stretch]) * (truth - low) / (high - low)
    below, above = _tails(truth, quantiles, levels)
    probability = np.where(rank == 0, below.remaining, np.where(rank == len(levels), 1 - above.remaining, between))
    return np.where(np.isnan(quantiles[:, 0]), np.nan, probability)


def crps_from_quantiles(
    truth: Float[np.ndarray, " forecast"],
    quantiles: Float[np.ndarray, "forecast level"],
    levels: Float[np.ndarray, " level"],
) -> Float[np.ndarray, " forecast"]:
    """CRPS of this distribution, integral of (F(x) - 1{x >= y})^2 dx, in closed form; in the truth's unit.

    Twice the pinball loss, averaged over all levels between 0 and 1, is the same number (Laio and Tamea 2007).
    Averaged over nine uneven levels it is not: of the right Gaussian it gives 0.38 instead of 0.56 standard
    deviations. The distribution through those nine quantiles gives 0.5643 where the Gaussian itself gives 0.5642.
    """
    quantiles = _known(truth, quantiles)
    probability = pit_from_quantiles(truth, quantiles, levels)[:, None]
    y, low, high = truth[:, None], quantiles[:, :-1], quantiles[:, 1:]
    # The truth cuts one stretch in two; of every other stretch one part is empty.
    cut = np.clip(y, low, high)
    at_cut = np.clip(probability, levels[:-1], levels[1:])
    left = (cut - low) * _line_mean_square(levels[:-1], at_cut)
    right = (high - cut) * _line_mean_square(1 - at_cut, 1 - levels[1:])
    below, above = _tails(truth, quantiles, levels)
    total: np.ndarray = (left + right).sum(axis=1) + below.squares + above.squares
    return total


def _known(
    truth: Float[np.ndarray, " forecast"], quantiles: Float[np.ndarray, "forecast level"]
) -> Float[np.ndarray, "forecast level"]:
    """The quantiles, all of them NaN in a row where one, or the truth, is not finite."""
    finite = np.isfinite(truth) & np.isfinite(quantiles).all(axis=1)
    return np.where(finite[:, None], quantiles, np.nan)


class _Tail(NamedTuple):
    """Of one tail: the probability farther out than the truth, and the tail's part of the CRPS."""

    remaining: Float[np.ndarray, " forecast"]
    squares: Float[np.ndarray, " forecast"]


def _tails(
    truth: Float[np.ndarray, " forecast"],
    quantiles: Float[np.ndarray, "forecast level"],
    levels: Float[np.ndarray, " level"],
) -> tuple[_Tail, _Tail]:
    """The lower and the upper tail."""
    first, last = levels[0], 1 - levels[-1]
    lower = first * (quantiles[:, 1] - quantiles[:, 0]) / (levels[1] - levels[0])
    upper = last * (quantiles[:, -1] - quantiles[:, -2]) / (levels[-1] - levels[-2])
    return _tail(quantiles[:, 0] - truth, first, lower), _tail(truth - quantiles[:, -1], last, upper)


def _tail(distance: Float[np.ndarray, " forecast"], mass: float, scale: Float[np.ndarray, " forecast"]) -> _Tail:
    """An exponential tail of this mass and scale; the truth lies ``distance`` beyond its quantile, if positive."""
    beyond = np.maximum(distance, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mass_between = -mass * np.expm1(-np.where(beyond > 0, beyond / scale, 0.0))
    return _Tail(mass - mass_between, scale * mass**2 / 2 + beyond - 2 * scale * mass_between)


def _line_mean_square(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The mean of the square of what goes straight from ``start`` to ``end``; any shapes that broadcast."""
    mean: np.ndarray = (start**2 + start * end + end**2) / 3
    return mean
