"""Errors of windows, and intervals of their means, which overlap."""

import numpy as np
import pytest

from goldviz.labs.leaderboard.table import (
    batch_scores,
    block_of,
    errors_of,
    interval,
    replications_of,
)
from goldviz.models.series.forecasters.at_once import repeat
from goldviz.models.series.sliding_windows import SlidingWindows


def test_errors_are_means_over_the_right_axes():
    values = np.random.default_rng(0).standard_normal((60, 3)).cumsum(axis=0)
    windows, rows = SlidingWindows(values, 4, 8), range(20, 40)
    errors = errors_of(repeat(windows, rows, 1), windows, rows, 25, 2)
    squares = np.array([[(values[row + step] - values[row - 1]) ** 2 for step in range(8)] for row in rows])
    np.testing.assert_allclose(errors.windows, [squares[:, :until].mean(axis=(1, 2)) for until in (1, 2, 4, 8)])
    np.testing.assert_allclose(errors.steps, squares.mean(axis=(0, 2)))
    np.testing.assert_allclose(errors.channels, squares.mean(axis=(0, 1)))
    np.testing.assert_allclose(errors.shown, values[24, 2])
    assert errors.shifts[1] == 0


def test_shifts_before_the_series_are_none():
    windows = SlidingWindows(np.random.default_rng(0).standard_normal((12, 1)), 2, 1)
    errors = errors_of(repeat(windows, range(3, 9), 1), windows, range(3, 9), 3, 0)
    assert np.isfinite(errors.shifts).tolist() == [True] * 4 + [False] * 2


def test_batches_that_are_full():
    np.testing.assert_allclose(batch_scores(np.arange(10.0), [1, 4, 5, 16]), [4.5, 3.5, 4.5, np.nan])


def test_the_interval_covers_the_mean_of_windows_that_overlap():
    """Errors with the memory that windows of 10 steps have; an interval that took them for independent covers half."""
    horizon, count, covers, naive = 10, 300, 0, 0
    generator = np.random.default_rng(0)
    for _ in range(100):
        errors = np.convolve(generator.exponential(size=count + horizon - 1), np.ones(horizon) / horizon, "valid")
        low, high = interval(replications_of(errors[None, None], horizon))[:, 0]
        covers += low <= 1 <= high
        naive += abs(errors.mean() - 1) <= 1.96 * errors.std() / np.sqrt(count)
    assert 85 <= covers <= 99
    assert naive < 65


def test_seeds_widen_the_interval_and_alike_ones_do_not():
    errors = np.random.default_rng(0).standard_normal((1, 1, 200))
    alike = interval(replications_of(np.repeat(errors, 5, axis=0), 1))
    np.testing.assert_allclose(alike, interval(replications_of(errors, 1)))
    apart = errors + np.array([-1, -0.5, 0, 0.5, 1])[:, None, None]
    assert np.ptp(interval(replications_of(apart, 1)), axis=0) > 2 * np.ptp(alike, axis=0)


def test_the_same_windows_are_drawn_for_every_forecaster():
    errors = np.random.default_rng(0).standard_normal((1, 1, 90))
    differences = replications_of(errors + 3, 5) - replications_of(errors, 5)
    np.testing.assert_allclose(differences, 3)


@pytest.mark.parametrize(("windows", "horizon", "block"), [(705, 96, 96), (3, 50, 1), (2, 1, 1)])
def test_blocks_are_as_long_as_windows_share_values(windows, horizon, block):
    assert block_of(windows, horizon) == block
