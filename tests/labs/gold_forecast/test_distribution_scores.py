import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from goldviz.labs.gold_forecast.scoring.distributions import (
    crps_gaussian,
    crps_student,
    inside,
    inside_gaussian,
    pit_gaussian,
    pit_student,
    qlike,
    qlike_losses,
)

centres = st.floats(-5, 5)
widths = st.floats(0.1, 10)
degrees = st.floats(1.5, 200)


def crps_by_integration(distribution, y):
    below = quad(lambda x: distribution.cdf(x) ** 2, -np.inf, y, limit=200)[0]
    return below + quad(lambda x: distribution.sf(x) ** 2, y, np.inf, limit=200)[0]


@given(centres, centres, widths)
def test_gaussian_crps_is_its_integral(y, mean, scale):
    # 1e-6 of the scale: what the integration promises.
    expected = crps_by_integration(stats.norm(mean, scale), y)
    assert crps_gaussian(np.array([y]), mean, np.array([scale]))[0] == pytest.approx(expected, abs=1e-6 * scale)


@given(centres, centres, widths, degrees)
def test_student_crps_is_its_integral(y, mean, scale, freedom):
    expected = crps_by_integration(stats.t(freedom, mean, scale), y)
    found = crps_student(np.array([y]), mean, np.array([scale]), freedom)[0]
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5 * scale)


def test_student_with_many_degrees_of_freedom_is_gaussian():
    y, scale = np.linspace(-6, 6, 41), np.full(41, 1.3)
    np.testing.assert_allclose(crps_student(y, 0.2, scale, 1e7), crps_gaussian(y, 0.2, scale), atol=1e-6)
    np.testing.assert_allclose(pit_student(y, 0.2, scale, 1e7), pit_gaussian(y, 0.2, scale), atol=1e-6)


def test_known_values_of_the_crps():
    # At its centre a standard Gaussian scores (sqrt 2 - 1) / sqrt pi; a forecast without spread, the absolute error.
    assert crps_gaussian(np.zeros(1), 0.0, np.ones(1))[0] == pytest.approx((math.sqrt(2) - 1) / math.sqrt(math.pi))
    assert crps_gaussian(np.array([3.0]), 0.0, np.array([1e-9]))[0] == pytest.approx(3)


@given(centres, centres, widths, degrees)
def test_crps_is_never_negative_and_has_the_unit_of_the_truth(y, mean, scale, freedom):
    one, many = np.array([y]), np.array([scale])
    for score in (crps_gaussian, lambda *forecast: crps_student(*forecast, freedom)):
        found = score(one, mean, many)[0]
        assert found >= 0
        assert score(7 * one + 3, 7 * mean + 3, 7 * many)[0] == pytest.approx(7 * found, rel=1e-9, abs=1e-9)


def test_true_distributions_have_the_best_crps_and_uniform_probabilities():
    # 20,000 draws. Best: others are worse by many standard errors. Uniform: Kolmogorov and Smirnov's p above 1 %.
    generator = np.random.default_rng(0)
    scale = np.exp(generator.standard_normal(20_000) / 2)
    drawn = {"gaussian": scale * generator.standard_normal(20_000), "student": scale * generator.standard_t(5, 20_000)}
    scores = {
        "gaussian": lambda mean, factor: crps_gaussian(drawn["gaussian"], mean * scale, factor * scale),
        "student": lambda mean, factor: crps_student(drawn["student"], mean * scale, factor * scale, 5),
    }
    for score in scores.values():
        best = score(0.0, 1.0).mean()
        for other in [(0.3, 1.0), (-0.3, 1.0), (0.0, 0.75), (0.0, 1.35)]:
            assert score(*other).mean() > best
    assert stats.kstest(pit_gaussian(drawn["gaussian"], 0.0, scale), "uniform").pvalue > 0.01
    assert stats.kstest(pit_student(drawn["student"], 0.0, scale, 5), "uniform").pvalue > 0.01
    assert stats.kstest(pit_gaussian(drawn["student"], 0.0, scale), "uniform").pvalue < 1e-6
    # The mean over truths of the right Gaussian's CRPS is scale / sqrt pi; 1.5 % are three standard errors.
    assert scores["gaussian"](0.0, 1.0).mean() == pytest.approx(scale.mean() / math.sqrt(math.pi), rel=0.015)


