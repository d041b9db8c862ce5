"""The clocks of a market's last days."""

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.market import Channel, Market, Release
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.views.observations import clock_view

DAYS = pd.DatetimeIndex(["2024-07-01", "2024-07-02", "2024-07-03", "2024-07-04", "2024-07-05"])


@pytest.fixture
def market() -> Market:
    """Gold at noon on each day; a rate at six on the day after, which has no value on the last day but one."""
    gold = Channel("gold", "Gold", pd.Series([1.0, 2, 3, 4, 5], DAYS), "difference", Release("12:00", "UTC"))
    late = Release("06:00", "UTC", days=1)
    rate = Channel("rate", "Rate", pd.Series([1.0, 2, 3, np.nan, 5], DAYS), "difference", late)
    return Market((gold, rate), "file", "by hand", DAYS[-1])


def test_a_clock_counts_from_the_midnight_of_the_date_that_a_value_carries(market: Market) -> None:
    ds = clock_view(market)
    np.testing.assert_array_equal(ds["clock_day"].values, DAYS[-3:].to_numpy().astype("datetime64[s]"))
    np.testing.assert_array_equal(ds["out_after"].values, [[12, 30], [12, np.nan], [12, 30]])


def test_the_share_that_is_out_counts_covariates_alone(market: Market) -> None:
    ds = clock_view(market)
    assert [measures.out_by(ds, hour) for hour in (12, 29, 30)] == [0.0, 0.0, 1.0]
    assert np.isnan(measures.out_by(clock_view(market.only(["gold"])), 12))
