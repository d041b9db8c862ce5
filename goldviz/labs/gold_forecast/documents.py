"""Policy documents in the *Forecast lab*: generated statements, read by the shipped model, beside a market's channels.

Document 001, section 4.2.3. The market can be told to answer to what the statements say: a positive control.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.simulated import ToneResponse, simulated_market
from goldviz.data.markets.text_channels import TextSeries, release_in_words, text_channels, with_text_channels
from goldviz.data.texts.dated_texts import DatedTexts
from goldviz.data.texts.policy.generated import generated_documents
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME, load_text_model
from goldviz.models.text.model import TextModel
from goldviz.texts.encoding import encoded
from goldviz.texts.tone import tone_balance

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

DEALING_STREAM = 3
"""Beside the market's seed, as the streams of masking and shuffling."""


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
    statements = generated_statements()
    market = simulated_market(settings.market_seed, response=response_to(statements, settings.tone_response))
    if settings.documents == "none":
        return market
    seen = statements if settings.documents == "generated" else dealt_out(statements, settings.market_seed)
    [tone] = text_channels(seen, [TextSeries("text tone", "Tone of policy documents", read_tones(seen))])
    note = f"Known from {release_in_words(seen.release)} on the day of release. Read by {SHIPPED_NAME}."
    return with_text_channels(market, [tone], {tone.name: note}, seen.origin)


@cache
def generated_statements() -> DatedTexts:
    """The statements among the generated documents."""
    documents = generated_documents()
    return replace(documents, texts=tuple(text for text in documents.texts if text.kind == "Statement"))


def response_to(documents: DatedTexts, size: float) -> ToneResponse | None:
    """A market that answers to the tone which the shipped model reads; None for a size of 0."""
    return ToneResponse(documents.release_days, read_tones(documents), size) if size else None


def dealt_out(documents: DatedTexts, seed: int) -> DatedTexts:
    """The same words dealt out at random among the days of release: whatever they say, they say it of another time."""
    order = np.random.default_rng([seed, DEALING_STREAM]).permutation(len(documents.texts))
    words = [documents.texts[number].text for number in order]
    texts = tuple(replace(text, text=said) for text, said in zip(documents.texts, words, strict=True))
    return replace(documents, texts=texts, origin=f"{documents.origin}, dealt out at random")


def read_tones(documents: DatedTexts) -> Float[np.ndarray, " document"]:
    """P(positive) - P(negative) of each document, by the shipped model."""
    return np.array([_read_tone(text.text) for text in documents.texts])


@cache
def _read_tone(text: str) -> float:
    model = _reader()
    return float(tone_balance(encoded(model, text).tone[None], model.labels)[0])


@cache
def _reader() -> TextModel:
    return load_text_model(SHIPPED_FOLDER, SHIPPED_NAME)
