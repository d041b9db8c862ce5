import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from goldviz.diagnostics.forecasts.scores import (
    hits,
    r2_against_mean,
    r2_out_of_sample,
    squared_errors,
)
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.noise import wilson_interval
from goldviz.labs.gold_forecast.scoring.distributions import (
    crps_student,
    inside,
    qlike,
    qlike_losses,
)
from goldviz.labs.gold_forecast.scoring.tables import (
    DistributionLosses,
    mean_score_table,
    volatility_score_table,
)
from goldviz.labs.gold_forecast.settings import METRICS, VOLATILITY_METRICS
from tests.places import REAL_DATA

INTERVALS = ("mse", "mae", "rmse", "r2", "r2_mean")


def named(table, models, metrics):
    return [pd.DataFrame(part, index=list(models), columns=list(metrics)) for part in table]


@pytest.fixture
def returns():
    """Fat-tailed returns whose width changes slowly, with a small part that can be forecast."""
    generator = np.random.default_rng(0)
    size = 800
    width = 0.01 * np.exp(np.convolve(generator.standard_normal(size + 49), np.ones(50) / 12, mode="valid"))
    signal = 0.002 * generator.standard_normal(size)
    return signal + width * generator.standard_t(6, size) / math.sqrt(1.5), signal, width


@pytest.fixture
def forecasts(returns):
    truth, signal, _ = returns
    noise = 0.003 * np.random.default_rng(1).standard_normal(len(truth))
    return {"zero": np.zeros(len(truth)), "signal": signal, "noise": noise, "diverged": np.full(len(truth), np.nan)}


def test_the_table_holds_the_scores_by_name(returns, forecasts):
    truth = returns[0]
    values, low, high = named(mean_score_table(truth, forecasts, np.random.default_rng(0)), forecasts, METRICS)
    for model in ("signal", "noise"):
        forecast = forecasts[model]
        statistic, p_value = diebold_mariano(squared_errors(truth, forecast), squared_errors(truth, 0.0))
        expected = {
            "mse": metrics.mean_squared_error(truth, forecast),
            "mae": metrics.mean_absolute_error(truth, forecast),
            "rmse": metrics.root_mean_squared_error(truth, forecast),
            "r2": r2_out_of_sample(truth, forecast),
            "r2_mean": r2_against_mean(truth, forecast),
            "hit_rate": hits(truth, forecast).rate,
            "dm": statistic,
            "dm_p": p_value,
        }
        assert values.loc[model].to_dict() == pytest.approx(expected, rel=1e-9)
        assert (low.loc[model, "hit_rate"], high.loc[model, "hit_rate"]) == wilson_interval(*hits(truth, forecast))
        for metric in INTERVALS:
            assert low.loc[model, metric] < values.loc[model, metric] < high.loc[model, metric]
    assert low.loc["signal", "r2"] > 0
    assert high.loc["noise", "r2"] < 0
    assert low[["dm", "dm_p"]].isna().all(axis=None)


def test_the_reference_saves_nothing_and_the_diverged_has_no_score(returns, forecasts):
    table = mean_score_table(returns[0], forecasts, np.random.default_rng(0))
    for part in named(table, forecasts, METRICS):
        assert part.loc["zero", "r2"] == 0
        assert part.loc["zero", ["hit_rate", "dm", "dm_p"]].isna().all()
        assert part.loc["diverged"].isna().all()


@given(st.permutations(["zero", "signal", "noise", "diverged"]), st.integers(0, 2))
def test_a_row_is_the_same_in_whatever_company(order, dropped):
    generator = np.random.default_rng(5)
    truth = generator.standard_t(4, 60)
    models = {"zero": np.zeros(60), "signal": truth / 3, "noise": truth[::-1] / 9, "diverged": np.full(60, np.inf)}
    whole = named(mean_score_table(truth, models, np.random.default_rng(1), 50), models, METRICS)
    kept = {name: models[name] for name in order if name == "zero" or name not in order[:dropped]}
    part = named(mean_score_table(truth, kept, np.random.default_rng(1), 50), kept, METRICS)
    for expected, found in zip(whole, part, strict=True):
        pd.testing.assert_frame_equal(found, expected.loc[list(kept)], check_exact=True)


