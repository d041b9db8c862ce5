from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from goldviz.labs.price_tokens.discrete.bins import Bins, basis_point_bins, equal_width_bins, quantile_bins

SAMPLE = np.random.default_rng(0).standard_t(4, 4000) * 0.01
EITHER = pytest.mark.parametrize("made", [equal_width_bins, quantile_bins, partial(basis_point_bins, width=25.0)])


@EITHER
@pytest.mark.parametrize("count", [2, 3, 16])
def test_a_token_s_density_sums_to_one(made: Any, count: Any) -> None:
    bins = made(SAMPLE, count)
    edges = [*bins.edges]
    for token in range(count):
        low = edges[token - 1] if token else edges[0] - 40 * bins.excess[0]
        high = edges[token] if token < count - 1 else edges[-1] + 40 * bins.excess[1]

        def density(x: Any, token: Any = token) -> Any:
            return float(np.exp(bins.log_densities(np.array([x]))[0, token]))

        assert quad(density, low, np.nextafter(high, low))[0] == pytest.approx(1, abs=1e-6)


@EITHER
def test_the_cumulative_is_the_integral_of_the_density(made: Any) -> None:
    bins = made(SAMPLE, 5)
    x = np.linspace(-0.2, 0.2, 40_001)
    densities, cumulative = np.exp(bins.log_densities(x)), bins.cumulative(x)
    np.testing.assert_allclose(np.cumsum(densities, axis=0) * (x[1] - x[0]), cumulative, atol=0.01)


def test_the_loss_of_the_value_is_that_of_the_token_and_the_bin_s_width() -> None:
    bins = quantile_bins(SAMPLE, 8)
    inside = SAMPLE[(bins.tokens(SAMPLE) > 0) & (bins.tokens(SAMPLE) < 7)]
    own = bins.tokens(inside)
    density = bins.log_densities(inside)[np.arange(len(inside)), own]
    np.testing.assert_allclose(-density, np.log(np.diff(bins.edges))[own - 1], rtol=1e-12)


def test_quantile_bins_hold_equally_many() -> None:
    counts = np.bincount(quantile_bins(SAMPLE, 8).tokens(SAMPLE))
    assert counts.tolist() == [500] * 8


def test_bins_of_equal_width_have_it() -> None:
    np.testing.assert_allclose(np.diff(equal_width_bins(SAMPLE, 10).edges, 2), 0, atol=1e-15)


@pytest.mark.parametrize("count", [4, 5])
def test_a_rounded_token_is_the_nearest_multiple_and_the_outermost_hold_what_lies_beyond(count: int) -> None:
    bins = basis_point_bins(SAMPLE, count, 50.0)
    multiples = SAMPLE / 0.005 + count / 2
    np.testing.assert_array_equal(bins.tokens(SAMPLE), np.clip(np.floor(multiples), 0, count - 1))
    np.testing.assert_array_equal(bins.edges, basis_point_bins(3 * SAMPLE, count, 50.0).edges)


@EITHER
def test_more_tokens_than_different_values_is_a_sentence(made: Any) -> None:
    with pytest.raises(ValueError, match="5 tokens need as many different returns to be learned from; there are 2"):
        made(np.array([0.0, 1.0, 1.0, 0.0]), 5)


def test_quantiles_that_fall_together_are_a_sentence() -> None:
    with pytest.raises(ValueError, match="take fewer tokens"):
        quantile_bins(np.array([0.0] * 90 + [1.0, 2.0, 3.0, 4.0]), 4)


def test_a_tail_without_a_day_takes_the_sample_s_spread() -> None:
    bins = Bins.at(np.array([-5.0, 5.0]), np.array([-1.0, 0.0, 1.0]))
    assert bins.excess == pytest.approx((np.std([-1, 0, 1]),) * 2)
