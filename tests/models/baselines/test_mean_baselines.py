"""The simple forecasts are what their names say, look at nothing that comes later, and find what is there to find."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.alignment import NextValues, Panel, aligned, next_values
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.markets.walk_forward import Fold, folds
from goldviz.models.baselines.mean_baselines import (
    MEAN_FORECASTS,
    RIDGE_LAGS,
    RIDGE_PENALTIES,
    _moments,
    known_answers,
)
from tests.data.markets.real_gold import real_gold
from tests.thinned import thinned

SIX_YEARS = {
    "scheme": "expanding",
    "train_years": 8,
    "test_years": 6,
    "refits": 6,
    "embargo": 5,
    "validation_share": 0.15,
}


def drawn_panel(seed: int, rows: int = 120, channels: int = 3, closed: float = 0.3, missing: float = 0.4) -> Panel:
    """A target that is not observed on every row, and covariates with gaps."""
    generator = np.random.default_rng(seed)
    price = 100 * np.exp(np.cumsum(0.01 * generator.standard_normal(rows)))
    price[generator.random(rows) < closed] = np.nan
    values = 0.01 * generator.standard_normal((rows, channels))
    values[generator.random((rows, channels)) < missing] = np.nan
    dates = pd.date_range("2020-01-01", periods=rows)
    return Panel(dates, dates.tz_localize("UTC"), tuple("abcdefgh"[:channels]), values, price)


def problem(panel: Panel, kind: str) -> tuple[NextValues, np.ndarray]:
    """The answers, and what they are if nothing changes."""
    answers = next_values(panel, kind)
    return answers, panel.price[answers.rows] if kind == "level" else np.zeros(len(answers.rows))


def one_fold(answers: NextValues) -> Fold:
    """Half to learn from, a fifth to choose on, the rest to forecast, with two answers left out between."""
    n = len(answers.rows)
    places = np.arange(n)
    return Fold(0, places[: n // 2], places[n // 2 + 2 : 7 * n // 10], places[7 * n // 10 + 2 :])


def forecast(name: str, panel: Panel, kind: str, fold: Fold | None = None) -> np.ndarray:
    answers, unchanged = problem(panel, kind)
    return MEAN_FORECASTS[name](panel.values, answers, fold or one_fold(answers), unchanged)


def r2(truth: np.ndarray, said: np.ndarray) -> float:
    return float(1 - np.square(truth - said).sum() / np.square(truth).sum())


def walk(panel: Panel, **choices) -> dict[str, float]:
    """Out-of-sample R2 against zero of every baseline, over all test blocks."""
    answers, unchanged = problem(panel, "return")
    blocks = folds(panel.dates, answers.known, answers.rows, **(SIX_YEARS | choices))
    truth = np.concatenate([answers.values[fold.test] for fold in blocks])
    return {
        name: r2(truth, np.concatenate([model(panel.values, answers, fold, unchanged) for fold in blocks]))
        for name, model in MEAN_FORECASTS.items()
    }


def test_nothing_changes_means_a_return_of_zero_or_the_last_price():
    panel = drawn_panel(0)
    answers, _ = problem(panel, "level")
    assert not forecast("zero", panel, "return").any()
    assert np.array_equal(forecast("zero", panel, "level"), panel.price[answers.rows[one_fold(answers).test]])


@given(seed=st.integers(0, 999), kind=st.sampled_from(["return", "level"]))
def test_the_mean_is_that_of_all_answers_known_at_the_forecast(seed, kind):
    panel = drawn_panel(seed)
    answers, _ = problem(panel, kind)
    slow = [
        answers.values[[known <= answers.rows[place] for known in answers.known]].mean()
        for place in one_fold(answers).test
    ]
    np.testing.assert_allclose(forecast("mean", panel, kind), slow, rtol=1e-12, atol=1e-15)


@given(seed=st.integers(0, 999), kind=st.sampled_from(["return", "level"]))
def test_the_autoregression_is_statsmodels_least_squares(seed, kind):
    panel = drawn_panel(seed)
    answers, _ = problem(panel, kind)
    fold = one_fold(answers)
    learnt = np.concatenate([fold.train, fold.validation])[1:]  # before the first answer none was known
    fit = sm.OLS(answers.values[learnt], sm.add_constant(answers.values[learnt - 1])).fit()
    expected = fit.params[0] + fit.params[1] * answers.values[fold.test - 1]
    np.testing.assert_allclose(forecast("ar1", panel, kind), expected, rtol=1e-8, atol=1e-12)


def test_the_autoregression_finds_the_coefficient_of_an_autoregression():
    generator = np.random.default_rng(5)
    returns = np.zeros(4000)
    for step in range(1, 4000):
        returns[step] = 0.6 * returns[step - 1] + 0.01 * generator.standard_normal()
    dates = pd.date_range("2010-01-01", periods=4000)
    panel = Panel(dates, dates, ("a",), returns[:, None], 100 * np.exp(np.cumsum(returns)))
    answers, unchanged = problem(panel, "return")
    fold = one_fold(answers)
    truth = answers.values[fold.test]
    # Population R2 is 0.6^2; with 1,200 forecasts its standard error is about 0.02.
    for name in ("ar1", "ridge"):
        said = MEAN_FORECASTS[name](panel.values, answers, fold, unchanged)
        assert r2(truth, said) == pytest.approx(0.36, abs=0.06), name


def slow_ridge(panel: Panel, kind: str) -> np.ndarray:
    """The definition, place by place and in numpy alone: (X'X + penalty I) b = X'(y - mean y)."""
    answers, unchanged = problem(panel, kind)
    fold = one_fold(answers)
    change = answers.values - unchanged
    n, covariates = len(change), panel.values.shape[1] - 1
    features = np.full((n, RIDGE_LAGS, covariates + 1), np.nan)
    for place in range(n):
        for lag in range(RIDGE_LAGS):
            if place > lag:
                features[place, lag, 0] = change[place - lag - 1]
            if place >= lag:
                before = answers.rows[place - lag - 1] if place > lag else -1
                for covariate in range(covariates):
                    arrived = panel.values[before + 1 : answers.rows[place - lag] + 1, covariate + 1]
                    if np.isfinite(arrived).any():
                        features[place, lag, covariate + 1] = arrived[np.isfinite(arrived)].mean()
    features = features.reshape(n, -1)

    def predicted(learnt: np.ndarray, asked: np.ndarray, penalty: float) -> np.ndarray:
        mean, sd = np.nanmean(features[learnt], 0), np.nanstd(features[learnt], 0)
        x, z = (np.nan_to_num((features[places] - mean) / sd) for places in (learnt, asked))
        centre = x.mean(0)
        gram = (x - centre).T @ (x - centre) + penalty * np.eye(x.shape[1])
        weights = np.linalg.solve(gram, (x - centre).T @ (change[learnt] - change[learnt].mean()))
        return change[learnt].mean() + (z - centre) @ weights

    def error(penalty: float) -> float:
        return np.square(change[fold.validation] - predicted(fold.train, fold.validation, penalty)).mean()

    best = min(RIDGE_PENALTIES, key=error)
    return unchanged[fold.test] + predicted(np.concatenate([fold.train, fold.validation]), fold.test, best)


@given(seed=st.integers(0, 999), kind=st.sampled_from(["return", "level"]))
def test_ridge_is_its_definition(seed, kind):
    panel = drawn_panel(seed)
    np.testing.assert_allclose(forecast("ridge", panel, kind), slow_ridge(panel, kind), rtol=1e-9, atol=1e-12)


@given(
    seed=st.integers(0, 999),
    kind=st.sampled_from(["return", "level"]),
    name=st.sampled_from(sorted(MEAN_FORECASTS)),
    share=st.floats(0, 1),
)
def test_what_comes_after_a_forecast_changes_nothing_in_it(seed, kind, name, share):
    panel = drawn_panel(seed)
    answers, unchanged = problem(panel, kind)
    fold = one_fold(answers)
    last = int(share * (len(fold.test) - 1))
    row = answers.rows[fold.test[last]]
    other = np.random.default_rng(seed + 1)
    values, later = panel.values.copy(), answers.known > row
    values[row + 1 :] = other.standard_normal(values[row + 1 :].shape)
    changed = replace(answers, values=np.where(later, 1e3 * other.standard_normal(len(later)), answers.values))
    then = np.where(answers.rows > row, 1e3, unchanged)
    before = MEAN_FORECASTS[name](panel.values, answers, fold, unchanged)[: last + 1]
    after = MEAN_FORECASTS[name](values, changed, fold, then)[: last + 1]
    assert np.array_equal(before, after)


@pytest.mark.parametrize("name", ["mean", "ar1", "ridge"])
def test_what_was_known_at_a_forecast_does_change_it(name):
    panel = drawn_panel(1)
    answers, unchanged = problem(panel, "return")
    fold = one_fold(answers)
    now = int(known_answers(answers)[fold.test[0]]) - 1
    values = answers.values.copy()
    values[now] += 1
    before, after = (
        MEAN_FORECASTS[name](panel.values, some, fold, unchanged) for some in (answers, replace(answers, values=values))
    )
    # The penalty may switch ridge off, so it is asked about a series that it can forecast.
    if name == "ridge":
        panel = drawn_panel(1, missing=0)
        signal = replace(answers, values=panel.values[answers.rows, 1])
        shifted = panel.values.copy()
        shifted[answers.rows[fold.test[0]], 1] += 1
        before, after = (MEAN_FORECASTS[name](some, signal, fold, unchanged) for some in (panel.values, shifted))
    assert before[0] != after[0]


@pytest.mark.parametrize("name", sorted(MEAN_FORECASTS))
@pytest.mark.parametrize("kind", ["return", "level"])
def test_poor_data_give_finite_forecasts(name, kind):
    alone = drawn_panel(2, channels=1)
    assert np.isfinite(forecast(name, alone, kind)).all()
    never = drawn_panel(2)
    never.values[:, 1] = np.nan
    never.values[:, 2] = 0.1  # constant, and not a binary fraction: its computed spread is not exactly zero
    never.values[-5:, 2] = 7.0
    assert np.abs(forecast(name, never, kind)).max() < 200
    # The computed mean of this number is not the number itself.
    flat = replace(never, price=np.where(np.isfinite(never.price), 47.7, np.nan))
    np.testing.assert_allclose(forecast(name, flat, kind), 47.7 if kind == "level" else 0.0, atol=1e-10)


def test_without_a_past_the_forecast_is_that_nothing_changes():
    answers = NextValues(np.array([0, 1]), np.array([1, 2]), np.array([3.0, 4.0]), np.ones(2))
    nobody = np.array([], dtype=int)
    fold = Fold(0, nobody, nobody, np.array([0]))
    for name in ("zero", "mean", "ar1"):
        assert MEAN_FORECASTS[name](np.zeros((3, 1)), answers, fold, np.array([9.0, 8.0])).tolist() == [9.0]


@pytest.mark.parametrize("seed", thinned([0, 1, 2]))
def test_the_simulated_market_lets_none_forecast_its_returns_unless_it_leaks(seed):
    honest, leak = (walk(aligned(simulated_market(seed), by=by)) for by in ("release", "date"))
    # With 1,500 heavy-tailed forecasts even a worthless model's R2 has a standard error of about 0.5 %.
    assert honest["zero"] == 0
    assert all(abs(score) < 0.015 for score in honest.values()), honest
    assert leak["ridge"] > 0.5
    assert abs(leak["mean"] - honest["mean"]) < 1e-12


def test_price_levels_look_easy_and_are_not():
    panel = aligned(simulated_market(0))
    answers, unchanged = problem(panel, "level")
    blocks = folds(panel.dates, answers.known, answers.rows, **SIX_YEARS)
    truth = np.concatenate([answers.values[fold.test] for fold in blocks])
    last = np.concatenate([unchanged[fold.test] for fold in blocks])
    for name in ("ar1", "ridge"):
        said = np.concatenate([MEAN_FORECASTS[name](panel.values, answers, fold, unchanged) for fold in blocks])
        assert r2(truth - truth.mean(), said - truth.mean()) > 0.98
        assert abs(1 - np.square(truth - said).sum() / np.square(truth - last).sum()) < 0.02


def real_panel(by: str) -> Panel:
    """Real gold with the covariates of the known answers; skips where the files are absent."""
    return aligned(real_gold("^GSPC", "SI=F", "EURUSD=X", "DGS10", "VIXCLS", "DTWEXBGS"), by=by)


def test_real_gold_has_the_known_scores():
    """2014 to July 2026, refitted about every 250 days (13 times 242): measured before with 3,148 forecasts."""
    choices = {"test_years": 12.53, "refits": 13}
    honest, leak = (walk(real_panel(by), **choices) for by in ("release", "date"))
    # The blocks' borders differ by some days from those of the known answer, +0.11 %.
    assert honest["mean"] == pytest.approx(0.0011, abs=0.0003)
    # -0.03 % was measured with one fixed penalty; how it is chosen moves this by some tenths of a percent.
    assert honest["ridge"] == pytest.approx(-0.0003, abs=0.004)
    # +62.9 % was measured with same-day covariates alone; here two older lags of each are seen too.
    assert leak["ridge"] == pytest.approx(0.629, abs=0.03)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_what_varies_counts_in_any_unit_and_what_is_constant_but_for_rounding_does_not(size):
    drawn = np.random.default_rng(0).normal(1, 1, (50, 1))
    features = size * np.concatenate([drawn, 1 + 1e-12 * drawn], axis=1)
    _, spread = _moments(features)
    assert spread[0] == pytest.approx(features[:, 0].std())
    assert spread[1] == np.inf
