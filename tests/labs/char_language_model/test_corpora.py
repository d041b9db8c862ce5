"""Texts that cannot be learned from are refused in a sentence; long ones are sampled, and it is said."""

import pytest

from goldviz.data.texts.pieces import TextError
from goldviz.declare.settings import SettingsError
from goldviz.labs.char_language_model.corpora import CORPORA, MOST_CHARACTERS, corpus, own_corpus
from goldviz.labs.char_language_model.settings import CharLanguageModel
from tests.labs.small_runs import carried_out


def lines(count, word="abc"):
    return "\n".join(f"{word}{chr(97 + number % 20)}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The text has 0 lines with something in it; allowed are at least 20"),
        ("one line alone", "The text has 1 line with"),
        ("\n".join("a" * 30), "made of one character, 'a'"),
        ("\n".join(chr(0x4E00 + number) * 3 for number in range(400)), "has 400 different characters"),
    ],
)
def test_a_text_that_cannot_be_learned_is_refused_in_a_sentence(text, words):
    with pytest.raises(TextError, match=words):
        own_corpus(text)


def test_of_a_huge_text_lines_are_drawn_and_it_is_said():
    huge = lines(700_000)
    read = own_corpus(huge)
    assert len(huge) > 3 * MOST_CHARACTERS
    assert sum(len(item) + 1 for item in read.items) <= MOST_CHARACTERS + 1
    assert set(read.items) <= set(huge.split())
    assert read.items[:100] != tuple(huge.split()[:100])
    assert "Of 3.5 million characters" in read.notes[0]


def test_long_lines_are_cut_and_blanks_and_signs_that_nobody_sees_made_plain():
    read = own_corpus("\n".join(["x" * 250, "a\t\u200b b\x07"] * 10))
    assert {len(item) for item in read.items} == {100, 50, 3}
    assert "a b" in read.items


def test_a_dot_in_the_text_leaves_the_boundary_another_sign():
    assert own_corpus(lines(30)).symbols[0] == "."
    assert own_corpus(lines(30, "a.")).symbols[0] == "·"


@pytest.mark.parametrize("name", list(CORPORA))
def test_every_text_that_ships_can_be_learned(name):
    read = corpus(name)
    assert len(read.items) > 400
    assert not read.notes


def test_a_context_longer_than_any_word_is_learned_from():
    _, status = carried_out(CharLanguageModel(corpus="cities", context=16, hidden=4, steps=2, items=30))
    assert status == "finished"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"model": "wavenet"},
            "Context is 3; the hierarchy joins two neighbours at a time, so allowed is 2, 4, 8 or 16",
        ),
        ({"model": "lstm", "normalisation": "batch"}, "for other models allowed is none"),
        ({"items": 3}, "Items is 3; allowed is 0 for all, or at least 20"),
        ({"batch": 1, "normalisation": "batch"}, "Batch is 1"),
        ({"normalisation": "mixed_up"}, "The wrong axis is there in the hierarchy alone"),
        ({"corpus": "../etc"}, "Corpus is '../etc'; allowed is names, cities, python, or the 16 characters"),
    ],
)
def test_settings_that_do_not_go_together_are_refused_in_a_sentence(changes, words):
    with pytest.raises(SettingsError, match=words.replace("(", r"\(")):
        CharLanguageModel().changed(**changes)
