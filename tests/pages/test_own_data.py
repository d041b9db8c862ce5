"""A visitor has one market, one text and one model of texts for all pages, and each page says whose data it shows."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.files import market_from_file
from goldviz.data.markets.kept_markets import keep
from goldviz.data.texts.dated_tables import TextColumns, texts_from_table
from goldviz.data.texts.dated_texts import ReleaseRule
from goldviz.data.texts.kept_documents import keep_documents
from goldviz.data.texts.kept_texts import keep_text
from goldviz.export.report import report_of_run
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.ui.panels import controls, trained_on
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.visit import PATIENCE_SECONDS, Visitor
from tests.text_model_folders import with_classifier
from tests.thinned import thinned

pytestmark = pytest.mark.usefixtures("on_pages")

FILE = "gold_gsr.csv"
SMALL = {
    "network": "rnn",
    "hidden": "4",
    "window": "5",
    "epochs": "1",
    "refits": "1",
    "train_years": "1",
    "test_years": "1",
}


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    return tmp_path


def own_market(file: str = FILE, periods: int = 900) -> str:
    days = pd.bdate_range("2018-01-01", periods=periods)
    drawn = np.random.default_rng(len(file)).standard_normal((len(days), 2))
    prices = 1900 * np.exp(np.cumsum(0.01 * drawn, axis=0))
    content = pd.DataFrame({"Date": days, "Gold": prices[:, 0], "Silver": prices[:, 1]}).to_csv(index=False).encode()
    return keep(market_from_file(content, file, retrieved=pd.Timestamp("2026-11-20", tz="UTC")))


def page_of(declared: Any) -> str:
    return f"pages/{declared.name.replace('-', '_')}.py"


def set_to(visitor: Visitor, declared: Any, name: str) -> Any:
    return visitor.at.session_state[controls.key_of(declared, name)]


def said(visitor: Visitor, words: str) -> bool:
    return any(words in line for line in [*visitor.markdown, *visitor.captions])


@pytest.mark.parametrize(
    ("declared", "link", "learned"),
    thinned(
        [
            (ODERNNLaboratory, {"task": "market"}, "“Damped oscillator”"),
            (PriceTokens, {}, "the simulated market"),
            (GoldForecast, SMALL, "the simulated market"),
        ]
    ),
)
def test_a_link_s_market_is_the_visitor_s_on_other_pages_until_it_is_changed(
    declared: Any, link: dict[str, str], learned: str
) -> None:
    key, other = own_market(), own_market("silver.csv")
    visitor = Visitor(page_of(GoldMarket), {"data": key}).go(page_of(declared), link)
    assert set_to(visitor, declared, "data") == key
    assert said(visitor, f"**{plain(FILE)}**")
    assert said(visitor, f"Not trained on **{plain(FILE)}** yet. This example has learned {learned}.")
    visitor.go(page_of(GoldMarket), {"data": other}).go(page_of(declared))
    assert said(visitor, "Not trained on **silver\\.csv** yet")
    assert not said(visitor, plain(FILE))


def test_two_files_of_one_name_are_told_apart_by_what_they_hold() -> None:
    mine, other = (GoldForecast(data=own_market(periods=periods)) for periods in (900, 600))
    assert trained_on.apart(mine, mine, {}) == []
    assert trained_on.apart(mine, other, {"data": FILE}) == [
        (f"{FILE} (2018-01-01 to 2021-06-11, 1,800 values)", f"{FILE} (2018-01-01 to 2020-04-17, 1,200 values)")
    ]
    gone = other.changed(data="0123456789abcdef")
    assert trained_on.apart(mine, gone, {"data": FILE}) == [(FILE, f"other data called {FILE}")]


def test_the_preset_of_a_page_stays_chosen_on_a_text_of_one_s_own() -> None:
    own = keep_text(b"To be or not to be, that is the question. " * 400, "hamlet.txt").name
    visitor = Visitor(page_of(CharGpt), {"corpus": own})
    assert visitor.at.selectbox(key="preset-char-gpt").value == CharGpt.presets[0].slug


@pytest.mark.slow
def test_train_beside_the_sentence_trains_on_the_visitor_s_market() -> None:
    visitor = Visitor(page_of(GoldForecast), {"data": own_market(), **SMALL})
    visitor.click("train-on-example:as-in-the-document").wait_for("Finished")
    assert not said(visitor, "Not trained on")
    [head] = visitor.states
    assert plain(FILE) in head
    assert own_market() not in " ".join([*visitor.markdown, *visitor.captions])


def look_until(visitor: Visitor, words: str) -> None:
    """Look again while a worker reads, until the page says this."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not said(visitor, words):
        assert time.monotonic() < deadline, [*visitor.markdown, *visitor.captions]
        time.sleep(0.1)
        visitor.look()


def statements() -> str:
    """A statement of every eighth week, and minutes of one meeting without a text."""
    days = pd.bdate_range("2018-01-15", periods=18, freq="40B")
    words = ("rose", "fell", "eased", "stood still")
    rows = [(day, "Statement", f"Inflation {words[number % 4]}. The range stays.") for number, day in enumerate(days)]
    table = pd.DataFrame([*rows, (days[3], "Minutes", "")], columns=["Date", "Type", "Text"])
    content = table[::-1].assign(Date=table["Date"].dt.strftime("%d/%m/%Y")).to_csv(index=False).encode("utf-8-sig")
    columns = TextColumns(date="Date", text="Text", release="", kind="Type")
    return keep_documents(texts_from_table(content, "meetings.csv", columns, ReleaseRule()))


