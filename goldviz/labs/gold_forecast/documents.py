"""Policy documents in the *Forecast lab*: the tone of generated statements beside a market's channels.

Document 001, section 4.2.3. The market can be told to answer to what the statements say: a positive control.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.statements import answering_market, dealt_out, statement_tones, with_statements

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

ORIGINS = {"generated": "Generated statements", "shuffled": "Generated statements, dealt out at random"}


def market_with_statements(settings: GoldForecast) -> Market:
    """The settings' market, which answers to statements where that is planted, with their tone after its channels.

    Raises :class:`MarketError` for statements beside real data, whose days they know nothing of.
    """
    if settings.documents == "none" and not settings.tone_response:
        return load_market(settings.data, settings.market_seed)
    if settings.data != SIMULATED:
        raise MarketError(
            "Generated statements belong to the simulated market: choose it, or set documents to none and tone "
            "response to 0. Your own documents become channels of your market on the page Policy documents.",
            "simulated",
        )
    tones = statement_tones()
    market = answering_market(settings.market_seed, tones, settings.tone_response)
    if settings.documents == "none":
        return market
    tones_in_place = tones if settings.documents == "generated" else dealt_out(tones, settings.market_seed)
    return with_statements(market, tones_in_place, ORIGINS[settings.documents])
