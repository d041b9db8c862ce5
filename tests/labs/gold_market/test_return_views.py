"""Volatility, distribution and memory of a target's changes, against closed forms and trusted libraries."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kurtosis, norm
from statsmodels.tsa.stattools import acf

from goldviz.data.markets.market import Channel
from goldviz.labs.gold_market.views.returns import (
    FARTHEST_BIN,
    LEAST_RETURNS,
    changes,
    distribution_view,
    memory_view,
    price_view,
    volatility_view,
)
from tests.data.markets.small_market import small_market

MOVES = np.random.default_rng(0).standard_t(4, 3000)


def test_a_level_changes_by_differences_and_a_price_by_log_returns() -> None:
    days = pd.bdate_range("2024-01-01", periods=3)
    values = pd.Series([1.0, 2.0, 4.0], days)
    assert changes(Channel("x", "X", values, "level")).tolist() == [1.0, 2.0]
    np.testing.assert_allclose(changes(Channel("x", "X", values, "log_return")), np.log(2), rtol=1e-15)


def test_both_volatilities_are_those_of_the_changes_before() -> None:
    gold = small_market().target
    view, moves = volatility_view(gold, 30), changes(gold).to_numpy()
    for day in (LEAST_RETURNS, 45, 98):
        # Running sums lose a few digits against two passes.
        before = moves[:day]
        assert view["rolling_sd"][day] == pytest.approx(np.std(before[-30:], ddof=1), rel=1e-9)
        assert view["expanding_sd"][day] == pytest.approx(np.std(before, ddof=1), rel=1e-9)
    assert np.isnan(view["rolling_sd"][:LEAST_RETURNS]).all()


@given(day=st.integers(25, 97), factor=st.floats(0.5, 2))
def test_what_comes_from_a_day_on_changes_no_volatility_up_to_it(day: int, factor: float) -> None:
    gold = small_market().target
    values = gold.values.copy()
    values.iloc[day + 1 :] *= factor
    altered = Channel("gold", "Gold", values, "log_return", gold.release)
    for name in ("rolling_sd", "expanding_sd"):
        first, second = (volatility_view(channel, 30)[name].values[: day + 1] for channel in (gold, altered))
        np.testing.assert_array_equal(first, second)


def test_the_histogram_holds_every_move_and_the_gaussian_as_many() -> None:
    view = distribution_view(MOVES)
    assert int(view["count"].sum()) + view.attrs["off_scale"] == len(MOVES)
    # What is left over lies beyond the last bins of a Gaussian.
    assert float(view["gaussian"].sum()) == pytest.approx(len(MOVES), rel=1e-6)
    assert view.attrs["excess_kurtosis"] == pytest.approx(kurtosis(MOVES), rel=1e-12)
    z = (MOVES - MOVES.mean()) / MOVES.std()
    assert view.attrs["beyond"] == (np.abs(z) > 4).sum()
    assert view.attrs["gaussian_beyond"] == pytest.approx(2 * len(MOVES) * norm.sf(4), rel=1e-12)


def test_each_bin_counts_what_lies_in_it() -> None:
    view = distribution_view(MOVES)
    half = view.attrs["bin_width"] / 2
    for middle, count in zip(view["bin"].values[::9], view["count"].values[::9], strict=True):
        assert count == ((middle - half <= MOVES) & (middle + half > MOVES)).sum()


def test_a_wild_move_is_counted_beyond_the_axis() -> None:
    view = distribution_view(np.append(MOVES, 1e6))
    assert view.attrs["off_scale"] == 1
    assert view.sizes["bin"] == 8 * FARTHEST_BIN + 1


def test_autocorrelation_is_that_of_statsmodels() -> None:
    view = memory_view(MOVES)
    np.testing.assert_allclose(view["of_changes"], acf(MOVES, nlags=40)[1:], atol=1e-12)
    np.testing.assert_allclose(view["of_squares"], acf((MOVES - MOVES.mean()) ** 2, nlags=40)[1:], atol=1e-12)


def test_the_band_holds_nineteen_of_twenty_lags_of_white_noise() -> None:
    drawn = np.random.default_rng(1)
    inside = []
    for _ in range(50):
        view = memory_view(drawn.standard_normal(1000))
        inside.append(np.abs(view["of_changes"].values) < view.attrs["noise"])
    # 2,000 lags: the standard error is half a percent.
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_without_a_covariate_nothing_stands_beside() -> None:
    market = small_market()
    assert price_view(market, 2).sizes["beside_day"] == market.channel("coin").observed.size
    assert price_view(market.only(["gold"]), 0).sizes["beside_day"] == 0
