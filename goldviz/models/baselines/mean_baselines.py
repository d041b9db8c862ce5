"""Simple forecasts of the next value, which a network has to beat before anything may be said of its skill.

Every one is fitted on the training and validation answers of a fold and forecasts its test block, one step at a time.
Only ridge regression has something to choose; it does so on the validation answers. A forecast made at a row rests on
what stood in the panel up to that row, and on the answers known by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from goldviz.models.baselines.baseline import Baseline
from goldviz.models.style import NetworkStyle

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int

    Panel = Float[np.ndarray, "rows channels"]
    PerAnswer = Float[np.ndarray, " n"]
    PerTest = Float[np.ndarray, " test"]

RIDGE_LAGS = 3
RIDGE_PENALTIES = (1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
"""For some thousand rows of standardised values, from almost least squares to almost the mean."""

LEAST_SPREAD = 1e-9
"""A column whose standard deviation is below this share of its mean is constant but for rounding."""


class ForecastAnswers(Protocol):
    """The forecasting problem: what came after each forecast (``goldviz.data.markets.alignment.NextValues``)."""

    @property
    def rows(self) -> Int[np.ndarray, " n"]:
        """The row of each forecast, ascending."""

    @property
    def known(self) -> Int[np.ndarray, " n"]:
        """The row at which its answer becomes known, ascending."""

    @property
    def values(self) -> Float[np.ndarray, " n"]:
        """The answers."""


class ForecastParts(Protocol):
    """Positions into the answers, ascending, each part after the one before (``Fold``)."""

    @property
    def train(self) -> Int[np.ndarray, " train"]:
        """What is learnt from."""

    @property
    def validation(self) -> Int[np.ndarray, " validation"]:
        """What choices are made on."""

    @property
    def test(self) -> Int[np.ndarray, " test"]:
        """What is forecast."""


def known_answers(answers: ForecastAnswers) -> Int[np.ndarray, " n"]:
    """How many answers, from the first on, are known when each forecast is made."""
    return np.asarray(np.searchsorted(answers.known, answers.rows, side="right"))


def past_of(fold: ForecastParts) -> Int[np.ndarray, " past"]:
    """The positions from which a baseline may learn: training and validation."""
    return np.asarray(np.concatenate([fold.train, fold.validation]))


def no_change(values: Panel, answers: ForecastAnswers, fold: ForecastParts, persistence: PerAnswer) -> PerTest:
    """Forecast that nothing changes: a return of zero, or the last price."""
    return np.asarray(persistence[fold.test])


def expanding_mean(values: Panel, answers: ForecastAnswers, fold: ForecastParts, persistence: PerAnswer) -> PerTest:
    """Forecast the mean of all answers known so far; it goes on growing inside the test block."""
    count = known_answers(answers)[fold.test]
    sums = np.concatenate([[0.0], np.cumsum(answers.values)])
    return np.asarray(np.where(count > 0, sums[count] / np.maximum(count, 1), persistence[fold.test]))


def first_order_autoregression(
    values: Panel, answers: ForecastAnswers, fold: ForecastParts, persistence: PerAnswer
) -> PerTest:
    """Forecast y_k = a + b y_(k-1), with least squares' b = cov(y_k, y_(k-1)) / var(y_(k-1)) and a from the means.

    y_(k-1) is the last answer known. Where all of them are equal b is 0, and before the first one the mean is said.
    """
    previous = _last_known(answers.values, known_answers(answers), 1)
    pairs = past_of(fold)
    pairs = pairs[np.isfinite(previous[pairs])]
    if len(pairs) == 0:
        return no_change(values, answers, fold, persistence)
    x, y = previous[pairs], answers.values[pairs]
    deviation = x - x.mean()
    slope = deviation @ y / (deviation @ deviation) if _varies(x) else 0.0
    distance = np.nan_to_num(previous[fold.test] - x.mean(), nan=0.0)
    return np.asarray(y.mean() + slope * distance)


def ridge_on_lags(values: Panel, answers: ForecastAnswers, fold: ForecastParts, persistence: PerAnswer) -> PerTest:
    """Forecast the change by ridge regression (Hoerl and Kennard 1970) on the last three values of every channel.

    A covariate's value at a forecast is the mean of what became known since the forecast before, NaN if nothing did;
    the target's own are the last answers known. All are standardised with the moments of the rows that are learnt
    from, then NaN becomes 0. The penalty is the one of ``RIDGE_PENALTIES`` that, fitted on training, has the least
    squared error on validation; then training and validation together are fitted with it.
    """
    change = answers.values - persistence
    features = _lagged(values, answers, change)
    best = RIDGE_PENALTIES[-1]
    if len(fold.validation):
        forecasts = _ridge(features, change, fold.train, fold.validation, RIDGE_PENALTIES)
        errors = np.square(change[fold.validation] - forecasts).mean(1)
        # Of equally good penalties the largest, which says least.
        best = max(zip(-errors, RIDGE_PENALTIES, strict=True))[1]
    (forecast,) = _ridge(features, change, past_of(fold), fold.test, (best,))
    return np.asarray(persistence[fold.test] + forecast)


MEAN_FORECASTS = {
    "zero": Baseline("zero", NetworkStyle("zero", "#76808c", "dot", "line-ew-open"), no_change),
    "mean": Baseline("mean so far", NetworkStyle("mean", "#9a8057", "dot", "triangle-left"), expanding_mean),
    "ar1": Baseline("AR(1)", NetworkStyle("AR(1)", "#d0574e", "dash", "triangle-right"), first_order_autoregression),
    "ridge": Baseline("ridge", NetworkStyle("ridge", "#a06cb8", "longdash", "hexagon"), ridge_on_lags),
}
"""By name; a new one is an entry, which figures and tables read, too.

