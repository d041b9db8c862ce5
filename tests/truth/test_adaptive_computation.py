"""*Adaptive computation time*: what its examples recorded, computed once more from inputs drawn anew."""

import numpy as np
import pytest

from goldviz.api import dataset_of
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
from goldviz.labs.adaptive_computation.tasks import TESTS, difficulties, puzzles
from goldviz.runs.examples import example
from goldviz.training.seeds import TEST_DATA, stream

SLUGS = [preset.slug for preset in AdaptiveComputation.presets]


def values(run, name):
    return run[name].isel(seed=0).values.astype(np.float64)


@pytest.mark.parametrize("slug", SLUGS)
def test_means_are_those_of_the_shares_and_of_the_difficulties(slug):
    run, settings = example(AdaptiveComputation, slug), AdaptiveComputation.preset(slug)
    steps = run["ponder_step"].values
    np.testing.assert_allclose(values(run, "step_share") @ steps, values(run, "ponder"), rtol=1e-5)
    unseen = puzzles(settings, TESTS, stream(0, TEST_DATA))
    levels = np.array(difficulties(settings))
    counts = np.array([int((unseen.difficulty == level).sum()) for level in levels])
    for part, whole in (("ponder_by_difficulty", "ponder"), ("accuracy_by_difficulty", "accuracy")):
        np.testing.assert_allclose(np.nan_to_num(values(run, part)) @ counts / TESTS, values(run, whole), rtol=1e-5)


@pytest.mark.parametrize("slug", SLUGS)
def test_correlation_is_the_regression_of_means_on_difficulty(slug):
    """Cov(N, d) needs the means by difficulty alone; the spread of N is that of the shares."""
    run, settings = example(AdaptiveComputation, slug), AdaptiveComputation.preset(slug)
    hard = puzzles(settings, TESTS, stream(0, TEST_DATA)).difficulty.double().numpy()
    steps = run["ponder_step"].values.astype(np.float64)
    mean, square = (values(run, "step_share") @ steps**power for power in (1, 2))
    by_level = np.nan_to_num(values(run, "ponder_by_difficulty"))[..., hard.astype(int) - difficulties(settings)[0]]
    both = (by_level * hard).mean(-1) - mean * hard.mean()
    spread = square - mean**2
    varies = spread > 1e-6
    assert np.isnan(values(run, "correlation")[~varies]).all()
    expected = both[varies] / np.sqrt(spread[varies]) / hard.std()
    np.testing.assert_allclose(values(run, "correlation")[varies], expected, atol=2e-3)


@pytest.mark.parametrize("slug", SLUGS)
def test_weights_sum_to_1_and_what_is_left_is_what_was_not_spent(slug):
    run = example(AdaptiveComputation, slug)
    weight, remainder, left = (run[name].values.astype(np.float64) for name in ("weight", "remainder", "budget"))
    np.testing.assert_allclose(np.nansum(weight, -1) + np.nansum(remainder, -1), 1, atol=1e-5)
    spent = np.cumsum(np.nan_to_num(weight), -1) - np.nan_to_num(weight)
    thinks = np.isfinite(left)
    np.testing.assert_allclose(left[thinks], 1 - spent[thinks], atol=1e-5)
    np.testing.assert_allclose(left[np.isfinite(remainder)], remainder[np.isfinite(remainder)], atol=1e-6)


def test_reading_until_stop_is_exact_and_ends_with_stop():
    run = example(AdaptiveComputation, SLUGS[0])
    assert values(run, "accuracy")[-1] == 1
    np.testing.assert_allclose(values(run, "ponder_by_difficulty")[-1, 0], run["difficulty"].values + 1, atol=0.05)


@pytest.mark.parametrize("slug", SLUGS[:2])
def test_a_recorded_run_begins_as_it_did(slug):
    run = example(AdaptiveComputation, slug)
    again = dataset_of(AdaptiveComputation.preset(slug).changed(steps=3), progress=False)
    np.testing.assert_allclose(again["loss"].values, run["loss"].values[:3], rtol=1e-4)
    np.testing.assert_allclose(again["ponder"].values[0], run["ponder"].values[0], rtol=1e-3)
