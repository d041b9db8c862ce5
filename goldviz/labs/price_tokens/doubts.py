"""What should be known of a visitor's own market before a run: why no tokens can be made of it."""

from __future__ import annotations

from functools import lru_cache

from goldviz.data.markets.warnings import market_warnings
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens

OF_THE_PROBLEM = ("data", "market_seed", "returns", "shuffle_days", "train_years", "test_years", "refits")
"""The settings that say what is forecast from what."""


def doubts(settings: PriceTokens) -> tuple[str, ...]:
    """Nothing; raises :class:`goldviz.data.markets.market.MarketError` where no tokens can be made of one's market."""
    return market_warnings(settings, OF_THE_PROBLEM, problem_doubts)


@lru_cache(maxsize=32)
def problem_doubts(settings: PriceTokens) -> list[str]:
    """The same, which is asked once."""
    token_problem(settings)
    return []
