"""A market's last years as one dataset."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from goldviz.data.markets.alignment import Alignment
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.simulated import simulated_market
from goldviz.labs.gold_market.compute import in_last_years, market_at_hand, market_view
from goldviz.labs.gold_market.settings import GoldMarket
from tests.data.markets.small_market import small_market, with_values
from tests.refusals import refused


def _view(
    market: Market, number: int = 1, by: Alignment = "release", pattern: str = "none", years: int = 20
) -> xr.Dataset:
    return market_view(market, GoldMarket(years=years, channel=number, alignment=by, missing=pattern, window=30))


def test_the_last_years_end_with_the_targets_last_value() -> None:
    market = in_last_years(simulated_market(0), 3)
    assert market.last == pd.Timestamp("2024-12-31")
    for channel in market.channels:
        assert channel.values.index.min() > pd.Timestamp("2021-12-31")
        assert channel.values.index.max() <= market.last


def test_too_few_values_are_told_in_a_sentence() -> None:
    with pytest.raises(MarketError) as caught:
        _view(small_market(days=50), years=1)
    assert str(caught.value) == "Gold has 50 values; these figures need at least 60. Choose other data."
    monthly = small_market(days=900)
    monthly = with_values(monthly, "gold", lambda values: values.iloc[::10])
    with refused(MarketError, "too_few", "in the 1 year before", "Raise Years"):
        _view(monthly, years=1)


def test_a_target_that_never_moves_is_refused() -> None:
    with refused(MarketError, "constant", "Gold is 7"):
        _view(with_values(small_market(), "gold", lambda values: values * 0 + 7))


def test_a_covariate_without_log_return_is_named_with_its_date() -> None:
    market = with_values(small_market(), "coin", lambda values: values - 1000)
    with pytest.raises(MarketError, match=r"Coin was -\d+.* on 2024-02-10"):
        _view(market)


def test_the_simulated_market_is_called_so() -> None:
    view = _view(simulated_market(0), years=2)
    assert view.attrs["simulated"] == 1
    assert view.attrs["data_last"] == "2024-12-31"
    assert _view(small_market()).attrs["simulated"] == 0


def test_a_number_beyond_the_last_covariate_means_the_last() -> None:
    xr.testing.assert_identical(_view(small_market(), number=60), _view(small_market(), number=2))
    alone = _view(small_market().only(["gold"]), number=5)
    assert alone.attrs["number"] == 0
    assert alone.sizes["beside_day"] == 0


@pytest.mark.parametrize("pattern", ["random", "blocks", "channel"])
def test_the_same_market_and_seed_give_the_same_numbers(pattern: str) -> None:
    xr.testing.assert_identical(_view(small_market(), pattern=pattern), _view(small_market(), pattern=pattern))


def test_how_rows_are_joined_changes_what_stands_in_them_and_neither_correlation() -> None:
    market = simulated_market(1)
    release, date = (_view(market, by=by, years=2) for by in ("release", "date"))  # type: ignore[arg-type]
    for name in ("known_rolling", "joined_rolling", "known_overall", "joined_overall", "change", "count"):
        np.testing.assert_array_equal(release[name], date[name])
    assert int(release["too_early"].sum()) == 0
    assert int(date["too_early"].sum()) > 1000


def test_a_covariate_that_has_no_value_in_these_years_is_there_and_empty() -> None:
    market = with_values(small_market(days=400), "coin", lambda values: values.iloc[:30])
    view = _view(market, number=2, years=1)
    assert view["observed"].sel(channel="coin") == 0
    assert view.sizes["beside_day"] == 0


def test_a_market_is_read_once() -> None:
    assert market_at_hand("simulated", 5) is market_at_hand("simulated", 5)
    with pytest.raises(MarketError, match="does not hold the market"):
        market_at_hand("a" * 16, 0)
