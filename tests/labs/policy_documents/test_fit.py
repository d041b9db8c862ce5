"""Documents, their model and a market that do not fit are told of before anything is trained, with what to do."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from goldviz.data.markets.market import Channel, Market
from goldviz.data.texts.dated_tables import TextColumns, texts_from_table
from goldviz.data.texts.dated_texts import DatedText, DatedTexts
from goldviz.data.texts.kept_documents import documents_at_hand, keep_documents
from goldviz.labs.policy_documents.market import (
    ChannelChoice,
    flat_tone,
    market_with_documents,
    misfits,
    no_tone,
    overlap,
)
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.ui.words import plain
from tests.labs.policy_documents.small_documents import small_model
from tests.pages.instant import InstantVisitor

NOW = pd.Timestamp("2026-11-20", tz="UTC")


def market(first: str, last: str) -> Market:
    days = pd.bdate_range(first, last)
    gold = Channel("gold", "Gold", pd.Series(np.linspace(1000, 2000, len(days)), days), "log_return")
    return Market((gold,), "file", "gold_gsr.csv", NOW)


def statements(first: str, last: str) -> DatedTexts:
    days = [day.date() for day in pd.date_range(first, last, freq="45D")]
    texts = (DatedText(day, day, "Statement", f"Rates stay as they are on {day}.") for day in days)
    return DatedTexts(tuple(texts), "fomc.csv")


def read(documents: DatedTexts, tones: np.ndarray | None = None) -> xr.Dataset:
    """What a model made of documents; without ``tones`` it has no classifier."""
    count = len(documents.texts)
    balance = np.full(count, np.nan) if tones is None else tones
    vectors = np.random.default_rng(1).standard_normal((count, 4))
    return xr.Dataset(
        {"balance": ("document", balance), "vector": (("document", "dimension"), vectors)},
        coords={"label": [] if tones is None else ["positive", "negative"]},
        attrs={"model": "folder:bert", "pooling": "mean"},
    )


def test_documents_that_go_on_longer_than_the_market_are_counted() -> None:
    documents = statements("2020-01-06", "2026-06-30")
    late = sum(text.released > date(2024, 12, 31) for text in documents.texts)
    [sentence] = overlap(documents, market("2019-12-02", "2024-12-31"))
    assert sentence == (
        f"{late} of {len(documents.texts)} documents are out after your market ends on 2024-12-31: no forecast reads "
        "them. Bring a market that goes on longer."
    )


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2010-01-04", "2024-12-31", "the first of these documents is out on 2020-01-06: let forecasts begin after"),
        ("2019-12-02", "2026-10-30", "a forecast has only that document. Bring later ones."),
        ("2023-01-02", "2024-11-29", "are out before your market begins on 2023-01-02."),
        ("2010-01-04", "2012-12-31", "None of the 41 documents is out between 2010-01-04 and 2012-12-31"),
    ],
)
def test_every_other_way_not_to_overlap_is_said(first: str, last: str, words: str) -> None:
    found = overlap(statements("2020-01-06", "2024-12-31"), market(first, last))
    assert [sentence for sentence in found if words in sentence], found


def test_what_fits_is_not_talked_about() -> None:
    documents = statements("2020-01-06", "2024-12-31")
    tones = np.random.default_rng(0).uniform(-1, 1, len(documents.texts))
    assert (
        misfits(documents, read(documents, tones), market("2019-12-02", "2025-01-31"), ["Statement"], tone=True) == []
    )


def test_a_flat_tone_is_called_flat_and_a_spread_one_is_not() -> None:
    documents = statements("2020-01-06", "2024-12-31")
    drawn = np.random.default_rng(0).uniform(-1, 1, len(documents.texts))
    everything = range(len(documents.texts))
    flat = flat_tone(read(documents, 0.02 * drawn), everything)
    assert flat.startswith(
        "The tone is flat: folder:bert puts nine in ten of these 41 documents between −0.02 and +0.0"
    )
    assert "leave Tone off" in flat
    assert flat_tone(read(documents, drawn), everything) == ""
    assert flat_tone(read(documents, 0.02 * drawn), range(4)) == ""


def test_why_there_is_no_tone() -> None:
    documents = statements("2020-01-06", "2020-12-31")
    assert "folder:bert has no classifier" in no_tone(read(documents))
    topics = read(documents).assign_coords(label=["gold", "rates"])
    assert "knows gold, rates, not positive and negative" in no_tone(topics)
    assert no_tone(read(documents, np.zeros(len(documents.texts)))) == ""


def test_meetings_without_a_text_stay_known_and_are_named_for_their_market(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    documents_at_hand.cache_clear()
    days = [date(2020, 1, 8) + timedelta(days=42 * number) for number in range(20)]
    rows = "".join(f"{day},{'' if number in (3, 9) else f'Rates are {number}.'}\n" for number, day in enumerate(days))
    found = texts_from_table(f"Date,Text\n{rows}2031-01-08,\n".encode(), "fomc.csv", TextColumns("Date", "Text"))
    documents = documents_at_hand(keep_documents(found))
    assert documents.unwritten == (days[3], days[9], date(2031, 1, 8))
    sentences = misfits(documents, read(documents), market("2020-01-01", "2022-06-30"), ["document"], tone=False)
    assert sentences == [
        f"2 meetings have no text in fomc.csv: {days[3]}, {days[9]}. A forecast goes on with the document before each. "
        "Bring their texts."
    ]


def test_the_market_carries_what_does_not_fit_to_the_page_that_trains() -> None:
    documents = statements("2020-01-06", "2026-06-30")
    choice = ChannelChoice(("Statement",), tone=False, change=True)
    joined = market_with_documents(market("2019-12-02", "2024-12-31"), documents, read(documents), choice)
    assert "documents are out after your market ends on 2024-12-31" in joined.notes["text change"]


@pytest.mark.usefixtures("on_pages")
def test_the_page_does_not_offer_the_tone_of_a_model_without_a_classifier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    monkeypatch.setenv("GOLDVIZ_MODELS", str(tmp_path))
    small_model(tmp_path / "plain bert", classifier=False)
    few = DatedTexts(statements("2021-01-06", "2021-12-31").texts, "fomc.csv")
    visitor = InstantVisitor(PolicyDocuments, {"model": "folder:plain bert", "documents": keep_documents(few)})
    visitor.open("channels")
    assert any(plain("Tone is not offered: plain bert has no classifier") in line for line in visitor.captions)
    assert not [toggle for toggle in visitor.at.toggle if toggle.key == "channel-tone"]
    visitor.click("add-channels")
    assert not visitor.errors
