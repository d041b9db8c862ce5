"""The page *Policy documents*."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.statements import answering_market
from goldviz.data.texts.dated_texts import DatedText, DatedTexts
from goldviz.data.texts.kept_documents import documents_at_hand, keep_documents
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.policy_documents.compute import compute, read_change
from goldviz.labs.policy_documents.documents import vectors as policy_vectors
from goldviz.labs.policy_documents.parts import (
    change as policy_change,
)
from goldviz.labs.policy_documents.parts import (
    market as policy_market,
)
from goldviz.labs.policy_documents.parts import (
    panel as policy_panel,
)
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.runs.jobs.jobs import Stopped
from goldviz.ui import visitors_data
from goldviz.ui.panels import background
from goldviz.ui.panels.instant_figures import task_of
from tests.labs.policy_documents.small_documents import some_documents
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")

HOSTILE = "</div><script>alert(1)</script> **[a](b)** $x$"
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One folder for the file, so that the generated documents are encoded once."""
    monkeypatch.setenv("GOLDVIZ_DATA", str(folder))
    documents_at_hand.cache_clear()
    yield
    documents_at_hand.cache_clear()


def hostile_documents(count: int = 6) -> DatedTexts:
    documents = some_documents(count)
    texts = tuple(
        replace(text, text=f"{text.text} {HOSTILE}", kind=text.kind and "<b>x</b>") for text in documents.texts
    )
    return replace(documents, texts=texts, origin="<i>mine</i>.csv", notes=("A *note*.",))


def said(visitor: InstantVisitor) -> list[str]:
    """The page's lines as they are read, without Markdown's escapes."""
    return [line.replace("\\", "") for line in (*visitor.markdown, *visitor.captions)]


def test_a_stranger_sees_figures_changes_and_neighbours_at_once() -> None:
    visitor = InstantVisitor(PolicyDocuments)
    assert not visitor.errors
    assert {"timeline", "map"} <= set(visitor.drawn())
    assert any("Generated documents" in line for line in said(visitor))
    assert any("14:00 New York" in line for line in said(visitor))
    assert any("hawkish or dovish" in line for line in said(visitor))
    visitor.open("changed")
    assert "effects" in visitor.drawn()
    assert any(line.startswith("**What changed from 2024-10-30 Statement to 2024-12-11") for line in said(visitor))
    assert len(visitor.open("nearest").at.dataframe) == 2
    assert any("pieces without special ones" in line for line in said(visitor.open("why")))
    assert any("Statement alone" in line for line in said(visitor.open("channels"))), said(visitor)


def test_the_document_in_view_at_first_has_a_clear_change(folder: Path) -> None:
    settings = PolicyDocuments()
    dataset, place = compute(settings), settings.document - 1
    tones = dataset["balance"].values
    assert dataset["kind"].values[place] == "Statement"
    assert abs(tones[place] - tones[int(dataset["previous"].values[place])]) > 0.3
    effects = read_change(settings)
    assert 2 <= effects.sizes["passage"] <= 8
    assert np.abs(effects["balance"]).max() > 0.3


def test_tones_are_coloured_in_the_tables() -> None:
    visitor = InstantVisitor(PolicyDocuments).open("nearest")
    styles = [table.proto.arrow_data.styler.styles for table in visitor.at.dataframe]
    assert all("color: #b2182b" in style or "color: #2166ac" in style for style in styles)
    assert any("color: #b2182b" in style and "color: #2166ac" in style for style in styles)


def test_the_map_is_of_one_kind_or_of_all() -> None:
    visitor = InstantVisitor(PolicyDocuments)
    assert "Of the kind Statement alone" in str(visitor.drawn()["map"]).replace("<br>", " ")
    visitor.set(map_kinds="all")
    assert "of component 1 is between the kinds" in str(visitor.drawn()["map"]).replace("<br>", " ")


def test_another_document_moves_the_line_and_the_ring() -> None:
    visitor = InstantVisitor(PolicyDocuments)
    before = visitor.drawn()
    visitor.set(document=1)
    after = visitor.drawn()
    assert before["timeline"] != after["timeline"]
    assert before["map"] != after["map"]
    assert any("is the first document of its kind" in line for line in said(visitor.open("changed")))


@pytest.mark.untrusted
def test_hostile_documents_are_shown_as_text() -> None:
    visitor = InstantVisitor(PolicyDocuments, {"documents": keep_documents(hostile_documents()), "document": "3"})
    assert not any("<i>" in str(figure) for figure in visitor.drawn().values())
    visitor.open("changed")
    assert not visitor.errors
    shown = [element.proto.body for element in visitor.at.get("html")]
    assert any("goldviz-difference" in body for body in shown)
    assert not any("<script>" in body for body in shown)
    assert any("\\<i\\>mine\\<\\/i\\>" in line for line in visitor.markdown)
    assert not any("<i>" in str(figure) for figure in visitor.drawn().values())


def test_a_link_to_documents_that_are_not_here_says_so_and_shows_the_generated_ones() -> None:
    visitor = InstantVisitor(PolicyDocuments, {"documents": "a" * 16})
    assert any("does not hold the documents" in error.replace("\\", "") for error in visitor.errors)
    assert "timeline" in visitor.drawn()