@given(centres, centres, widths, degrees)
def test_probabilities_are_those_of_scipy(y, mean, scale, freedom):
    one, width = np.array([y]), np.array([scale])
    assert pit_gaussian(one, mean, width)[0] == pytest.approx(stats.norm(mean, scale).cdf(y), abs=1e-12)
    assert pit_student(one, mean, width, freedom)[0] == pytest.approx(stats.t(freedom, mean, scale).cdf(y), abs=1e-9)


def test_intervals_include_their_ends():
    low, high = np.zeros(4), np.ones(4)
    np.testing.assert_array_equal(inside(np.array([0.0, 1.0, -1e-9, np.nan]), low, high), [True, True, False, False])


def test_the_middle_of_a_gaussian_holds_its_share():
    # 20,000 draws: three binomial standard errors are below 1.1 points.
    generator = np.random.default_rng(1)
    scale = np.exp(generator.standard_normal(20_000))
    drawn = 2 + scale * generator.standard_normal(20_000)
    for share in (0.5, 0.8, 0.9, 0.95):
        assert inside_gaussian(drawn, 2.0, scale, share).mean() == pytest.approx(share, abs=0.011)


def test_qlike_is_twice_the_negative_log_likelihood_but_for_a_constant():
    generator = np.random.default_rng(0)
    truth, scale = generator.standard_normal(50), np.exp(generator.standard_normal(50))
    expected = -2 * stats.norm(0, scale).logpdf(truth) - math.log(2 * math.pi)
    np.testing.assert_allclose(qlike_losses(truth, scale), expected, atol=1e-10)
    assert qlike(truth, scale) == pytest.approx(expected.mean())


def test_qlike_is_lowest_for_the_true_variance_though_it_sees_squared_returns_alone():
    # Patton 2011: fat tails of the return do not change that. The mean over 200,000 draws finds 1 to 0.02.
    generator = np.random.default_rng(0)
    scale = np.exp(generator.standard_normal(200_000) / 2)
    truth = scale * generator.standard_t(6, 200_000) / math.sqrt(6 / 4)
    factors = np.linspace(0.8, 1.25, 46)
    assert factors[np.argmin([qlike(truth, factor * scale) for factor in factors])] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(("factor", "cost"), [(1.25, 0.086), (0.8, 0.116)])
def test_what_a_wrong_width_costs(factor, cost):
    # Returns whose square is always the variance: log c^2 + 1 / c^2 - 1, exactly.
    truth, scale = np.tile([0.01, -0.01], 10), np.full(20, 0.01)
    found = qlike(truth, scale) - qlike(truth, factor * scale)
    assert found == pytest.approx(-(2 * math.log(factor) + factor**-2 - 1), rel=1e-9)
    assert -found == pytest.approx(cost, abs=5e-4)


def test_days_without_a_move_have_a_score():
    truth = np.r_[np.zeros(5), np.ones(5)]
    assert qlike(truth, np.ones(10)) == pytest.approx(0.5)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan])
def test_widths_that_are_none_have_no_score_and_no_warning(scale):
    truth = np.arange(10.0)
    scales = np.full(10, scale)
    assert np.isnan(qlike(truth, scales))
    for score in (crps_gaussian(truth, 0.0, scales), pit_gaussian(truth, 0.0, scales), qlike_losses(truth, scales)):
        assert np.isnan(score).all()
    assert np.isnan(crps_student(truth, 0.0, np.ones(10), 1.0)).all()


def test_an_extreme_truth_gives_no_warning():
    truth, scale = np.full(3, 1e200), np.full(3, 1e-200)
    assert np.isinf(qlike_losses(truth, scale)).all()
    for score in (crps_gaussian(truth, 0.0, scale), crps_student(truth, 0.0, scale, 4.0)):
        assert not np.isfinite(score).any()
