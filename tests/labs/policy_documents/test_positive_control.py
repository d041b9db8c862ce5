"""The whole way from texts to a forecast: documents, encoding, channels, market, refits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import goldviz.api
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.simulated import ToneResponse, simulated_market
from goldviz.data.texts.dated_texts import DatedTexts, order_of_release
from goldviz.data.texts.kept_documents import documents_at_hand, keep_documents
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.gold_forecast.measures import Reading
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.policy_documents.compute import compute
from goldviz.labs.policy_documents.market import ChannelChoice, market_with_documents
from goldviz.labs.policy_documents.settings import PolicyDocuments

CONTROL = GoldForecast.preset("documents-that-move-gold").changed(documents="none", tone_response=0.0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    documents_at_hand.cache_clear()


def statements() -> DatedTexts:
    documents = generated_documents()
    return replace(documents, texts=tuple(text for text in documents.texts if text.kind == "Statement"))


def with_words_dealt_out(documents: DatedTexts, seed: int) -> DatedTexts:
    order = np.random.default_rng(seed).permutation(len(documents.texts))
    texts = [
        replace(text, text=documents.texts[other].text) for text, other in zip(documents.texts, order, strict=True)
    ]
    return replace(documents, texts=tuple(sorted(texts, key=order_of_release)))


def better(documents: DatedTexts, size: float, market_seed: int) -> bool:
    """Whether a forecast that was given these documents has skill in a market that answers to the right ones."""
    asked, right = (compute(PolicyDocuments(documents=keep_documents(one))) for one in (documents, statements()))
    response = ToneResponse(statements().release_days, right["balance"].values, size)
    market = simulated_market(market_seed, response=response)
    market = market_with_documents(market, documents, asked, ChannelChoice(("Statement",), change=False))
    found = goldviz.api.run(CONTROL.changed(data=keep(market)), progress=False)
    return Reading.of(found).own.better


@pytest.mark.slow
@pytest.mark.parametrize("market_seed", range(5))
def test_documents_that_move_a_market_are_found_on_their_way_through_the_page(market_seed: int) -> None:
    assert better(statements(), 0.3, market_seed)
    assert not better(with_words_dealt_out(statements(), market_seed), 0.3, market_seed)
    assert not better(statements(), 0.0, market_seed)
