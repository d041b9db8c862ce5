"""Simple forecasts of the size of the next return: a constant, EWMA, GARCH(1,1), HAR and log-HAR.

They are forecasts of the standard deviation about zero; a day's mean return is too small beside it to matter. Each is
fitted on the training and validation answers of a fold, and carried through its test block one answer at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.models.baselines.baseline import Baseline
from goldviz.models.baselines.mean_baselines import ForecastAnswers, ForecastParts, known_answers, past_of
from goldviz.models.style import NetworkStyle

if TYPE_CHECKING:
    from jaxtyping import Float, Int

EWMA_DECAY = 0.94
"""RiskMetrics' lambda for daily returns (J. P. Morgan 1996)."""

HAR_SPANS = (1, 5, 22)
"""A day, a week and a month of trading days (Corsi 2009)."""
LEAST_HAR_ANSWERS = 50
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
    train = answers.values[first:end]
    fit = _garch_fit(train)
    if isinstance(fit, str):
        return ScaleForecast(constant_scale(answers, fold).scale, f"{fit} The constant variance stands in for it.")
    last = fit.omega + fit.alpha * train[-1] ** 2 + fit.beta * fit.last_variance
    variances = _carried(np.square(answers.values[end:]), last, fit.omega, fit.alpha, fit.beta)
    later = variances[known_answers(answers)[fold.test] - end]
    return ScaleForecast(_standard_deviation(later, _mean_square(answers, fold)))


def har_scale(answers: ForecastAnswers, fold: ForecastParts) -> ScaleForecast:
    """Forecast by s2_k = b_0 + b_d v_d + b_w v_w + b_m v_m (Corsi 2009): see :func:`_har`.

    A line knows no sign: no forecast is below the calmest month before what was learnt from.
    """

    def fitted(train: HarRows, later: Float[np.ndarray, "test spans"]) -> Float[np.ndarray, " test"]:
        weights = _least_squares(train.means, train.squares)
        return np.asarray(np.maximum(_with_ones(later) @ weights, train.means[:, -1].min()))

    return _har("HAR", answers, fold, fitted)


