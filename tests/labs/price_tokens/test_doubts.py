"""A market of one's own that no tokens can be made of is told of before a run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.labs.price_tokens.doubts import doubts
from goldviz.labs.price_tokens.settings import PriceTokens


def test_a_market_that_is_too_short_is_told_of_and_one_that_is_not_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    days = pd.bdate_range("2019-01-01", "2023-12-29")
    prices = pd.Series(1900 + np.random.default_rng(1).standard_normal(len(days)).cumsum(), days)
    gold = Channel("gold", "Gold", prices, "log_return")
    key = keep(Market((gold,), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC")))
    with pytest.raises(MarketError, match="Training on 8 years and testing on 6 need"):
        doubts(PriceTokens(data=key))
    assert doubts(PriceTokens(data=key, train_years=2, test_years=2)) == ()
    assert doubts(PriceTokens()) == ()
