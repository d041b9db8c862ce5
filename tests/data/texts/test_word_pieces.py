"""Vocabularies: the same from the same texts, with a piece for every common sign, and a tokeniser that agrees."""

import csv
import re
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.texts.pieces import split_into_pieces
from goldviz.data.texts.policy.sentences import policy_documents, policy_sentences
from goldviz.data.texts.word_pieces import (
    SPECIAL_PIECES,
    SPLIT_SIGNS,
    UNSPLIT_SIGNS,
    VocabularyError,
    learn_word_pieces,
    tokeniser_of,
)
from tests.places import REAL_DATA
from tests.refusals import refused

STATEMENTS = REAL_DATA / "fomc/communications_2019-2024.csv"


def corpus(sentences=3000, documents=100):
    generator = np.random.default_rng(0)
    texts = [one.text for one in policy_sentences(sentences, generator)]
    return texts + policy_documents(documents, generator)


@pytest.fixture(scope="module")
def vocabulary():
    return learn_word_pieces(corpus(), 2000)


@pytest.fixture(scope="module")
def tokeniser(vocabulary):
    return tokeniser_of(vocabulary)


def test_the_same_texts_give_the_same_list(vocabulary):
    assert learn_word_pieces(iter(corpus()), 2000) == vocabulary


def test_special_pieces_come_first_and_no_piece_twice(vocabulary):
    assert tuple(vocabulary[:5]) == SPECIAL_PIECES
    assert len(vocabulary) == len(set(vocabulary)) == 2000


def test_every_common_character_has_a_piece(vocabulary):
    pieces = set(vocabulary)
    inside = string.ascii_lowercase + string.digits + UNSPLIT_SIGNS
    assert pieces >= set(inside + SPLIT_SIGNS)
    assert pieces >= {"##" + one for one in inside}


@given(st.text(string.ascii_letters + string.digits + string.whitespace + SPLIT_SIGNS + UNSPLIT_SIGNS, max_size=60))
def test_plain_text_never_becomes_unknown(tokeniser, text):
    coded = tokeniser(text, add_special_tokens=False, return_offsets_mapping=True)
    assert tokeniser.unk_token_id not in coded["input_ids"]
    covered = {place for start, end in coded["offset_mapping"] for place in range(start, end)}
    assert {place for place, one in enumerate(text) if not one.isspace()} - covered <= {
        place for place, one in enumerate(text) if one in string.whitespace
    }


def test_pieces_come_back_as_the_text(tokeniser):
    text = "The Committee raised its range by 1/4 percentage point, to 4-1/4 to 4-1/2 percent."
    assert re.sub(r"\s", "", tokeniser.decode(tokeniser(text)["input_ids"], skip_special_tokens=True)) == re.sub(
        r"\s", "", text.lower()
    )
    coded = tokeniser(text, return_offsets_mapping=True)
    (pieces,) = split_into_pieces(tokeniser, text)
    assert pieces.ids.tolist() == coded["input_ids"]
    assert pieces.tokens[0] == "[CLS]"
    assert pieces.tokens[-1] == "[SEP]"
    for token, (start, end) in zip(pieces.tokens[1:-1], pieces.offsets[1:-1], strict=True):
        assert token.removeprefix("##") == text[start:end].lower()


def test_accents_are_dropped_and_case_does_not_matter(tokeniser):
    assert tokeniser.tokenize("RÉSUMÉ") == tokeniser.tokenize("resume")


def test_other_letters_have_pieces_as_far_as_there_is_room():
    greek = "το επιτόκιο αυξήθηκε ξανά"
    vocabulary = learn_word_pieces([greek] * 3, 600)
    assert 1 not in tokeniser_of(vocabulary)(greek)["input_ids"]
    many = "".join(chr(0x4E00 + number) for number in range(3000))
    assert learn_word_pieces([many], 600) == learn_word_pieces([many], 600)
    assert len(learn_word_pieces([many], 600)) <= 600


def test_few_texts_give_fewer_pieces():
    assert 100 < len(learn_word_pieces(["gold"], 2000)) < 300
    assert len(learn_word_pieces([], 256)) <= 256


@pytest.mark.parametrize("size", [0, 255, -1])
def test_a_size_without_room_is_refused(size):
    with refused(VocabularyError, "not_allowed", f"is {size}", "256"):
        learn_word_pieces(["gold"], size)


def test_a_vocabulary_that_is_none_is_refused():
    with refused(VocabularyError, "vocabulary", "[CLS], [MASK]"):
        tokeniser_of(["[PAD]", "[UNK]", "[SEP]", "gold"])
    with refused(VocabularyError, "twice", "'gold' 2 times"):
        tokeniser_of([*SPECIAL_PIECES, "gold", "gold"])


@pytest.mark.skipif(not STATEMENTS.exists(), reason="The statements of the Federal Reserve are not on this machine.")
def test_real_statements_break_into_few_pieces(tokeniser):
    with STATEMENTS.open(newline="", encoding="utf-8") as file:
        texts = [row["Text"] for row in csv.DictReader(file) if row["Type"] == "Statement"]
    assert len(texts) == 51
    pieces = words = 0
    for text in texts:
        for chunk in split_into_pieces(tokeniser, text, overlap=0):
            pieces += int((~chunk.special).sum())
            words += len(set(chunk.words.tolist())) - 1
            assert 1 not in chunk.ids
    assert pieces / words < 1.6
