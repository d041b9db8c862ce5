import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from goldviz.diagnostics.forecasts.significance import diebold_mariano


def slow_diebold_mariano(losses, reference_losses, horizon):
    """The formulas of the two papers, term by term; and the long-run variance as a share of the variance."""
    d = [float(b - a) for a, b in zip(losses, reference_losses, strict=True)]
    n, h = len(d), horizon
    mean = math.fsum(d) / n
    covariances = {
        lag: math.fsum((d[t] - mean) * (d[t - abs(lag)] - mean) for t in range(abs(lag), n)) / n
        for lag in range(-(h - 1), h)
    }
    long_run = math.fsum(covariances.values())
    if long_run <= 0:
        return (math.nan, math.nan), long_run / covariances[0]
    corrected = math.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n) * mean / math.sqrt(long_run / n)
    return (corrected, 2 * stats.t(n - 1).sf(abs(corrected))), long_run / covariances[0]


@st.composite
def losses(draw):
    size = draw(st.integers(8, 40))
    ordinary = st.floats(0, 1e3).map(lambda x: round(x, 3))
    ours, theirs = (draw(hnp.arrays(np.float64, size, elements=ordinary)) for _ in range(2))
    assume(np.ptp(theirs - ours) > 1e-6 * (ours.max() + theirs.max()))
    return ours, theirs


@given(losses(), st.integers(1, 6))
def test_diebold_mariano_is_the_formula_of_the_papers(pair, horizon):
    expected, share_left = slow_diebold_mariano(*pair, horizon)
    assume(abs(share_left) > 1e-4)  # A sum of autocovariances that nearly cancels is mostly rounding.
    np.testing.assert_allclose(diebold_mariano(*pair, horizon), expected, rtol=1e-6, atol=1e-9)


@given(losses())
def test_one_step_ahead_it_is_the_t_test(pair):
    ours, theirs = pair
    expected = stats.ttest_1samp(theirs - ours, 0)
    np.testing.assert_allclose(
        diebold_mariano(ours, theirs), (expected.statistic, expected.pvalue), rtol=1e-8, atol=1e-12
    )


def test_overlapping_horizons_by_hand():
    # d = 3 3 1 1 -1 -1 3 3: mean 1.5; d - mean = 1.5 1.5 -.5 -.5 -2.5 -2.5 1.5 1.5.
    # gamma_0 = (4 * 2.25 + 2 * .25 + 2 * 6.25) / 8 = 2.75; gamma_1 = (2.25 - .75 + .25 + 1.25 + 6.25 - 3.75 + 2.25) / 8
    # = 0.96875; V = 4.6875. With h = 2 and n = 8 the correction is sqrt((9 - 4 + 2/8) / 8) = sqrt(0.65625).
    difference = np.array([3.0, 3, 1, 1, -1, -1, 3, 3])
    expected = 1.5 / math.sqrt(4.6875 / 8) * math.sqrt(0.65625)
    found = diebold_mariano(10 - difference, np.full(8, 10.0), horizon=2)
    assert found.statistic == pytest.approx(expected, rel=1e-12)
    assert found.p_value == pytest.approx(2 * stats.t(7).sf(expected), rel=1e-12)


@given(losses(), st.integers(1, 4), st.floats(0.01, 100))
def test_exchanging_the_forecasts_changes_the_sign_and_a_unit_nothing(pair, horizon, unit):
    ours, theirs = pair
    found = diebold_mariano(ours, theirs, horizon)
    exchanged = diebold_mariano(theirs, ours, horizon)
    np.testing.assert_array_equal(exchanged, (-found.statistic, found.p_value))
    if abs(found.statistic) < 1e3:
        np.testing.assert_allclose(diebold_mariano(unit * ours, unit * theirs, horizon), found, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("horizon", [1, 3])
def test_equal_forecasts_are_told_apart_in_one_case_of_twenty(horizon):
    # Moving averages of h terms have no correlation from lag h on. 2,000 trials: the binomial standard error of 5 % is
    # 0.49 points, and four of them are allowed. For h = 3 the correction is approximate: 2 points more are.
    generator = np.random.default_rng(0)
    noise = generator.standard_normal((2000, 100 + horizon - 1))
    differences = np.lib.stride_tricks.sliding_window_view(noise, horizon, axis=1).mean(axis=-1)
    p_values = np.array([diebold_mariano(-row, np.zeros(100), horizon).p_value for row in differences])
    allowed = 0.0195 if horizon == 1 else 0.0395
    assert abs(np.mean(p_values < 0.05) - 0.05) < allowed


def test_a_horizon_taken_for_1_finds_differences_that_are_not_there():
    generator = np.random.default_rng(0)
    noise = generator.standard_normal((500, 219))
    overlapping = np.lib.stride_tricks.sliding_window_view(noise, 20, axis=1).mean(axis=-1)
    found = [diebold_mariano(-row, np.zeros(200)).p_value < 0.05 for row in overlapping]
    assert np.mean(found) > 0.5


@pytest.mark.parametrize(
    ("ours", "theirs", "horizon"),
    [
        (np.arange(20.0), np.arange(20.0), 1),
        (np.full(20, 0.1), np.full(20, 0.3), 1),
        (0.1 * np.arange(20.0), 0.1 * np.arange(20.0) + 0.7, 1),
        (np.arange(7.0), np.ones(7), 1),
        (np.arange(20.0), np.ones(20), 20),
        (np.r_[np.nan, np.arange(19.0)], np.ones(20), 1),
        (np.r_[np.inf, np.arange(19.0)], np.ones(20), 1),
        (np.tile([0.0, 2.0], 10), np.ones(20), 2),
    ],
    ids=["same", "constant", "constant but for rounding", "few", "far ahead", "nan", "infinite", "negative variance"],
)
def test_losses_that_say_nothing_have_no_statistic(ours, theirs, horizon):
    assert np.isnan(diebold_mariano(ours, theirs, horizon)).all()


def test_a_horizon_is_at_least_one_step():
    with pytest.raises(ValueError, match="The horizon is 0; allowed is a whole number from 1"):
        diebold_mariano(np.arange(20.0), np.ones(20), 0)
