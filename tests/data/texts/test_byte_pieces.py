"""The tokeniser of bytes: as the tokenizers library learns it, and back from tokens to any bytes."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split
from tokenizers.trainers import BpeTrainer

from goldviz.data.texts.byte_pieces import BYTES, BytePieces, merges, pairs_of
from goldviz.data.texts.corpora import running_text
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.split_patterns import SPLIT_PATTERNS
from tests.refusals import refused

EXPRESSIONS = {name: pattern.expression for name, pattern in SPLIT_PATTERNS.items()}

TEXT = running_text("python")[:60_000] + "\nGröße 1234567.89 größer 🙂🙂 naïve 日本語 日本\n    if x:\n        y\n"
STRANGE = ["", "a", "👩‍👩‍👧‍👦", "שלום עולם", "مرحبا", "\ud800", "\0\x1f", " " * 50, "日本語", "e\u0301"]
LEARNED = {name: BytePieces.learned_from(TEXT, 456, expression) for name, expression in EXPRESSIONS.items()}
# Oniguruma reads {1,3}+ as one or more times {1,3}, and $ as the end of a line.
WITHOUT_POSSESSION = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
CUTTERS = {
    "gpt2": ByteLevel(add_prefix_space=False),
    "cl100k": Sequence(
        [Split(Regex(WITHOUT_POSSESSION), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)]
    ),
    "none": ByteLevel(add_prefix_space=False, use_regex=False),
}


def of_the_library(text: str, cutter, size: int) -> Tokenizer:
    tokeniser = Tokenizer(BPE())
    tokeniser.pre_tokenizer = cutter
    tokeniser.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=ByteLevel.alphabet(), special_tokens=[]
    )
    tokeniser.train_from_iterator([text], trainer)
    return tokeniser


def bytes_of_library(tokeniser: Tokenizer, token: int) -> bytes:
    return bytes(BYTE_OF_SIGN[sign] for sign in tokeniser.id_to_token(token))


def _byte_of_sign() -> dict[str, int]:
    """GPT-2's signs for bytes: what is printed stands for itself, the others for 256 and on, in their order."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + n): byte for n, byte in enumerate(others)}


BYTE_OF_SIGN = _byte_of_sign()


@pytest.mark.parametrize("name", CUTTERS)
def test_merge_by_merge_it_is_what_the_library_learns(name):
    text = TEXT if name != "none" else TEXT[:8000]
    library = of_the_library(text, CUTTERS[name], 456)
    ours = BytePieces.learned_from(text, 456, EXPRESSIONS[name])
    assert library.get_vocab_size() == ours.size == 456
    learned = [bytes_of_library(library, token) for token in range(BYTES, 456)]
    assert learned == list(ours.vocabulary[BYTES:])
    found = ours.encode(text)
    pieces = [bytes_of_library(library, token) for token in library.encode(text).ids]
    assert [ours.vocabulary[token] for token in found] == pieces


@given(st.binary(max_size=60), st.sampled_from(list(LEARNED)))
def test_any_bytes_come_back(content, name):
    pieces = LEARNED[name]
    assert pieces.bytes_of(pieces.encode(content)) == content


@pytest.mark.parametrize("name", LEARNED)
def test_strange_texts_come_back(name):
    pieces = LEARNED[name]
    for text in STRANGE:
        tokens, content = pieces.encode(text), text.encode("utf-8", errors="surrogatepass")
        assert pieces.bytes_of(tokens) == content, ascii(text)
        assert pieces.decode(tokens) == content.decode("utf-8", errors="replace"), ascii(text)


def test_the_example_of_every_explanation():
    pieces = BytePieces.learned_from("aaabdaaabac", 259, "")
    assert pieces.encode("aaabdaaabac").tolist() == [258, 100, 258, 97, 99]


def test_part_of_a_sign_becomes_a_sign_that_says_so():
    pieces = BytePieces(())
    assert pieces.decode(pieces.encode("é")[:1]) == "�"


def test_no_merge_crosses_a_cut():
    text = "ab " * 8
    assert b"b " not in LEARNED["gpt2"].vocabulary
    assert not any(b"b a" in piece for piece in BytePieces.learned_from(text, 300, EXPRESSIONS["gpt2"]).vocabulary)
    assert any(b"b a" in piece for piece in BytePieces.learned_from(text, 300, "").vocabulary)


def test_a_vocabulary_is_as_large_as_the_text_allows():
    assert BytePieces.learned_from("abab", 1000).size == 257
    assert BytePieces.learned_from("", 300).size == 256


def test_a_vocabulary_without_room_for_all_bytes_is_one_sentence():
    with refused(TextError, "not_allowed", "255", "256"):
        BytePieces.learned_from("a", 255)


def test_lengths_say_how_the_text_shrinks():
    found = list(islice(merges(TEXT, EXPRESSIONS["gpt2"]), 200))
    lengths = np.array([len(TEXT.encode()), *(merge.length for merge in found)])
    assert (np.diff(lengths) < 0).all()
    assert len(LEARNED["gpt2"].encode(TEXT)) == lengths[-1]


def test_kept_pairs_are_the_same_tokeniser():
    kept = np.array(LEARNED["cl100k"].pairs)
    assert BytePieces(pairs_of(kept.tolist()), EXPRESSIONS["cl100k"]) == LEARNED["cl100k"]
