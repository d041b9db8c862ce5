"""Measures that findings rest on, where chance could pass for a verdict."""

import numpy as np
import pytest

from goldviz.diagnostics.findings import measures


def noisy(steps, spread, level=1.0):
    """Two thousand losses whose logarithms have this spread around those of ``level``."""
    return level * np.exp(spread * np.random.default_rng(0).standard_normal((steps, 2000)))


@pytest.mark.parametrize("steps", [8, 12, 20, 40])
@pytest.mark.parametrize("spread", [0.05, 0.1, 0.2, 0.5])
def test_noise_is_not_called_a_rise(steps, spread):
    assert measures.rising(noisy(steps, spread)).mean() < 0.02


@pytest.mark.parametrize("steps", [8, 12, 20, 40])
def test_a_loss_that_doubles_or_jumps_is(steps):
    rises = {"doubles": np.linspace(1, 2, steps), "jumps": np.where(np.arange(steps) > 0.7 * steps, 3.0, 1.0)}
    for level in rises.values():
        assert measures.rising(noisy(steps, 0.02, level[:, None])).mean() > 0.99


def test_rising_needs_eight_steps():
    assert not measures.rising(np.linspace(1, 9, 7)[:, None]).any()
    assert measures.rising(np.linspace(1, 9, 8)[:, None]).all()
    assert not measures.rising(np.linspace(9, 1, 20)[:, None]).any()


def test_typical_update_leaves_out_layers_that_cannot_move():
    assert measures.typical_update(np.array([0.0, 1e-3, np.nan, 1e-3])) == pytest.approx(1e-3)
    assert np.isnan(measures.typical_update(np.zeros(3)))


def test_a_mean_is_of_what_is_finite_and_of_nothing_is_no_number():
    values = np.array([[np.nan, 1.0, 2.0], [np.inf, np.nan, 4.0]])
    np.testing.assert_array_equal(measures.mean(values), [np.nan, 1.0, 3.0])