@given(st.floats(1e-3, 1e3))
def test_scores_without_a_unit_keep_their_intervals(unit):
    truth = np.random.default_rng(5).standard_t(4, 60)
    models = {"zero": np.zeros(60), "half": truth / 2 + 0.1}
    scaled = {name: unit * forecast for name, forecast in models.items()}
    before = named(mean_score_table(truth, models, np.random.default_rng(1), 100), models, METRICS)
    after = named(mean_score_table(unit * truth, scaled, np.random.default_rng(1), 100), models, METRICS)
    free = ["r2", "r2_mean", "hit_rate", "dm", "dm_p"]
    for expected, found in zip(before, after, strict=True):
        np.testing.assert_allclose(found[free], expected[free], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found[["mae", "rmse"]], unit * expected[["mae", "rmse"]], rtol=1e-6)


def test_levels_are_judged_by_the_last_level():
    generator = np.random.default_rng(2)
    level = 1000 + np.cumsum(generator.standard_normal(501))
    truth, last = level[1:], level[:-1]
    models = {"zero": last, "up": last + 0.01, "worse": last + 0.5 * generator.standard_normal(500)}
    values, _, high = named(mean_score_table(truth, models, np.random.default_rng(0)), models, METRICS)
    assert values.loc["worse", "r2_mean"] > 0.95
    assert high.loc["worse", "r2"] < 0
    assert values.loc["up", "hit_rate"] == pytest.approx((np.diff(level) > 0).mean())


@pytest.mark.parametrize("truth", [np.arange(7.0), np.full(30, 2.0), np.r_[np.nan, np.arange(29.0)], np.empty(0)])
def test_what_cannot_be_scored_is_nan_in_tables_of_the_right_size(truth):
    zero = np.zeros(len(truth))
    generator = np.random.default_rng(0)
    for part in mean_score_table(truth, {"zero": zero, "other": zero + 1}, generator):
        assert part.shape == (2, len(METRICS))
        assert np.isnan(part).all()
    for part in volatility_score_table(truth, {"constant": zero + 1}, {}, generator):
        assert part.shape == (1, len(VOLATILITY_METRICS))
        assert np.isnan(part).all()


@pytest.mark.parametrize("size", [1e155, 1e200, 1e308])
def test_forecasts_too_large_for_numbers_give_no_warning(size):
    truth = np.random.default_rng(0).standard_normal(30)
    models = {"zero": np.zeros(30), "huge": size * np.sign(truth)}
    values, low, high = named(mean_score_table(truth, models, np.random.default_rng(0)), models, METRICS)
    assert values.loc["huge", ["mse", "r2"]].isna().all()
    assert low.loc["huge", "r2"] != np.inf
    assert np.isfinite(high.loc["zero", "mse"])
    scales = {"constant": np.ones(30), "tiny": np.full(30, 1e-200), "none": np.zeros(30)}
    values, _, _ = named(
        volatility_score_table(truth, scales, {}, np.random.default_rng(0)), scales, VOLATILITY_METRICS
    )
    assert values.loc["tiny", ["qlike", "qlike_gain", "dm"]].isna().all()
    assert values.loc["none"].isna().all()


