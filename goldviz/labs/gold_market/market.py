"""The market that a page of *Gold market* looks at."""

from __future__ import annotations

from functools import lru_cache

from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Market
from goldviz.data.markets.statements import answering_market, statement_tones, with_statements


@lru_cache(maxsize=4)
def market_at_hand(name: str, seed: int, tone_response: float = 0.0) -> Market:
    """The market of this name, kept in memory: knobs are turned many times on the same one.

    A simulated one that was told to answer to statements has their tone as its last channel.
    """
    if name != SIMULATED or not tone_response:
        return load_market(name, seed)
    tones = statement_tones()
    return with_statements(answering_market(seed, tones, tone_response), tones, "Generated statements")
