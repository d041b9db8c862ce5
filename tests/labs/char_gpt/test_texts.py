"""Texts in characters and in pieces: what is learned, what is not, and which texts are refused in a sentence."""

import pytest

from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.pieces import TextError
from goldviz.labs.char_gpt import texts
from goldviz.labs.char_gpt.corpora import of_a_file
from goldviz.labs.char_gpt.settings import CORPORA, CharGpt
from goldviz.labs.char_gpt.texts import checked_text, fits, parted, text_of, token_text
from tests.labs.small_runs import carried_out
from tests.refusals import refused

HEBREW, FAMILY = "שלום עולם, זה טקסט מימין לשמאל.\n", "👩‍👩‍👧‍👦 and 👍🏽 join.\n"


@pytest.mark.parametrize("corpus", list(CORPORA))
@pytest.mark.parametrize("kind", ["characters", "pieces"])
def test_every_text_comes_back_from_its_tokens(corpus, kind):
    text = token_text(corpus, kind, 300)
    train, dev = parted(text_of(corpus))
    assert text.tokens.decode(text.train.tolist()) == train
    assert text.tokens.decode(text.dev.tolist()) == dev
    assert len(dev) == pytest.approx((len(train) + len(dev)) / 10, abs=10)
    assert text.size <= 300
    assert (text.in_bytes(text.train), text.in_bytes(text.dev)) == (train.encode(), dev.encode())


def test_pieces_are_learned_on_the_training_part_alone():
    train, _ = parted(text_of("cities"))
    assert token_text("cities", "pieces", 300).tokens.pieces == texts.BytePieces.learned_from(train, 300)


@pytest.mark.parametrize("kind", ["characters", "pieces"])
@pytest.mark.parametrize("words", [HEBREW, FAMILY])
def test_text_from_the_right_and_joined_emoji_are_learned(kind, words):
    content, notes = of_a_file((words * 60).encode(), "own.txt")
    name = keep_text(content, "own.txt").name
    assert not notes
    text = token_text(name, kind, 280)
    assert text.tokens.decode(text.tokens.encode(words)) == words
    small = {"layers": 1, "width": 8, "heads": 2, "block": 8, "batch": 2, "steps": 2, "close_looks": 1}
    _, status = carried_out(CharGpt(corpus=name, tokens=kind, vocabulary=280, **small))
    assert status == "finished"


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (b"", "empty", "own.txt"),
        (b"a", "too_short", "1 characters; allowed are at least 200"),
        (b"\x00\x01\x02" * 200, "other_kind", "own.txt"),
        (b"z" * 300, "constant", "'z'"),
    ],
)
def test_a_file_that_cannot_be_learned_is_refused_in_a_sentence(content, code, fact):
    with refused(TextError, code, fact):
        of_a_file(content, "own.txt")


def test_of_a_long_text_the_beginning_is_read_and_it_is_said():
    kept, [note] = checked_text("abc\n" * 1_000_000)
    assert len(kept) == 1_000_000
    assert note == "Of 4.0 million characters the first 1,000,000 are read."


def test_bytes_that_are_no_utf_8_are_read_with_a_note():
    content, notes = of_a_file(b"caf\xe9 au lait \xff\n" * 60, "own.txt")
    assert "café" in content.decode()
    assert any("not UTF-8" in note for note in notes)


def test_too_many_different_characters_are_refused_with_the_way_out():
    content = "".join(chr(0x4E00 + number) for number in range(5000)) * 2
    name = keep_text(content.encode(), "own.txt").name
    with refused(TextError, "too_large", "5,000 different characters", "4,096", "Pieces"):
        token_text(name, "characters", 512)
    assert token_text(name, "pieces", 256).size == 256


def test_a_vocabulary_above_what_the_text_holds_ends_with_it():
    name = keep_text(("ab" * 200).encode(), "own.txt").name
    assert token_text(name, "pieces", 4096).size < 300


def test_a_block_longer_than_the_text_is_refused_in_a_sentence():
    with refused(TextError, "too_short", "428 tokens", "at least 513"):
        fits(token_text("cities", "characters", 0), 512)


def test_unknown_characters_are_named():
    with refused(TextError, "never_read", "'Ω', '語'"):
        token_text("cities", "characters", 0).tokens.encode("Ω語 a")
    assert token_text("cities", "pieces", 256).tokens.encode("Ω")