Each takes (values, answers, fold, unchanged) and returns the forecasts of the fold's test block. ``values`` (rows,
channels) are the panel's, the target first. ``persistence`` (n,) is the answer if nothing changes: zeros where returns
are forecast, the prices at the forecasts where levels are.
"""


def _last_known(series: Float[np.ndarray, " n"], count: Int[np.ndarray, " n"], lag: int) -> Float[np.ndarray, " n"]:
    """The ``lag``-th last of the first ``count`` entries, NaN where there are fewer."""
    return np.where(count >= lag, series[np.maximum(count - lag, 0)], np.nan)


def _varies(x: Float[np.ndarray, " n"]) -> bool:
    return bool(x.std() > LEAST_SPREAD * np.abs(x).max())


def _lagged(values: Panel, answers: ForecastAnswers, change: PerAnswer) -> Float[np.ndarray, "n features"]:
    arrivals = _arrived(values[:, 1:], answers.rows)
    count, missing = known_answers(answers), np.full_like(arrivals, np.nan)
    columns = []
    for lag in range(RIDGE_LAGS):
        columns.append(_last_known(change, count, lag + 1)[:, None])
        columns.append(np.concatenate([missing[:lag], arrivals[: len(arrivals) - lag]]))
    return np.concatenate(columns, axis=1)


def _arrived(
    covariates: Float[np.ndarray, "rows covariates"], rows: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n covariates"]:
    """For each forecast the mean of the observations in the rows after the forecast before, up to its own."""
    finite = np.isfinite(covariates[: rows[-1] + 1])
    starts = np.concatenate([[0], rows[:-1] + 1])
    sums = np.add.reduceat(np.where(finite, covariates[: rows[-1] + 1], 0.0), starts)
    counts = np.add.reduceat(finite.astype(float), starts)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _ridge(
    features: Float[np.ndarray, "n features"],
    change: Float[np.ndarray, " n"],
    train: Int[np.ndarray, " learnt"],
    test: Int[np.ndarray, " test"],
    penalties: Sequence[float],
) -> Float[np.ndarray, "penalty test"]:
    from sklearn.linear_model import Ridge  # Importing it takes longer than fitting.

    mean, sd = _moments(features[train])

    def standardised(positions: Int[np.ndarray, " some"]) -> Float[np.ndarray, "some features"]:
        return np.asarray(np.nan_to_num((features[positions] - mean) / sd, nan=0.0))

    x, z = standardised(train), standardised(test)
    return np.array([Ridge(alpha=one).fit(x, change[train]).predict(z) for one in penalties])


def _moments(
    features: Float[np.ndarray, "learnt features"],
) -> tuple[Float[np.ndarray, " features"], Float[np.ndarray, " features"]]:
    """Mean and standard deviation of what was observed; infinite where that does not vary, so it counts for nothing."""
    finite: Bool[np.ndarray, "learnt features"] = np.isfinite(features)
    count = np.maximum(finite.sum(0), 1)
    mean = np.where(finite, features, 0).sum(0) / count
    sd = np.sqrt(np.where(finite, np.square(features - mean), 0).sum(0) / count)
    return mean, np.where(sd > LEAST_SPREAD * np.abs(mean), sd, np.inf)