def test_the_volatility_table_holds_the_scores_by_name(returns):
    truth, _, width = returns
    constant = np.full(len(truth), truth.std())
    scales = {"constant": constant, "true": width, "network": 1.1 * width}
    quantile = 1.1 * width * 0.6
    network = DistributionLosses(
        crps_student(truth, 0.0, width, 6.0), inside(truth, -quantile, quantile), inside(truth, -9 * width, 9 * width)
    )
    table = volatility_score_table(truth, scales, {"network": network}, np.random.default_rng(0))
    values, low, high = named(table, scales, VOLATILITY_METRICS)
    for model, scale in scales.items():
        assert values.loc[model, "qlike"] == pytest.approx(qlike(truth, scale), rel=1e-9)
        assert values.loc[model, "qlike_gain"] == pytest.approx(qlike(truth, constant) - qlike(truth, scale), abs=1e-9)
        for metric in ("qlike", "crps", "coverage_50", "coverage_90"):
            assert low.loc[model, metric] <= values.loc[model, metric] <= high.loc[model, metric]
    assert values.loc["constant", "qlike_gain"] == low.loc["constant", "qlike_gain"] == 0
    assert np.isnan(values.loc["constant", "dm"])
    assert low.loc["true", "qlike_gain"] > 0
    tested = diebold_mariano(qlike_losses(truth, width), qlike_losses(truth, constant))
    assert tuple(values.loc["true", ["dm", "dm_p"]]) == pytest.approx(tested)
    gaussian = DistributionLosses.of_gaussian(truth, width)
    assert values.loc["true", "crps"] == pytest.approx(gaussian.crps.mean())
    assert values.loc["true", "coverage_90"] == gaussian.inside_90.mean()
    assert values.loc["network", "crps"] == pytest.approx(network.crps.mean())
    assert values.loc["network", "coverage_50"] == network.inside_50.mean()
    assert (low.loc["network", "coverage_90"], high.loc["network", "coverage_90"]) == wilson_interval(
        int(network.inside_90.sum()), len(truth)
    )


@pytest.mark.skipif(not REAL_DATA.exists(), reason="The real market data lie outside the project and are not here.")
def test_known_answers_on_gold():
    # Daily log returns of the COMEX front future, forecasts from 2014 to July 2026; constants from the past alone.
    prices = pd.read_csv(REAL_DATA / "gold/GC=F_daily.csv", parse_dates=["Date"], index_col="Date")["Close"].dropna()
    series = np.log(prices).diff().iloc[1:]
    tested = series.index >= "2014-01-01"
    truth = series[tested].to_numpy()
    before = series.expanding()
    models = {"zero": np.zeros(len(truth)), "mean": before.mean().shift(1)[tested].to_numpy()}
    values, low, high = named(mean_score_table(truth, models, np.random.default_rng(0)), models, METRICS)
    assert len(truth) == 3148
    assert values.loc["mean", "r2"] == pytest.approx(0.0011, abs=3e-4)
    assert low.loc["mean", "r2"] < 0 < high.loc["mean", "r2"]
    assert values.loc["mean", "hit_rate"] == pytest.approx(0.527, abs=5e-4)
    assert (low.loc["mean", "hit_rate"], high.loc["mean", "hit_rate"]) == pytest.approx((0.509, 0.544), abs=6e-4)
    assert values.loc["mean", "dm_p"] > 0.3
    scales = {
        "constant": before.std().shift(1)[tested].to_numpy(),
        "ewma": np.sqrt(np.square(series).ewm(alpha=0.06, adjust=False).mean()).shift(1)[tested].to_numpy(),
    }
    values, low, _ = named(
        volatility_score_table(truth, scales, {}, np.random.default_rng(0)), scales, VOLATILITY_METRICS
    )
    assert values.loc["constant", "qlike"] == pytest.approx(-8.10, abs=0.02)
    assert values.loc["ewma", "qlike"] == pytest.approx(-8.27, abs=0.01)
    assert low.loc["ewma", "qlike_gain"] > 0.05
    level = prices.to_numpy()
    at = np.flatnonzero(np.r_[False, tested])
    models = {"zero": level[at - 1]}
    values, _, _ = named(mean_score_table(level[at], models, np.random.default_rng(0)), models, METRICS)
    assert values.loc["zero", "r2_mean"] == pytest.approx(0.9989, abs=1e-4)
    assert values.loc["zero", "r2"] == 0
