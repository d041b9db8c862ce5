"""What a leaderboard's cards say of its recorded runs: the trap of each preset, and who is ahead."""

import numpy as np
import pytest
import xarray as xr

from goldviz.labs.leaderboard import LAB
from goldviz.labs.leaderboard.measures import Reading, change, leader, loader_sizes
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.runs.examples import example

SPOKEN = {
    "one-forecast-many-scores": {"undecided", "follows"},
    "a-linear-map-beside-transformers": {"ahead"},
    "informer-beside-a-linear-map": {"ahead", "follows"},
    "break-it-last-batch-dropped": {"dropped_batch", "undecided", "follows"},
    "break-it-one-row-reads-more": {"longer_look_back"},
    "break-it-scaled-with-all": {"whole_scaling", "undecided", "follows"},
    "break-it-best-of-five-seeds": {"best_seed", "undecided", "follows"},
    "break-it-stopped-by-the-test-part": {"test_stopping", "undecided", "follows"},
    "break-it-a-step-late": {"follows", "ahead"},
    "break-it-a-third-digit": {"undecided"},
    "fix-it-seeds-and-intervals": {"undecided"},
}


@pytest.mark.parametrize("preset", Leaderboard.presets, ids=lambda preset: preset.slug)
def test_each_preset_s_cards(preset):
    settings = Leaderboard.preset(preset.slug)
    findings = LAB.findings(settings, example(Leaderboard, preset.slug))
    assert {finding.kind for finding in findings} == SPOKEN[preset.slug]


def test_dropping_a_batch_crowns_another_row():
    """The sentence of the preset: the very same forecasts, and another leader."""
    runs = [example(Leaderboard, slug) for slug in ("one-forecast-many-scores", "break-it-last-batch-dropped")]
    told = [run["told"].isel(epoch=-1) for run in runs]
    assert [leader(one) for one in told] == ["repeat", "dlinear"]
    np.testing.assert_array_equal(*(run["forecast"].values for run in runs))
    assert Reading(runs[1]).changed("dropped_batch")[1] == pytest.approx(-0.466, abs=5e-4)


def test_the_seeds_of_the_last_preset_differ_in_the_third_digit():
    scores = example(Leaderboard, "fix-it-seeds-and-intervals")["score"].isel(epoch=-1).sel(forecaster="nlinear")
    assert 5e-4 < np.ptp(scores.values) < 5e-3


def test_a_score_of_zero_has_no_change_and_a_run_without_scores_no_leader():
    zero, one = xr.DataArray([0.0, 2.0], dims="forecaster"), xr.DataArray([1.0, 3.0], dims="forecaster")
    np.testing.assert_array_equal(change(zero, one), [np.nan, 0.5])
    none = xr.DataArray([np.nan], {"forecaster": ["repeat"]}, "forecaster")
    assert leader(none) == ""


@pytest.mark.parametrize(("windows", "sizes"), [(705, [1, 128, 512]), (200, [1, 32, 128]), (20, [1])])
def test_the_first_figure_marks_loaders_that_fit(windows, sizes):
    assert loader_sizes(xr.Dataset(attrs={"windows": windows})) == sizes
