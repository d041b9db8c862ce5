"""Data and settings that have no result: a sentence each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.declare.settings import SettingsError
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.tokenisers import written
from tests.refusals import refused

TODAY = pd.Timestamp("2024-12-31", tz="UTC")


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))


def market_of(prices: Any, days: Any = None) -> Any:
    days = pd.bdate_range("2020-01-01", periods=len(prices)) if days is None else days
    channel = Channel("own", "Own price", pd.Series(np.asarray(prices, float), days, name="own"), "log_return")
    return keep(Market((channel,), "file", "own.csv", TODAY))


def asked(prices: Any, days: Any = None, **changes: Any) -> Any:
    return PriceTokens(data=market_of(prices, days), train_years=1, test_years=0.5, **changes)


def walk(count: Any) -> Any:
    return 100 * np.exp(np.cumsum(0.01 * np.random.default_rng(0).standard_normal(count)))


def test_a_constant_market() -> None:
    with refused(MarketError, "constant", "Own price"):
        token_problem(asked(np.full(600, 100.0)))


def test_a_market_of_two_days() -> None:
    with pytest.raises(MarketError, match=r"need 1.50 years of forecasts; there are 0.00"):
        token_problem(asked([100.0, 101.0]))


def test_more_clusters_than_days_that_differ() -> None:
    settings = asked(100.0 + np.arange(600) % 2, tokens=20, tokeniser="kmeans")
    problem = token_problem(settings)
    with refused(MarketError, "too_few", "20 tokens need as many different returns", "there are ", "Lower tokens"):
        written(settings, problem.returns, problem.starts)


def test_gaps_are_kept_and_said() -> None:
    days = pd.bdate_range("2020-01-01", periods=700)
    days = days[(days < pd.Timestamp("2020-05-01")) | (days > pd.Timestamp("2020-06-15"))]
    problem = token_problem(asked(walk(len(days)), days))
    [note] = problem.notes
    assert note.startswith("The longest gap is 47 days, before 2020-06-16")
    assert np.isfinite(problem.returns).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"network": "gpt", "hidden": 30}, "allowed is a multiple of 4"),
        ({"tokens": 1}, "Tokens is 1; allowed is a whole number from 2 to 64"),
        ({"window": 0}, "Window is 0; allowed is a whole number from 1 to 60"),
    ],
    ids=str,
)
def test_settings_that_are_not_allowed(changes: Any, words: Any) -> None:
    with pytest.raises(SettingsError, match=words):
        PriceTokens.checked(changes)
