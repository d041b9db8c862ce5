"""The page of *Memory through time*: reviews that are typed, and what gates cost."""

import re

import pytest

from goldviz.declare.claims import claims_of
from goldviz.declare.registry import laboratories
from goldviz.labs.recurrent_gradients.measures import weights_of
from goldviz.labs.recurrent_gradients.page import to_start_from
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.word_by_word import Words
from goldviz.ui.words import plain
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")


def _at(preset: str) -> Visitor:
    visitor = Visitor("pages/recurrent_gradients.py")
    visitor.at.selectbox(key="preset-recurrent-gradients").set_value(preset)
    return visitor.look()


def _drawn_words(visitor: Visitor) -> set[str]:
    found = (re.search(r"-words-([a-z_]+)-", part.proto.id) for part in visitor.at.get("bidi_component"))
    return {match[1] for match in found if match}


def test_a_review_is_read_word_by_word() -> None:
    """The recorded LSTM tells the two openings apart, forty words later."""
    visitor = _at("fix-it-forget-bias-1").open("words")
    praise = {}
    reviews = to_start_from(40)
    for name in ("Meant", "Ironic"):
        visitor.press(name)
        table = visitor.at.dataframe[0].value
        assert list(table["Word"]) == list(Words.of(reviews[name]).words)
        assert {"‖h‖", "‖dm/dh‖", "dm/dx", "Input gate", "Forget gate", "Output gate"} <= set(table.columns)
        praise[name] = float(table["Praise so far"].iloc[-1].removesuffix("%"))
    assert praise["Meant"] > 90
    assert praise["Ironic"] < 10
    assert _drawn_words(visitor) == {"verdict", "heard", "states", "word_gates"}


def test_words_that_were_never_seen_are_named_and_no_words_are_told() -> None:
    visitor = _at("fix-it-forget-bias-1").open("words")
    visitor.press("Document 004's umbrella")
    assert any("words were never seen in training" in words and "umbrella" in words for words in visitor.captions)
    assert any("trained on reviews of 48 words alone. Yours has 26" in words for words in visitor.captions)
    [area] = visitor.at.text_area
    area.set_value("?!")
    visitor.look()
    assert visitor.errors == [plain("The review has 0 words; allowed are 1 to 200.")]


def test_other_tasks_have_no_review() -> None:
    visitor = Visitor("pages/recurrent_gradients.py", {"shown": "words"})
    assert not visitor.at.text_area
    assert any("Only networks that learned reviews" in words for words in visitor.captions)


def test_what_good_gradients_do_not_tell_is_said_in_plain_sentences() -> None:
    visitor = Visitor("pages/recurrent_gradients.py", {"shown": "why"})
    [caption] = [words for words in visitor.captions if "spectral radius of W. That is no bound" in words]
    assert "The product of the Jacobians shows how far back the network reaches." in caption
    assert "shows it" not in caption


def test_no_number_of_a_claim_stands_right_behind_another() -> None:
    """ "with the norm held at 1 0 % do" reads as one number."""
    parts = [words for claim in claims_of(laboratories()["recurrent-gradients"]) for words in claim.parts]
    assert [words for words in parts if re.search(r"\d \{|\} \d", words)] == []


def test_what_gates_cost_stands_with_this_run_s_numbers() -> None:
    visitor = Visitor("pages/recurrent_gradients.py", {"shown": "why"})
    [table] = [one.value for one in visitor.at.dataframe if "Recurrent layer" in one.value]
    for name, total in zip(table["Network"], table["In all"], strict=True):
        assert total == f"{weights_of(RecurrentGradients(), name.lower()).total:,}"