def test_a_link_to_a_model_that_is_not_here_says_so() -> None:
    visitor = InstantVisitor(PolicyDocuments, {"model": "nobody/nothing"})
    assert any("nobody/nothing is not on this machine" in error.replace("\\", "") for error in visitor.errors)
    assert "timeline" in visitor.drawn()


def test_what_takes_long_is_encoded_in_the_background_while_the_old_figures_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    InstantVisitor(PolicyDocuments)
    monkeypatch.setattr(policy_panel, "OPERATIONS_PER_SECOND", 1.0)
    name = keep_documents(replace(some_documents(7), origin="mine.csv"))
    visitor = InstantVisitor(PolicyDocuments, {"documents": name})
    key = task_of(PolicyDocuments(documents=name)).key
    assert "timeline" in visitor.drawn()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (job := background.job(key)) is not None and job.unfinished:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    visitor.look()
    assert any("mine.csv" in line for line in said(visitor))
    assert dict(visitor.at.query_params)["documents"] == name


def test_a_stopped_encoding_can_go_on_or_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    InstantVisitor(PolicyDocuments)
    monkeypatch.setattr(policy_panel, "OPERATIONS_PER_SECOND", 1.0)

    def never(*texts: object) -> None:
        raise Stopped

    monkeypatch.setattr(policy_vectors, "encoded", never)
    name = keep_documents(
        replace(
            some_documents(9),
            origin="other.csv",
            clock="15:00",
            texts=tuple(replace(text, text=f"{text.text} Again.") for text in some_documents(9).texts),
        )
    )
    visitor = InstantVisitor(PolicyDocuments, {"documents": name})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "Try again" not in visitor.look().buttons:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "timeline" in visitor.drawn()
    visitor.press("Leave what is not encoded")
    assert "Try again" not in visitor.buttons
    assert "documents" not in dict(visitor.at.query_params)


def test_effects_that_take_long_wait_for_a_press(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_change, "AT_ONCE_SECONDS", 0.0)
    visitor = InstantVisitor(PolicyDocuments, {"document": "31", "shown": "changed"})
    assert "effects" not in visitor.drawn()
    [button] = [name for name in visitor.buttons if name.startswith("Measure what each change does")]
    visitor.press(button)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "effects" not in visitor.look().drawn():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_documents_become_channels_of_the_visitors_market() -> None:
    visitor = InstantVisitor(PolicyDocuments).open("channels")
    visitor.click("add-channels")
    assert not visitor.errors
    name = visitor.at.session_state[visitors_data.STORE][visitors_data.MARKET][0]
    market = load_market(name)
    assert [channel.name for channel in market.channels][-4:] == ["text tone", "text change", "text pc1", "text pc2"]
    assert market.simulated
    assert any("The market itself is simulated" in line for line in said(visitor))
    assert any("forecast lab" in link.proto.label for link in visitor.page_links())
    assert "Of the kind Statement alone." in market.notes["text tone"]
    visitor.go("pages/gold_forecast.py")
    assert any("with channels out of documents" in line for line in said(visitor))
    assert any(
        "Tone of policy documents (generated documents): Known from 14:00 New York" in line for line in said(visitor)
    )


def test_a_response_to_these_documents_can_be_planted_in_the_simulated_market() -> None:
    visitor = InstantVisitor(PolicyDocuments, {"tone_response": "0.3", "shown": "channels"})
    assert any("gold will answer to these documents, 0.3 standard deviations" in line for line in said(visitor))
    visitor.click("add-channels")
    assert not visitor.errors
    planted = load_market(visitor.at.session_state[visitors_data.STORE][visitors_data.MARKET][0])
    assert "Planted: a document's tone moves gold's mean return by 0.3" in planted.notes[planted.target.name]
    own = next(channel.observed for channel in planted.channels if channel.name == "text tone")
    assert planted.target.observed.equals(answering_market(0, own, 0.3).target.observed)
    assert not planted.target.observed.equals(load_market("simulated", 0).target.observed)
    visitor.look()
    assert any("A response is planted in the simulated market alone, and before" in line for line in said(visitor))


def test_several_kinds_in_one_channel_are_warned_of() -> None:
    visitor = InstantVisitor(PolicyDocuments).open("channels")
    visitor.at.multiselect[0].set_value(["Minutes", "Statement"])
    visitor.look()
    assert any("Minutes, Statement share each channel" in line for line in said(visitor))


@pytest.mark.parametrize(
    ("kinds", "offered"),
    [(("Minute", "Minute", "Statement"), "Statement"), (("Note", "Note", "Minutes"), "Note"), (("",), "document")],
)
def test_one_kind_is_offered_first(kinds: tuple[str, ...], offered: str) -> None:
    texts = tuple(DatedText(date(2024, 1, 1 + n), date(2024, 1, 1 + n), kind, str(n)) for n, kind in enumerate(kinds))
    assert policy_market.one_kind(DatedTexts(texts, "by hand")) == offered


def test_generated_documents_are_the_default_of_link_and_notebook() -> None:
    assert PolicyDocuments().texts() == generated_documents()
