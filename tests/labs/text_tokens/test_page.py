"""The page of tokens: what its stepper is told, where texts come from, and work that may be stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from goldviz.data.texts.kept_texts import keep_text
from goldviz.labs.text_tokens.page import seconds
from goldviz.labs.text_tokens.parts.stepper import KEY
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.runs.jobs.instant import compute
from goldviz.runs.jobs.jobs import Stopped
from goldviz.ui.panels.background import AT_ONCE_SECONDS
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")
FIGURES = {"compression", "entries", "languages", "digits"}
SMALLEST = {"text": "aaabdaaabac", "corpus": "own", "pattern": "none", "beside": "gpt2", "vocabulary": "259"}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))


def told(visitor: InstantVisitor) -> dict[str, Any]:
    """What the page tells the stepper."""
    [part] = [part for part in visitor.at.get("bidi_component") if part.proto.id.endswith(KEY)]
    found: dict[str, Any] = json.loads(part.proto.json)
    return found


def test_the_stepper_is_told_boundaries_and_every_figure_is_drawn() -> None:
    visitor = InstantVisitor(TextTokens, SMALLEST)
    data = told(visitor)
    assert bytes(data["bytes"]) == b"aaabdaaabac"
    assert data["sides"][0]["joined"] == [1, 3, 2, 0, 0, 1, 3, 2, 0, 0]
    assert data["sides"][0]["pairs"] == [[97, 97], [97, 98], [256, 257]]
    assert data["sides"][0]["lengths"] == [11, 9, 7, 5]
    assert len(data["others"]["pairs"]) == 3
    assert set(visitor.all_drawn()) == FIGURES


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ({"corpus": "cities", "vocabulary": "300"}, True),
        ({"corpus": "own"}, False),
        ({"corpus": "cities", "pattern": "none"}, False),
    ],
)
def test_a_gpt_can_be_trained_on_such_pieces(link: dict[str, str], shown: bool) -> None:
    visitor = InstantVisitor(TextTokens, {**SMALLEST, "beside": "none", "pattern": "gpt2", "shown": "entries", **link})
    links = [one.proto for one in visitor.at.get("page_link") if "GPT" in one.proto.label]
    assert bool(links) == shown
    if shown:
        assert dict(pair.split("=") for pair in links[0].query_string.split("&")) == {
            "corpus": "cities",
            "tokens": "pieces",
            "vocabulary": "300",
        }


def test_a_text_without_pairs_says_so() -> None:
    visitor = InstantVisitor(TextTokens, {"text": "abc", "corpus": "own"})
    assert told(visitor)["sides"][0]["pairs"] == []
    assert any("but after 0 no pair is found twice" in line for line in visitor.captions)
    assert not visitor.errors


@pytest.mark.untrusted
def test_a_person_s_text_is_text_everywhere() -> None:
    text = "<b>*a*</b> $x$ :material/home: <b>*a*</b>"
    visitor = InstantVisitor(TextTokens, {"text": text, "corpus": "own"})
    assert bytes(told(visitor)["bytes"]).decode() == text
    assert visitor.at.text_area[0].value == text
    assert not any("<b>" in line for line in visitor.markdown + visitor.captions)


def test_typing_another_text_and_choosing_a_corpus_stand_in_the_link() -> None:
    visitor = InstantVisitor(TextTokens, SMALLEST)
    visitor.at.text_area[0].set_value("line one\nline two")
    visitor.look()
    assert visitor.at.query_params["text"] == "line one\nline two"
    next(box for box in visitor.at.selectbox if box.key == "tokens-corpus").set_value("cities")
    visitor.look()
    assert visitor.at.query_params["corpus"] == "cities"
    assert told(visitor)["corpus"] == "The list of cities"


def test_an_empty_text_is_refused_and_nothing_is_lost() -> None:
    visitor = InstantVisitor(TextTokens, SMALLEST)
    visitor.at.text_area[0].set_value("")
    visitor.look()
    assert any("Text is" in line for line in visitor.errors)
    assert bytes(told(visitor)["bytes"]) == b"aaabdaaabac"
    visitor.at.text_area[0].set_value("gold gold")
    visitor.look()
    assert bytes(told(visitor)["bytes"]) == b"gold gold"


def test_an_expression_has_its_field_only_where_it_cuts() -> None:
    visitor = InstantVisitor(TextTokens, SMALLEST)
    assert "expression" not in visitor.settings_in_sight()
    visitor.set(beside="own")
    assert "expression" in visitor.settings_in_sight()
    visitor.set(expression="(a")
    assert any("cannot be read" in line for line in visitor.errors)
    assert set(visitor.all_drawn()) == FIGURES


def test_a_kept_file_is_learned_from_and_one_that_is_gone_is_named() -> None:
    kept = keep_text(b"gold gold gold", "gold.txt").name
    assert told(InstantVisitor(TextTokens, {"corpus": kept, "text": "gold"}))["corpus"] == "Your file"
    visitor = InstantVisitor(TextTokens, {"corpus": "0" * 16, "text": "gold"})
    assert any("does not hold the text" in line for line in visitor.errors)


@pytest.mark.parametrize("changes", [{}, {"corpus": "names"}, {"corpus": "own", "pattern": "own"}])
def test_what_takes_long_is_a_job(changes: dict[str, str]) -> None:
    assert seconds(TextTokens.checked(changes)) > AT_ONCE_SECONDS


def test_a_short_text_that_is_its_own_corpus_is_answered_at_once() -> None:
    assert seconds(TextTokens(corpus="own", text="gold " * 60)) < AT_ONCE_SECONDS
    assert seconds(TextTokens(corpus="own", text="gold " * 300)) > AT_ONCE_SECONDS


def test_a_job_hears_a_stop() -> None:
    def stop(done: float, total: float) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        compute(stop, "text-tokens", TextTokens(corpus="cities", vocabulary=333).model_dump_json())
