"""A vocabulary of word pieces learned from texts, and the tokeniser that splits texts into them, as BERT's does."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.trainers import WordPieceTrainer

from goldviz.coded_errors import CodedError
from goldviz.data.texts.pieces import LONGEST

if TYPE_CHECKING:
    from transformers import BertTokenizer

UNKNOWN_PIECE = "[UNK]"
SPECIAL_PIECES = ("[PAD]", UNKNOWN_PIECE, "[CLS]", "[SEP]", "[MASK]")
"""The first pieces of each vocabulary: their numbers are 0 to 4."""

CONTINUED = "##"
"""Stands before a piece that goes on inside a word."""

UNSPLIT_SIGNS = "€£¥°§©®±×÷½¼¾²³™µ"
"""Common signs that BERT's splitting leaves inside words, so that they need a continued piece as letters do."""

SPLIT_SIGNS = string.punctuation + "–—‘’“”„…•·«»¿¡"
"""Common signs that BERT's splitting makes words of their own."""

ALPHABET = string.ascii_lowercase + string.digits + UNSPLIT_SIGNS
SMALLEST_VOCABULARY = 256


class VocabularyError(CodedError):
    """A vocabulary that cannot be learned or used, in a sentence for a person."""


def learn_word_pieces(texts: Iterable[str], size: int) -> list[str]:
    """A vocabulary of ``size`` word pieces, learned from texts: lower case, without accents, words split at signs.

    WordPiece as the tokenizers library trains it: from single characters on, the pair of neighbouring pieces that is
    found most often becomes a piece, until ``size`` are there. First come :data:`SPECIAL_PIECES`; then the letters,
    digits and common signs, whether the texts hold them or not, so that plain English never becomes an unknown piece;
    then the texts' other characters, the most frequent ones as far as a quarter of the room that is left takes them;
    then what was learned. Characters that can stand inside a word have a continued piece too. The same texts give the
    same list, which is shorter than ``size`` where the texts hold no more pairs.

    Raises :class:`VocabularyError` for a size below :data:`SMALLEST_VOCABULARY`.
    """
    if size < SMALLEST_VOCABULARY:
        raise VocabularyError(
            f"The vocabulary's size is {size}; allowed is a whole number from {SMALLEST_VOCABULARY}, so that all "
            "letters and signs have room.",
            "not_allowed",
        )
    normaliser = BertNormalizer(lowercase=True)
    plain = [normaliser.normalize_str(text) for text in texts]
    characters = _vocabulary_characters(plain, size)
    split = set(SPLIT_SIGNS)
    # The trainer numbers continued characters in the order of a hash map and settles ties by their numbers; said
    # beforehand, as pieces that are there from the start, their order is always the same.
    alphabet = [*SPECIAL_PIECES, *characters, *(CONTINUED + one for one in characters if one not in split)]
    trainer = WordPieceTrainer(
        vocab_size=size,
        special_tokens=alphabet,
        initial_alphabet=characters,
        limit_alphabet=len(characters),
        show_progress=False,
        continuing_subword_prefix=CONTINUED,
    )
    tokenizer = Tokenizer(WordPiece({}, unk_token=UNKNOWN_PIECE))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.train_from_iterator(plain, trainer)
    numbers = tokenizer.get_vocab()
    return sorted(numbers, key=lambda piece: numbers[piece])


def tokeniser_of(vocabulary: Sequence[str]) -> BertTokenizer:
    """The fast tokeniser of the transformers library for a vocabulary, lower-casing, for chunks of at most 512 pieces.

    Raises :class:`VocabularyError` where a special piece is missing or a piece is listed twice.
    """
    from transformers import BertTokenizer  # It takes as long to import as torch.

    counts = Counter(vocabulary)
    missing = [piece for piece in SPECIAL_PIECES if piece not in counts]
    if missing:
        raise VocabularyError(
            f"The vocabulary lacks {', '.join(missing)}; a BERT vocabulary has all special pieces.", "vocabulary"
        )
    piece, times = counts.most_common(1)[0]
    if times > 1:
        raise VocabularyError(f"The vocabulary lists {piece!r} {times} times; each piece is allowed once.", "twice")
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    return BertTokenizer(vocab=numbers, do_lower_case=True, model_max_length=LONGEST)


def _vocabulary_characters(texts: Iterable[str], size: int) -> list[str]:
    """Characters with a piece of their own: the common ones in their order, then the texts' others by frequency."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    common = list(ALPHABET + SPLIT_SIGNS)
    others = sorted(
        (one for one in counts if one not in set(common) and not one.isspace()), key=lambda one: (-counts[one], one)
    )
    room = size - len(SPECIAL_PIECES) - len(common) - len(ALPHABET)
    return common + others[: room // 4 // 2]
