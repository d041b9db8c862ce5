from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn.metrics import mean_pinball_loss

from goldviz.labs.gold_forecast.scoring.distributions import crps_from_quantiles, crps_gaussian, pit_from_quantiles
from goldviz.labs.gold_forecast.settings import LEVELS

NINE = np.array(LEVELS)


@st.composite
def forecasts(draw):
    """Levels, quantiles (some may coincide) and a truth that may equal one of them."""
    levels = np.array(sorted(draw(st.sets(st.integers(1, 99), min_size=2, max_size=9)))) / 100
    steps = draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, 2.0]), min_size=len(levels) - 1, max_size=len(levels) - 1))
    quantiles = np.cumsum([draw(st.floats(-3, 3)), *steps])
    truth = draw(st.one_of(st.floats(-12, 20), st.sampled_from(list(quantiles))))
    return truth, quantiles, levels


@given(forecasts())
def test_crps_is_the_integral_over_the_same_distribution(forecast):
    truth, quantiles, levels = forecast

    def distribution(x):
        return pit_from_quantiles(np.array([x]), quantiles[None], levels)[0]

    # Between these points the integrand is smooth; of the tails, less than e^-40 lies beyond the outermost ones.
    steps, probabilities = np.diff(quantiles), np.diff(levels)
    lower, upper = levels[0] * steps[0] / probabilities[0], (1 - levels[-1]) * steps[-1] / probabilities[-1]
    ends = sorted({quantiles[0] - 40 * lower, *quantiles, truth, quantiles[-1] + 40 * upper})
    expected = sum(
        quad(lambda x: (distribution(x) - (x >= truth)) ** 2, low, high, limit=300)[0] for low, high in pairwise(ends)
    )
    found = crps_from_quantiles(np.array([truth]), quantiles[None], levels)[0]
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert found >= 0


@given(forecasts(), st.floats(0, 3))
def test_probability_never_falls_and_stays_between_0_and_1(forecast, further):
    truth, quantiles, levels = forecast
    low, high = pit_from_quantiles(np.array([truth, truth + further]), np.stack([quantiles, quantiles]), levels)
    assert 0 <= low <= high <= 1


@given(forecasts())
def test_at_a_quantile_the_probability_is_its_level(forecast):
    _, quantiles, levels = forecast
    distinct = [i for i in range(len(levels)) if i == len(levels) - 1 or quantiles[i + 1] > quantiles[i]]
    found = pit_from_quantiles(quantiles[distinct], np.tile(quantiles, (len(distinct), 1)), levels)
    np.testing.assert_allclose(found, levels[distinct], atol=1e-12)


@given(forecasts(), st.floats(0.1, 50), st.floats(-10, 10))
def test_a_unit_changes_the_score_alone(forecast, unit, shift):
    truth, quantiles, levels = forecast
    score = crps_from_quantiles(np.array([truth]), quantiles[None], levels)[0]
    other = crps_from_quantiles(np.array([unit * truth + shift]), unit * quantiles[None] + shift, levels)[0]
    assert other == pytest.approx(unit * score, rel=1e-6, abs=1e-9 * unit)


def test_in_the_tails_the_density_goes_on_where_the_stretch_before_it_ends():
    quantiles = stats.norm.ppf(NINE)[None]
    for edge in (quantiles[0, 0], quantiles[0, -1]):
        around = np.array([edge - 1e-6, edge, edge + 1e-6])
        before, after = np.diff(pit_from_quantiles(around, np.repeat(quantiles, 3, axis=0), NINE))
        assert before == pytest.approx(after, rel=1e-4)


@pytest.mark.parametrize(("name", "distribution"), [("gaussian", stats.norm()), ("student", stats.t(4))])
def test_the_right_quantiles_score_hardly_worse_than_the_whole_distribution(name, distribution):
    # Expected CRPS by quadrature over the truth's own probability: nine quantiles cost less than 0.1 %.
    probability = (np.arange(40_000) + 0.5) / 40_000
    truth = distribution.ppf(probability)
    whole = 2 * np.mean(distribution.cdf(truth) * truth - (1 - distribution.cdf(truth)) * truth) / 2
    nine = crps_from_quantiles(truth, np.tile(distribution.ppf(NINE), (len(truth), 1)), NINE).mean()
    assert whole < nine < 1.001 * whole


def test_numbers_that_the_docs_state():
    truth = stats.norm.ppf((np.arange(40_000) + 0.5) / 40_000)
    quantiles = np.tile(stats.norm.ppf(NINE), (len(truth), 1))
    assert crps_gaussian(truth, 0.0, np.ones(len(truth))).mean() == pytest.approx(0.5642, abs=1e-4)
    assert crps_from_quantiles(truth, quantiles, NINE).mean() == pytest.approx(0.5643, abs=1e-4)
    losses = [mean_pinball_loss(truth, quantiles[:, place], alpha=level) for place, level in enumerate(NINE)]
    assert 2 * np.mean(losses) == pytest.approx(0.380, abs=1e-3)


def test_crps_of_many_even_levels_is_twice_the_mean_pinball_loss():
    generator = np.random.default_rng(0)
    levels = (np.arange(999) + 1) / 1000
    truth = generator.standard_normal(50)
    quantiles = np.tile(stats.norm.ppf(levels), (50, 1))
    error = truth[:, None] - quantiles
    pinball = 2 * np.maximum(levels * error, (levels - 1) * error).mean(axis=1)
    np.testing.assert_allclose(crps_from_quantiles(truth, quantiles, levels), pinball, rtol=0.005)
    np.testing.assert_allclose(
        crps_from_quantiles(truth, quantiles, levels), crps_gaussian(truth, 0.0, np.ones(50)), rtol=1e-3
    )


def test_right_quantiles_have_uniform_probabilities():
    # 10,000 draws, Kolmogorov and Smirnov's p above 1 %; quantiles that are too close together fail at once.
    generator = np.random.default_rng(3)
    scale = np.exp(generator.standard_normal(10_000) / 2)[:, None]
    truth = scale[:, 0] * generator.standard_normal(10_000)
    quantiles = scale * stats.norm.ppf(NINE)
    assert stats.kstest(pit_from_quantiles(truth, quantiles, NINE), "uniform").pvalue > 0.01
    assert stats.kstest(pit_from_quantiles(truth, 0.8 * quantiles, NINE), "uniform").pvalue < 1e-6


def test_quantiles_that_are_all_one_value_score_the_absolute_error():
    truth = np.array([-2.0, 1.0, 4.0])
    found = crps_from_quantiles(truth, np.ones((3, 9)), NINE)
    np.testing.assert_allclose(found, np.abs(truth - 1), atol=1e-12)
    np.testing.assert_allclose(pit_from_quantiles(truth, np.ones((3, 9)), NINE), [0, 0.975, 1], atol=1e-12)


def test_what_is_not_finite_has_no_score_and_no_warning():
    quantiles = np.tile(stats.norm.ppf(NINE), (3, 1))
    quantiles[1, 4] = np.nan
    quantiles[2, 8] = np.inf
    for score in (pit_from_quantiles, crps_from_quantiles):
        assert np.isnan(score(np.zeros(3), quantiles, NINE)).tolist() == [False, True, True]
        assert np.isnan(score(np.array([np.nan]), quantiles[:1], NINE)).all()