def log_har_scale(answers: ForecastAnswers, fold: ForecastParts) -> ScaleForecast:
    """Forecast by ln s2_k = b_0 + b_d ln v_d + b_w ln v_w + b_m ln v_m: see :func:`_har`.

    The exponential of a mean logarithm is too small: forecasts are multiplied by the mean of the exponentials of what
    the line missed (Duan's smearing, 1983). Squares count as no less than :data:`SMALLEST_SHARE` squared of the mean.
    """

    def log(squares: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        return np.asarray(np.log(np.maximum(squares, SMALLEST_SHARE**2)))

    def fitted(train: HarRows, later: Float[np.ndarray, "test spans"]) -> Float[np.ndarray, " test"]:
        weights = _least_squares(log(train.means), log(train.squares))
        residuals = log(train.squares) - _with_ones(log(train.means)) @ weights
        return np.asarray(np.exp(_with_ones(log(later)) @ weights) * np.exp(residuals).mean())

    return _har("Log-HAR", answers, fold, fitted)


VOLATILITY_FORECASTS = {
    "constant": Baseline(
        "constant variance", NetworkStyle("constant", "#8c7f76", "dot", "line-ns-open"), constant_scale
    ),
    "ewma": Baseline("EWMA", NetworkStyle("EWMA", "#b8741a", "dash", "hourglass"), exponentially_weighted_scale),
    "garch": Baseline("GARCH", NetworkStyle("GARCH", "#c2477f", "longdash", "bowtie"), garch_scale),
    "har": Baseline("HAR", NetworkStyle("HAR", "#3f8a6b", "dashdot", "y-up-open"), har_scale),
    "log_har": Baseline("log-HAR", NetworkStyle("log-HAR", "#5f7fb8", "longdashdot", "y-down-open"), log_har_scale),
}
"""By name; a new one is an entry, which figures and tables read, too.

Each takes the answers, which are returns (or changes), and a fold.
"""


@dataclass(frozen=True)
class HarRows:
    """What a line is fitted on, in units of the mean square: squared answers, and the means of those before each."""

    squares: Float[np.ndarray, " learnt"]
    means: Float[np.ndarray, "learnt spans"]


def _har(
    name: str,
    answers: ForecastAnswers,
    fold: ForecastParts,
    variance_of: Callable[[HarRows, Float[np.ndarray, "test spans"]], Float[np.ndarray, " test"]],
) -> ScaleForecast:
    """A line by least squares from the means of the last day, week and month of squared answers to the next one.

    v_d, v_w and v_m are means of the last 1, 5 and 22 answers that are known when the forecast is made. The line is
    fitted on training and validation; the test block keeps it. Where there is too little to fit it on the constant
    stands in, and the note says why.
    """
    constant, mean_square = constant_scale(answers, fold), _mean_square(answers, fold)
    means = _means_before(np.square(answers.values), known_answers(answers))
    past = past_of(fold)
    past = past[np.isfinite(means[past]).all(axis=1)]
    if len(past) < LEAST_HAR_ANSWERS or mean_square == 0:
        reason = (
            "cannot be fitted to answers that never move."
            if mean_square == 0
            else f"needs {LEAST_HAR_ANSWERS} answers with a month before them and got {len(past)}."
        )
        return ScaleForecast(constant.scale, f"{name} {reason} The constant variance stands in for it.")
    train = HarRows(np.square(answers.values[past]) / mean_square, means[past] / mean_square)
    later = means[fold.test]
    variance = np.where(np.isfinite(later).all(axis=1), variance_of(train, np.nan_to_num(later) / mean_square), 1.0)
    return ScaleForecast(_standard_deviation(variance * mean_square, mean_square))


def _means_before(squares: Float[np.ndarray, " n"], counts: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n spans"]:
    """Means of the last day, week and month of the first ``counts`` squares; NaN where there are fewer."""
    columns = []
    for span in HAR_SPANS:
        ends = np.full(len(squares) + 1, np.nan)
        if len(squares) >= span:
            ends[span:] = np.lib.stride_tricks.sliding_window_view(squares, span).mean(axis=1)
        columns.append(ends[counts])
    return np.stack(columns, axis=1)


def _with_ones(columns: Float[np.ndarray, "rows columns"]) -> Float[np.ndarray, "rows more"]:
    return np.column_stack([np.ones(len(columns)), columns])


def _least_squares(
    columns: Float[np.ndarray, "rows columns"], answers: Float[np.ndarray, " rows"]
) -> Float[np.ndarray, " more"]:
    """The constant, and a weight for each column."""
    return np.asarray(np.linalg.lstsq(_with_ones(columns), answers, rcond=None)[0])


@dataclass(frozen=True)
class GarchFit:
    """GARCH(1,1)'s parameters, and its variance for the last answer that it was fitted on."""

    omega: float
    alpha: float
    beta: float
    last_variance: float


def _garch_fit(train: Float[np.ndarray, " past"]) -> GarchFit | str:
    """The fit, or a sentence why there is none."""
    if len(train) < LEAST_GARCH_ANSWERS:
        return f"GARCH(1,1) needs {LEAST_GARCH_ANSWERS} answers to be fitted on and got {len(train)}."
    unit = float(np.sqrt(np.square(train).mean()))
    if np.ptp(train) <= LEAST_RANGE * unit:
        return "GARCH(1,1) cannot be fitted to answers that are all the same."
    from arch import arch_model  # Importing it takes longer than fitting.
    from threadpoolctl import threadpool_limits

    # In units of their own size, because the optimiser stops too early among numbers like 1e-6. Rounded, because on a
    # flat likelihood it ends elsewhere, or nowhere, for a last digit, in which prices in cents and dollars differ.
    of_size_one = np.round(train / unit, FITTED_DECIMALS)
    model = arch_model(of_size_one, mean="Zero", vol="GARCH", p=1, q=1, rescale=False)
    # Fitting sets a warning filter for the whole process, which ends here. The optimiser's last digits depend on how
    # many threads add its sums up: one, so that a fit is the same everywhere.
    with warnings.catch_warnings(), threadpool_limits(1):
        result = model.fit(disp="off", show_warning=False)
    omega, alpha, beta = (float(parameter) for parameter in result.params)
    last = float(result.conditional_volatility[-1]) ** 2
    if result.convergence_flag != 0 or not np.isfinite([omega, alpha, beta, last]).all():
        return f"GARCH(1,1) found no parameters for the {len(train)} answers before this block."
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
