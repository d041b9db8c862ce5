"""Policy documents in the *Forecast lab*: the tone of generated statements beside a market's channels.

Document 001, section 4.2.3. The market can be told to answer to what the statements say: a positive control.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Channel, Market, MarketError, Release
from goldviz.data.markets.simulated import ToneResponse, simulated_market
from goldviz.data.markets.text_channels import release_in_words, with_text_channels
from goldviz.data.texts.dated_texts import NEW_YORK_AFTERNOON
from goldviz.labs.gold_forecast.statement_tones import READ

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

DEALING_STREAM = 3
"""Beside the market's seed, as the streams of masking and shuffling."""
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
            "response to 0. Your own documents become channels of your market on the page Policy documents."
        )
    tones = statement_tones()
    market = simulated_market(settings.market_seed, response=response_to(tones, settings.tone_response))
    if settings.documents == "none":
        return market
    seen = tones if settings.documents == "generated" else dealt_out(tones, settings.market_seed)
    channel = Channel("text tone", "Tone of policy documents (generated)", seen, "level", Release(*NEW_YORK_AFTERNOON))
    note = f"Known from {release_in_words(channel.release)} on the day of release. Read by the shipped model."
    return with_text_channels(market, [channel], {channel.name: note}, ORIGINS[settings.documents])


def statement_tones() -> pd.Series:
    """P(positive) - P(negative) of each generated statement, as the shipped model reads it, by day of release.

    >>> statement_tones().index[0].isoformat(), len(statement_tones())
    ('2005-01-05T00:00:00', 161)
    """
    words = READ.split()
    return pd.Series([float(tone) for tone in words[1::2]], pd.DatetimeIndex(words[::2]))


def response_to(tones: pd.Series, size: float) -> ToneResponse | None:
    """A market that answers to these tones; None for a size of 0."""
    return ToneResponse(pd.DatetimeIndex(tones.index), tones.to_numpy(), size) if size else None


def dealt_out(tones: pd.Series, seed: int) -> pd.Series:
    """The same statements dealt out at random among the days: whatever they say, they say it of another time."""
    order = np.random.default_rng([seed, DEALING_STREAM]).permutation(len(tones))
    return pd.Series(tones.to_numpy()[order], tones.index)
