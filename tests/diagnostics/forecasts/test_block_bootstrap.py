import math

import numpy as np
import pytest
from arch.bootstrap import CircularBlockBootstrap, optimal_block_length
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from goldviz.diagnostics.forecasts.block_bootstrap import (
    block_length,
    middle,
    replicated_means,
)


def autoregression(size, coefficient, generator):
    """AR(1) with unit variance."""
    noise = generator.standard_normal(size) * math.sqrt(1 - coefficient**2)
    values = np.empty(size)
    values[0] = generator.standard_normal()
    for i in range(1, size):
        values[i] = coefficient * values[i - 1] + noise[i]
    return values


@pytest.mark.parametrize(("count", "block"), [(100, 1), (100, 7), (100, 20), (101, 10), (9, 3)])
def test_replications_are_those_of_arch(count, block):
    losses = np.random.default_rng(3).standard_normal((count, 2)) + np.array([5, -1])
    found = replicated_means(losses, block, 50, np.random.default_rng(7))
    theirs = CircularBlockBootstrap(block, losses, seed=np.random.default_rng(7))
    expected = np.stack([drawn.mean(axis=0) for (drawn,), _ in theirs.bootstrap(50)])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(hnp.arrays(np.float64, st.tuples(st.integers(8, 60), st.just(1)), elements=st.floats(-1e3, 1e3)))
def test_replicated_means_lie_between_the_losses(losses):
    means = replicated_means(losses, block_length(losses), 20, np.random.default_rng(0))
    slack = 1e-9 * np.abs(losses).max()
    assert losses.min() - slack <= means.min()
    assert means.max() <= losses.max() + slack


def test_blocks_are_as_long_as_asked_for_but_neither_too_short_nor_too_long():
    generator = np.random.default_rng(1)
    persistent = autoregression(3000, 0.95, generator)
    independent = generator.standard_normal(3000)
    asked = float(optimal_block_length(persistent)["circular"].iloc[0])
    assert asked > 30
    assert block_length(persistent[:, None]) == math.ceil(asked)
    assert block_length(np.stack([independent, persistent], axis=1)) == math.ceil(asked)
    assert block_length(independent[:, None]) == math.ceil(3000 ** (1 / 3)) == 15
    assert block_length(np.cumsum(generator.standard_normal(12))[:, None]) <= 4


@pytest.mark.parametrize("count", [2, 8, 9, 50])
def test_losses_that_do_not_move_or_are_missing_ask_for_nothing(count):
    losses = np.stack([np.ones(count), np.full(count, np.nan)], axis=1)
    assert block_length(losses) == max(1, min(math.ceil(count ** (1 / 3)), count // 3))


def test_the_interval_covers_the_truth_where_losses_are_dependent():
    # 300 series of AR(1) with coefficient 0.6; the mean is 0. 95 % intervals of a percentile bootstrap cover a
    # little less in samples of 400; three binomial standard errors are 3.8 points. Single days instead of blocks
    # make the standard error half of what it is, and cover two thirds.
    generator = np.random.default_rng(0)
    covered = {"blocks": 0, "days": 0}
    for _ in range(300):
        losses = autoregression(400, 0.6, generator)[:, None]
        low, high = middle(replicated_means(losses, block_length(losses), 300, generator)[:, 0])
        covered["blocks"] += low <= 0 <= high
        low, high = middle(replicated_means(losses, 1, 300, generator)[:, 0])
        covered["days"] += low <= 0 <= high
    assert 0.88 < covered["blocks"] / 300 < 0.985
    assert covered["days"] / 300 < 0.78


def test_columns_are_drawn_together():
    losses = np.random.default_rng(0).standard_normal((200, 1)) ** 2
    means = replicated_means(np.hstack([0.9 * losses, losses]), 5, 1000, np.random.default_rng(1))
    low, high = middle(1 - means[:, 0] / means[:, 1])
    assert low == pytest.approx(0.1, abs=1e-12)
    assert high == pytest.approx(0.1, abs=1e-12)


def test_the_same_generator_gives_the_same_interval():
    losses = np.random.default_rng(0).standard_normal((50, 1))
    first, again, other = (middle(replicated_means(losses, 4, 1000, np.random.default_rng(i))) for i in (1, 1, 2))
    assert first == again != other


def test_the_middle_share_of_known_values():
    assert middle(np.arange(1001.0), 0.9) == pytest.approx((50, 950))
    assert np.isnan(middle(np.array([1.0, np.nan]))).all()
