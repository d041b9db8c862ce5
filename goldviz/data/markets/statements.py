"""Generated statements beside the simulated market: their tones, a market that answers to them, a channel of them.

Document 001, section 4.2.3. A market that was told to answer is a positive control.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from goldviz.data.markets.market import Channel, Market, Release
from goldviz.data.markets.release_words import release_words
from goldviz.data.markets.simulated import ToneResponse, simulated_market
from goldviz.data.markets.statement_tones import READ
from goldviz.data.markets.text_channels import TONE_CHANNEL, with_text_channels
from goldviz.data.texts.dated_texts import NEW_YORK_AFTERNOON

DEALING_STREAM = 3
"""Beside the market's seed, as the streams of masking and shuffling."""


def statement_tones() -> pd.Series:
    """P(positive) - P(negative) of each generated statement, as the shipped model reads it, by day of release.

    >>> statement_tones().index[0].isoformat(), len(statement_tones())
    ('2005-01-05T00:00:00', 161)
    """
    words = READ.split()
    return pd.Series([float(tone) for tone in words[1::2]], pd.DatetimeIndex(words[::2]))


def dealt_out(tones: pd.Series, seed: int) -> pd.Series:
    """The same statements dealt out at random among the days: whatever they say, they say it of another time."""
    order = np.random.default_rng([seed, DEALING_STREAM]).permutation(len(tones))
    return pd.Series(tones.to_numpy()[order], tones.index)


def answering_market(seed: int, tones: pd.Series, size: float) -> Market:
    """The simulated market of this seed, whose gold answers to these tones by day of release; not for a size of 0."""
    response = ToneResponse(pd.DatetimeIndex(tones.index), tones.to_numpy(), size) if size else None
    return simulated_market(seed, response=response)


def with_statements(market: Market, tones: pd.Series, origin: str) -> Market:
    """The market with these tones of generated statements as a channel after its own."""
    words = "Tone of policy documents (generated)"
    channel = Channel(TONE_CHANNEL, words, tones, "level", Release(*NEW_YORK_AFTERNOON))
    note = f"Known from {release_words(channel.release)} on the day of release. Read by the shipped model."
    return with_text_channels(market, [channel], {channel.name: note}, origin)
