"""Texts that cannot be cut: too long ones, and tokenisers that fail at them."""

import json

import pytest
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from goldviz.data.texts.pieces import MOST_CHARACTERS_AT_ONCE, TextError, split_into_pieces
from tests.refusals import refused

MODEL = {
    "type": "WordLevel",
    "vocab": {"gold": 0, "rose": 1},
    "unk_token": "[UNK]",
}


def tokeniser(normaliser=None):
    rules = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normaliser,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": MODEL,
    }
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(rules)))


def test_a_tokeniser_whose_rust_gives_up_is_one_sentence():
    """The expression takes more tries than its library allows, and the library panics: no Exception of Python's."""
    endless = {"type": "Replace", "pattern": {"Regex": "^(([a-z])+.)+[A-Z]([a-z])+$"}, "content": "x"}
    with refused(TextError, "tokeniser"):
        split_into_pieces(tokeniser(endless), "a" * 60)


def test_a_tokeniser_that_lacks_a_piece_is_one_sentence():
    assert split_into_pieces(tokeniser(), "gold rose")[0].tokens == ("gold", "rose")
    with refused(TextError, "tokeniser"):
        split_into_pieces(tokeniser(), "silver")


def test_who_stops_the_work_is_heard():
    class Stopping:
        def num_special_tokens_to_add(self, pair):
            return 0

        def __call__(self, *_, **__):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        split_into_pieces(Stopping(), "gold")


def test_a_text_that_is_too_long_is_refused_before_it_is_cut():
    text = "a" * (MOST_CHARACTERS_AT_ONCE + 1)
    with refused(TextError, "too_long", "1,000,001", "1,000,000"):
        split_into_pieces(None, text)
