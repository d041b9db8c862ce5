"""Hidden observations are as many as asked for, and hiding them looks at nothing."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.alignment import Panel
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.masking import masked
from goldviz.data.markets.missing_patterns import BLOCK_ROWS, LEAST_GAP_ROWS, MISSING_PATTERNS
from tests.refusals import refused

SHARES = st.floats(0, 0.95)
COMMON_SHARES = st.floats(0.05, 0.95)
"""Large enough for six standard deviations to bound the number of hidden rows."""
SEEDS = st.integers(0, 9999)


def panel(rows, channels, seed=0, observed=0.7):
    """A panel of which a part is observed."""
    generator = np.random.default_rng(seed)
    values = generator.standard_normal((rows, channels))
    values[generator.random(values.shape) > observed] = np.nan
    dates = pd.date_range("2000-01-01", periods=rows)
    names = tuple(f"c{number}" for number in range(channels))
    return Panel(dates, dates.tz_localize("UTC"), names, values, generator.random(rows) + 1)


def hidden(whole, part):
    return np.isfinite(whole.values) & np.isnan(part.values)


def runs(row):
    """Lengths of the runs of true values that neither begin nor end at the border."""
    edges = np.flatnonzero(np.diff(row.astype(int)))
    lengths, kinds = np.diff(edges), row[edges[:-1] + 1]
    return lengths[kinds], lengths[~kinds]


@given(st.sampled_from([*MISSING_PATTERNS]), SHARES, SEEDS, st.integers(1, 6))
def test_only_observations_of_covariates_are_taken_away(pattern, share, seed, channels):
    whole = panel(60, channels, seed)
    before = whole.values.copy()
    part = masked(whole, pattern, share, np.random.default_rng(seed))
    np.testing.assert_array_equal(whole.values, before)
    np.testing.assert_array_equal(part.values[:, 0], whole.values[:, 0])
    np.testing.assert_array_equal(part.price, whole.price)
    left = np.isfinite(part.values)
    np.testing.assert_array_equal(part.values[left], whole.values[left])
    if pattern == "none" or share == 0:
        assert not hidden(whole, part).any()


@given(st.sampled_from([*MISSING_PATTERNS]), SHARES, SEEDS, st.integers(1, 59))
def test_what_comes_later_changes_nothing_before_it(pattern, share, seed, rows):
    whole = panel(60, 4, seed)
    later = whole.values.copy()
    later[rows:] = np.where(np.isnan(later[rows:]), 1.0, np.nan)
    ended = replace(whole, values=whole.values[:rows], dates=whole.dates[:rows], price=whole.price[:rows])
    first, altered, shorter = (
        masked(one, pattern, share, np.random.default_rng(seed)).values[:rows]
        for one in (whole, replace(whole, values=later), ended)
    )
    np.testing.assert_array_equal(altered, first)
    np.testing.assert_array_equal(shorter, first)


@given(COMMON_SHARES, SEEDS)
def test_single_observations_are_hidden_with_the_chance_asked_for(share, seed):
    whole = panel(5000, 4, seed)
    gone = hidden(whole, masked(whole, "random", share, np.random.default_rng(seed)))[:, 1:]
    count = np.isfinite(whole.values[:, 1:]).sum()
    assert gone.sum() == pytest.approx(share * count, abs=6 * np.sqrt(count * share * (1 - share)))


@given(COMMON_SHARES, SEEDS)
def test_blocks_hide_the_share_asked_for_in_runs_for_all_covariates_at_once(share, seed):
    rows = 20_000
    whole = panel(rows, 3, seed, observed=1.0)
    gone = hidden(whole, masked(whole, "blocks", share, np.random.default_rng(seed)))
    np.testing.assert_array_equal(gone[:, 1], gone[:, 2])
    length = max(BLOCK_ROWS, LEAST_GAP_ROWS * share / (1 - share))
    # The number of hidden rows of a two-state chain has this variance, with the lag-1 autocorrelation 1 - in - out.
    autocorrelation = 1 - 1 / length - share / ((1 - share) * length)
    spread = np.sqrt(rows * share * (1 - share) * (1 + autocorrelation) / (1 - autocorrelation))
    assert gone[:, 1].sum() == pytest.approx(share * rows, abs=6 * spread)


@pytest.mark.parametrize(("share", "hidden_rows", "gap_rows"), [(0.2, 10, 40), (0.5, 10, 10), (0.9, 18, 2)])
def test_blocks_and_the_gaps_between_them_have_their_mean_lengths(share, hidden_rows, gap_rows):
    whole = panel(200_000, 2, observed=1.0)
    blocks, gaps = runs(hidden(whole, masked(whole, "blocks", share, np.random.default_rng(1)))[:, 1])
    # Geometric lengths, so their standard deviation is about their mean; there are thousands.
    assert blocks.mean() == pytest.approx(hidden_rows, abs=6 * hidden_rows / np.sqrt(len(blocks)))
    assert gaps.mean() == pytest.approx(gap_rows, abs=6 * gap_rows / np.sqrt(len(gaps)))


@given(SHARES, SEEDS, st.integers(1, 9))
def test_as_many_whole_channels_go_as_the_share_says(share, seed, covariates):
    whole = panel(30, 1 + covariates, seed, observed=1.0)
    gone = hidden(whole, masked(whole, "channel", share, np.random.default_rng(seed)))[:, 1:]
    assert (gone.all(0) == gone.any(0)).all()
    assert gone.all(0).sum() == round(share * covariates)


def test_every_channel_can_be_the_one_that_goes():
    whole = panel(2, 4, observed=1.0)
    drawn = [hidden(whole, masked(whole, "channel", 0.3, np.random.default_rng(seed)))[0] for seed in range(60)]
    assert np.sum(drawn, 0).tolist()[0] == 0
    assert (np.sum(drawn, 0)[1:] > 0).all()


@pytest.mark.parametrize("pattern", ["random", "blocks"])
def test_the_generator_decides(pattern):
    whole = panel(200, 3)
    first, again, other = (masked(whole, pattern, 0.5, np.random.default_rng(seed)).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other, equal_nan=True)


@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_that_cannot_be_is_named(share):
    with refused(MarketError, "not_allowed", f"{share:g}"):
        masked(panel(5, 2), "random", share, np.random.default_rng(0))
