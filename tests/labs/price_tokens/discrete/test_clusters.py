from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

from goldviz.labs.price_tokens.discrete.bins import Bins
from goldviz.labs.price_tokens.discrete.clusters import (
    agreement,
    gaussian_mixture,
    k_means,
    matched,
    shared_days,
    summaries,
    windows_of,
)

CALM, STORM = 0.005, 0.03
TRUTH = np.repeat([0, 1, 0, 1], 250)
RETURNS = np.random.default_rng(0).standard_normal(1000) * np.where(TRUTH == 1, STORM, CALM)


def test_k_means_of_single_returns_makes_bins_around_its_centres() -> None:
    bins = k_means(RETURNS, 4, 1, 0)
    assert isinstance(bins, Bins)
    centres = np.sort(
        KMeans(4, n_init=4, random_state=0).fit(RETURNS[:, None] / RETURNS.std()).cluster_centers_.ravel()
    )
    nearest = np.abs(RETURNS[:, None] / RETURNS.std() - centres).argmin(axis=1)
    np.testing.assert_array_equal(bins.tokens(RETURNS), nearest)


@pytest.mark.parametrize("made", [k_means, gaussian_mixture])
def test_clusters_of_windows_tell_calm_from_storm(made: Any) -> None:
    found = made(RETURNS, 2, 20, 0)
    own = found.tokens(RETURNS)
    order = matched(TRUTH, own, 2)
    assert agreement(TRUTH, np.argsort(order)[own]) > 0.9
    np.testing.assert_allclose(np.sort(found.deviations), [CALM, STORM], rtol=0.25)


def test_a_token_knows_nothing_of_later_days() -> None:
    found = k_means(RETURNS, 3, 10, 0)
    changed = RETURNS.copy()
    changed[600:] *= 5
    np.testing.assert_array_equal(found.tokens(changed)[:600], found.tokens(RETURNS)[:600])


def test_a_window_s_summary_is_of_the_days_that_there_are() -> None:
    first, *_ = summaries(np.array([2.0, 0.0, 0.0]), 3, 1.0)
    np.testing.assert_allclose(first, [1.0, np.log(2.0)])
    assert windows_of(np.arange(4.0), 1).tolist() == [[0], [1], [2], [3]]


def test_labels_are_matched_so_that_most_days_agree() -> None:
    old = np.array([0, 0, 1, 1, 2, 2])
    new = np.array([1, 1, 2, 0, 0, 0])
    order = matched(old, new, 3)
    assert order == [1, 2, 0]
    assert agreement(old, np.argsort(order)[new]) == pytest.approx(5 / 6)
    assert shared_days(old, new, 3).sum() == 6