@pytest.mark.slow
def test_statements_become_channels_that_a_forecast_is_trained_on_and_each_page_says_whose() -> None:
    visitor = Visitor(page_of(GoldForecast), {"data": own_market(), **SMALL})
    visitor.go(page_of(PolicyDocuments), {"documents": statements(), "shown": "channels"})
    look_until(visitor, f"**{plain('meetings.csv')}**: 18 documents")
    assert said(visitor, f"**{plain(FILE)}**: Gold")
    assert said(visitor, plain("1 meeting has no text in meetings.csv: 2018-07-02."))
    visitor.click("add-channels")
    assert said(visitor, "Your market now has Tone of policy documents")
    both = f"{FILE} + meetings.csv"
    visitor.go(page_of(GoldForecast))
    assert said(visitor, f"Not trained on **{plain(both)}** yet.")
    assert said(visitor, plain("Component 1 of policy documents: Axes fitted on documents"))
    visitor.click("train-gold-forecast").wait_for("Finished")
    assert not said(visitor, "Not trained on")
    assert plain(both) in visitor.states[0]
    store = services.store()
    run = store.run(visitor.runs[0])
    report = report_of_run(GoldForecast.from_store(run.settings_version, run.settings), store.load(run.id), {})
    assert both in report


@pytest.mark.slow
def test_a_folder_s_model_reads_a_text_and_documents_of_one_s_own_and_each_page_says_so(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDVIZ_MODELS", str(kept / "models"))
    with_classifier(kept / "models" / "our-bank")
    visitor = Visitor(page_of(InsideBert), {"model": "folder:our-bank", "text": "Gold rose by 2 percent."})
    look_until(visitor, f"**{plain('our-bank')}**")
    visitor.go(page_of(PolicyDocuments), {"documents": statements()})
    look_until(visitor, f"**{plain('meetings.csv')}**: 18 documents")
    assert said(visitor, f"Read by {plain('our-bank')}.")


@pytest.mark.slow
def test_a_run_on_other_data_says_on_which() -> None:
    visitor = Visitor(page_of(GoldForecast), SMALL)
    visitor.click("train-gold-forecast").wait_for("Finished")
    assert not said(visitor, "Trained on")
    visitor.go(page_of(GoldMarket), {"data": own_market()}).go(page_of(GoldForecast))
    assert said(visitor, f"Trained on **the simulated market**, not on {plain(FILE)}.")


def test_a_linked_market_is_listed_among_what_is_kept() -> None:
    key = own_market()
    visitor = Visitor(page_of(GoldMarket), {"data": key}).click("market-gold-market")
    [kept] = [radio for radio in visitor.at.radio if radio.key == "kept-market"]
    assert kept.value == key
    visitor.at.button(key="use-simulated").click()
    visitor.look().go(page_of(GoldForecast)).click("market-gold-forecast")
    assert [radio for radio in visitor.at.radio if radio.key == "kept-market"]


def test_a_text_of_one_page_is_read_on_all() -> None:
    text = keep_text(b"to be or not to be\nthat is the question\n" * 60, "hamlet.txt").name
    visitor = Visitor(page_of(CharGpt), {"corpus": text})
    assert said(visitor, "Not trained on **hamlet\\.txt** yet. This example has learned")
    for declared in (CharLanguageModel, TextTokens):
        visitor.go(page_of(declared))
        assert set_to(visitor, declared, "corpus") == text
    [box] = [box for box in visitor.at.selectbox if box.key == "tokens-corpus"]
    assert "hamlet.txt" in box.options
    box.set_value("cities")
    visitor.look().go(page_of(CharGpt))
    assert set_to(visitor, CharGpt, "corpus") == "python"


def test_a_text_that_a_page_cannot_learn_from_is_refused_there_and_stays_elsewhere() -> None:
    text = keep_text(b"short", "short.txt").name
    visitor = Visitor(page_of(TextTokens), {"corpus": text}).go(page_of(CharGpt))
    assert set_to(visitor, CharGpt, "corpus") == "python"
    assert said(visitor, "This page reads a text of its own.")
    assert set_to(visitor.go(page_of(TextTokens)), TextTokens, "corpus") == text


@pytest.mark.slow
def test_a_model_of_texts_is_the_visitor_s_on_both_pages() -> None:
    visitor = Visitor(page_of(InsideBert), {"model": "folder:none"})
    visitor.go(page_of(PolicyDocuments))
    assert set_to(visitor, PolicyDocuments, "model") == "folder:none"
    visitor.go(page_of(TextTokens)).go(page_of(PolicyDocuments), {"model": "shipped"}).go(page_of(InsideBert))
    assert set_to(visitor, InsideBert, "model") == "shipped"


def test_figures_that_stand_in_for_the_visitor_s_market_say_whose_they_are() -> None:
    visitor = Visitor(page_of(GoldMarket), {"data": "0" * 16})
    assert said(visitor, "They are of **the simulated market**, not of data that are gone.")
