import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics

from goldviz.diagnostics.forecasts.scores import (
    LEAST_FORECASTS,
    absolute_errors,
    hits,
    mean_loss,
    r2_against_mean,
    r2_out_of_sample,
    scorable,
    squared_errors,
)

SCORES = {
    "r2": r2_out_of_sample,
    "r2_mean": r2_against_mean,
    "hit_rate": lambda truth, forecast: hits(truth, forecast).rate,
}
sizes = st.integers(LEAST_FORECASTS, 40)
# Numbers whose squares neither vanish nor overflow, so that only rounding is left to tolerate.
ordinary = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@st.composite
def series(draw, count=2):
    size = draw(sizes)
    truth, *others = (draw(hnp.arrays(np.float64, size, elements=ordinary)) for _ in range(count))
    assume(np.ptp(truth) > 0)
    return truth, *others


@given(series())
def test_scores_are_those_of_scikit_learn(pair):
    truth, forecast = pair
    # Relative 1e-9: the sums are the same up to the order of additions.
    mse = metrics.mean_squared_error(truth, forecast)
    assert mean_loss(squared_errors(truth, forecast)) == pytest.approx(mse, rel=1e-9)
    mae = metrics.mean_absolute_error(truth, forecast)
    assert mean_loss(absolute_errors(truth, forecast)) == pytest.approx(mae, rel=1e-9)
    assert r2_against_mean(truth, forecast) == pytest.approx(metrics.r2_score(truth, forecast), rel=1e-7, abs=1e-9)


@given(series(count=3))
def test_the_truth_has_r2_1_and_the_reference_has_0(three):
    truth, forecast, reference = three
    assume((truth != reference).any())
    assert r2_out_of_sample(truth, truth, reference) == 1
    assert r2_out_of_sample(truth, reference, reference) == 0
    assert r2_out_of_sample(truth, forecast, reference) <= 1


@given(series(), st.floats(0.01, 100))
def test_r2_and_hit_rate_have_no_unit(pair, unit):
    truth, forecast = pair
    assume((truth != 0).any())
    assert r2_out_of_sample(unit * truth, unit * forecast) == pytest.approx(r2_out_of_sample(truth, forecast), rel=1e-9)
    assert hits(unit * truth, unit * forecast) == hits(truth, forecast)


def test_a_day_without_move_or_forecast_without_direction_does_not_count():
    truth = np.array([1.0, -1.0, 0.0, 0.0, 2.0, -2.0, 3.0, 3.0])
    forecast = np.array([1.0, 1.0, 1.0, 0.0, 0.0, -1.0, 1.0, -1.0])
    assert hits(truth, forecast) == (3, 5)
    assert hits(truth, forecast).rate == 0.6
    always_up = hits(truth, np.ones(8))
    assert always_up == (4, 6)
    assert hits(truth, np.zeros(8)) == (0, 0)
    assert np.isnan(hits(truth, np.zeros(8)).rate)


@given(series(count=3))
def test_direction_of_a_level_is_that_of_its_change(three):
    truth, forecast, last = three
    change = truth - last
    assume(np.ptp(change) > 0)
    assert hits(truth, forecast, last) == hits(change, forecast - last)


@given(series())
def test_the_opposite_forecast_is_right_where_this_one_is_wrong(pair):
    truth, forecast = pair
    right, counted = hits(truth, forecast)
    assert hits(truth, -forecast) == (counted - right, counted)


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize(
    ("truth", "forecast"),
    [
        (np.arange(LEAST_FORECASTS - 1.0), np.ones(LEAST_FORECASTS - 1)),
        (np.full(20, 0.5), np.ones(20)),
        (np.arange(20.0), np.full(20, np.nan)),
        (np.arange(20.0), np.r_[np.inf, np.ones(19)]),
        (np.r_[np.nan, np.arange(19.0)], np.ones(20)),
        (np.empty(0), np.empty(0)),
    ],
    ids=["few", "flat", "nan", "infinite", "unknown truth", "nothing"],
)
def test_what_cannot_be_scored_is_nan_without_a_warning(score, truth, forecast):
    assert np.isnan(score(truth, forecast))
    assert not scorable(truth, forecast)


def test_forecasts_too_large_for_numbers_are_not_scored():
    truth, forecast = np.arange(20.0), np.full(20, 1e200)
    assert np.isnan(mean_loss(squared_errors(truth, forecast)))
    assert np.isnan(r2_out_of_sample(truth, forecast))
    assert mean_loss(absolute_errors(truth, forecast)) == pytest.approx(1e200)
    assert np.isinf(absolute_errors(-1.5e308 * np.ones(1), 1.5e308)).all()


def test_a_reference_that_is_never_wrong_leaves_nothing_to_save():
    truth = np.arange(20.0)
    assert np.isnan(r2_out_of_sample(truth, truth + 1, truth))
