"""Simple forecasts of the size of the next return: a constant, EWMA and GARCH(1,1).

They are forecasts of the standard deviation about zero; a day's mean return is too small beside it to matter. Each is
fitted on the training and validation answers of a fold, and carried through its test block one answer at a time.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.models.baselines.baseline import Baseline
from goldviz.models.baselines.mean_baselines import ForecastAnswers, ForecastParts, known_answers, past_of
from goldviz.models.style import NetworkStyle

if TYPE_CHECKING:
    from jaxtyping import Float

EWMA_DECAY = 0.94
"""RiskMetrics' lambda for daily returns (J. P. Morgan 1996)."""

LEAST_GARCH_ANSWERS = 100
SMALLEST_SHARE = 1e-2
"""Of the root mean square of what was learnt from, the narrowest forecast, as of a network's heads.

EWMA halves its variance in eleven days without a move. QLIKE divides by it (Patton 2011), so one move after two years
of them would else cost more than all other days together.
"""
SMALLEST_SCALE = 1e-8
"""Returned for a series that never moved and has no size of its own, so that its logarithm exists."""
LEAST_RANGE = 1e-9
"""Answers that differ by less than this share of their size are all the same but for rounding."""
FITTED_DECIMALS = 5
"""Of answers in units of their size, that GARCH is fitted on: fewer than rounding reaches, more than quotes have."""


@dataclass(frozen=True)
class ScaleForecast:
    """Forecast standard deviations of the test block, (test,), and a sentence where another model had to stand in."""

    scale: Float[np.ndarray, " test"]
    note: str = ""


def constant_scale(answers: ForecastAnswers, fold: ForecastParts) -> ScaleForecast:
    """Forecast the root mean square of the answers that were learnt from."""
    square = _mean_square(answers, fold)
    return ScaleForecast(_standard_deviation(np.full(len(fold.test), square), square))


def exponentially_weighted_scale(answers: ForecastAnswers, fold: ForecastParts) -> ScaleForecast:
    """Forecast by s2_(k+1) = 0.94 s2_k + 0.06 y_k^2 over all answers known so far (RiskMetrics 1996).

    It starts with the mean square of what was learnt from, which is forgotten after some months.
    """
    square = _mean_square(answers, fold)
    variances = _carried(np.square(answers.values), square, 0.0, 1 - EWMA_DECAY, EWMA_DECAY)
    return ScaleForecast(_standard_deviation(variances[known_answers(answers)[fold.test]], square))


def garch_scale(answers: ForecastAnswers, fold: ForecastParts) -> ScaleForecast:
    """Forecast by s2_(k+1) = omega + alpha y_k^2 + beta s2_k (Bollerslev 1986).

    The parameters maximise the Gaussian likelihood of all answers from the first training one to the last that was
    learnt from (with those of the embargo between, since a recursion has no gaps); the test block keeps them.
    Where they cannot be found the constant stands in, and the note says why.
    """
    past = past_of(fold)
    first, end = int(past[0]), int(past[-1]) + 1
    learnt = answers.values[first:end]
    fit = _garch_fit(learnt)
    if isinstance(fit, str):
        return ScaleForecast(constant_scale(answers, fold).scale, f"{fit} The constant variance stands in for it.")
    last = fit.omega + fit.alpha * learnt[-1] ** 2 + fit.beta * fit.last_variance
    variances = _carried(np.square(answers.values[end:]), last, fit.omega, fit.alpha, fit.beta)
    later = variances[known_answers(answers)[fold.test] - end]
    return ScaleForecast(_standard_deviation(later, _mean_square(answers, fold)))


VOLATILITY_FORECASTS = {
    "constant": Baseline(
        "constant variance", NetworkStyle("constant", "#8c7f76", "dot", "line-ns-open"), constant_scale
    ),
    "ewma": Baseline("EWMA", NetworkStyle("EWMA", "#b8741a", "dash", "hourglass"), exponentially_weighted_scale),
    "garch": Baseline("GARCH", NetworkStyle("GARCH", "#c2477f", "longdash", "bowtie"), garch_scale),
}
"""By name; a new one is an entry, which figures and tables read, too.

Each takes the answers, which are returns (or changes), and a fold.
"""


@dataclass(frozen=True)
class GarchFit:
    """GARCH(1,1)'s parameters, and its variance for the last answer that it was fitted on."""

    omega: float
    alpha: float
    beta: float
    last_variance: float


def _garch_fit(learnt: Float[np.ndarray, " past"]) -> GarchFit | str:
    """The fit, or a sentence why there is none."""
    if len(learnt) < LEAST_GARCH_ANSWERS:
        return f"GARCH(1,1) needs {LEAST_GARCH_ANSWERS} answers to be fitted on and got {len(learnt)}."
    unit = float(np.sqrt(np.square(learnt).mean()))
    if np.ptp(learnt) <= LEAST_RANGE * unit:
        return "GARCH(1,1) cannot be fitted to answers that are all the same."
    from arch import arch_model  # Importing it takes longer than fitting.
    from threadpoolctl import threadpool_limits

    # In units of their own size, because the optimiser stops too early among numbers like 1e-6. Rounded, because on a
    # flat likelihood it ends elsewhere, or nowhere, for a last digit, in which prices in cents and dollars differ.
    of_size_one = np.round(learnt / unit, FITTED_DECIMALS)
    model = arch_model(of_size_one, mean="Zero", vol="GARCH", p=1, q=1, rescale=False)
    # Fitting sets a warning filter for the whole process, which ends here. The optimiser's last digits depend on how
    # many threads add its sums up: one, so that a fit is the same everywhere.
    with warnings.catch_warnings(), threadpool_limits(1):
        result = model.fit(disp="off", show_warning=False)
    omega, alpha, beta = (float(parameter) for parameter in result.params)
    last = float(result.conditional_volatility[-1]) ** 2
    if result.convergence_flag != 0 or not np.isfinite([omega, alpha, beta, last]).all():
        return f"GARCH(1,1) found no parameters for the {len(learnt)} answers before this block."
    return GarchFit(omega * unit**2, alpha, beta, last * unit**2)


def _carried(
    squares: Float[np.ndarray, " n"], start: float, omega: float, alpha: float, beta: float
) -> Float[np.ndarray, " n+1"]:
    """v_0 = start and v_(k+1) = omega + alpha squares_k + beta v_k: entry k rests on the first k squares."""
    variances, variance = np.empty(len(squares) + 1), start
    variances[0] = start
    for index, square in enumerate(squares.tolist()):
        variances[index + 1] = variance = omega + alpha * square + beta * variance
    return variances


def _mean_square(answers: ForecastAnswers, fold: ForecastParts) -> float:
    return float(np.square(answers.values[past_of(fold)]).mean())


def _standard_deviation(variance: Float[np.ndarray, " test"], mean_square: float) -> Float[np.ndarray, " test"]:
    """The root, no smaller than a share of that of ``mean_square``, which is what was learnt from."""
    least = SMALLEST_SHARE * np.sqrt(mean_square) if mean_square > 0 else SMALLEST_SCALE
    return np.asarray(np.maximum(np.sqrt(variance), least))
