"""A text as the pieces that a model reads: where each stands in the text, which word it belongs to, chunk by chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldviz.coded_errors import CodedError

LONGEST = 512
OVERLAP = 64
SPECIAL_WORD = -1
MOST_CHARACTERS_AT_ONCE = 1_000_000
"""The longest text that is cut: a tokeniser cannot be stopped, and a foreign one takes as long as its rules like."""

TOKENISER_GAVE_UP = "PanicException"
"""What the tokenisers' Rust raises where it fails; no Exception, and no module has it."""


class TextError(CodedError):
    """A text that cannot be read, in a sentence for a person."""


@dataclass(frozen=True)
class Pieces:
    """One chunk of a text. All arrays have a row for each piece, special pieces ([CLS], [SEP]) included.

    ``offsets`` are the first character and the one after the last in the whole text, (0, 0) at special pieces;
    ``words`` numbers the words of the chunk from 0, with ``SPECIAL_WORD`` at special pieces. ``segments`` are 0, and 1
    from behind a separator that is written in the text: "first [SEP] second" is a pair of sentences, and what follows
    is segment B (document 001, section 4.2.1).
    """

    ids: np.ndarray
    tokens: tuple[str, ...]
    offsets: np.ndarray
    words: np.ndarray
    segments: np.ndarray

    @property
    def special(self) -> np.ndarray:
        """True at special pieces."""
        inside: np.ndarray = self.words == SPECIAL_WORD
        return inside

    def __len__(self) -> int:
        return len(self.ids)


def split_into_pieces(tokeniser: Any, text: str, *, longest: int = LONGEST, overlap: int = OVERLAP) -> list[Pieces]:
    """The chunks of a text, each with at most ``longest`` pieces, special ones included; neighbours share ``overlap``.

    ``tokeniser`` is a fast tokeniser of the transformers library. Raises :class:`TextError` for a text of which no
    piece is left (nothing but blanks), for one of more than ``MOST_CHARACTERS_AT_ONCE``, where ``overlap`` leaves no
    room to go on, and where the tokeniser itself fails.
    """
    if len(text) > MOST_CHARACTERS_AT_ONCE:
        raise TextError(
            f"The text has {len(text):,} characters; allowed are up to {MOST_CHARACTERS_AT_ONCE:,} at once.", "too_long"
        )
    room = longest - tokeniser.num_special_tokens_to_add(pair=False)
    if room < 1 or not 0 <= overlap < room:
        raise TextError(
            f"Overlap is {overlap} and a chunk holds {longest} pieces; allowed is an overlap from 0 to {room - 1}.",
            "not_allowed",
        )
    try:
        encoding = tokeniser(
            text,
            truncation=True,
            max_length=longest,
            stride=overlap,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            padding=False,
        )
    except BaseException as error:
        if not (isinstance(error, Exception) or type(error).__name__ == TOKENISER_GAVE_UP):
            raise
        raise TextError(
            "The model's tokeniser fails at this text; choose another model or another text.", "tokeniser"
        ) from error
    second = _start_of_the_second(text, tokeniser.sep_token)
    chunks = [_chunk(tokeniser, encoding, number, second) for number in range(len(encoding["input_ids"]))]
    if all(chunk.special.all() for chunk in chunks):
        raise TextError("The text is empty; allowed is a text with at least one letter, digit or sign.", "empty")
    return chunks


def as_read(tokeniser: Any, text: str, second: str = "") -> str:
    """A text with the separator that the tokeniser itself puts between two sentences, and ``second`` behind one.

    Written may be BERT's [CLS] and [SEP] or the tokeniser's own. What it adds by itself, at both ends, is left out, so
    that none stands there twice. A text without any of them stays as it is.
    """
    own = tokeniser.sep_token
    if own is None:
        return text
    classes, separators = (
        "|".join(re.escape(mark) for mark in {name, token} if mark)
        for name, token in (("[CLS]", tokeniser.cls_token), ("[SEP]", own))
    )
    if not second.strip() and not re.search(f"{classes}|{separators}", text):
        return text
    written = [re.sub(rf"^\s*(?:{classes})", "", one) for one in (text, second)]
    sentences = [part.strip() for one in written for part in re.split(separators, one) if part.strip()]
    added = tokeniser.num_special_tokens_to_add
    blank = "" if _is_byte_level(tokeniser) else " "
    return f"{blank}{own * max(added(pair=True) - added(pair=False), 1)}{blank}".join(sentences) or text


def _start_of_the_second(text: str, separator: str | None) -> int:
    """Where the second sentence of a pair begins; behind the text where there is none.

    >>> _start_of_the_second("a [SEP] b", "[SEP]"), _start_of_the_second("a b", "[SEP]")
    (7, 3)
    """
    first, mark, rest = text.partition(separator) if separator else (text, "", "")
    # RoBERTa sets two between sentences.
    return len(first) + len(mark) + (len(rest) - len(rest.removeprefix(mark)) if mark else 0)


def _chunk(tokeniser: Any, encoding: Any, number: int, second: int) -> Pieces:
    ids = np.array(encoding["input_ids"][number], np.int64)
    numbers = [SPECIAL_WORD if word is None else word for word in encoding.word_ids(number)]
    words = np.array(numbers, np.int64)
    if tokeniser.sep_token_id is not None:
        words[ids == tokeniser.sep_token_id] = SPECIAL_WORD
    inside = words != SPECIAL_WORD
    if inside.any():
        # A chunk counts its own words: the first one that it holds, whole or in part, is word 0.
        words[inside] = np.unique(words[inside], return_inverse=True)[1]
    offsets = np.array(encoding["offset_mapping"][number], np.int64).reshape(-1, 2)
    segments = _segments(offsets, second)
    offsets[~inside] = 0
    return Pieces(ids, shown_pieces(tokeniser, ids.tolist()), offsets, words, segments)


def shown_pieces(tokeniser: Any, numbers: Sequence[int]) -> tuple[str, ...]:
    """The pieces of these numbers as a person reads them.

    Byte-level vocabularies write each byte of UTF-8 as a letter of its own, *café* as *cafÃ©*: whole characters are put
    together, and the mark of a blank before a word stays. A row of the table that belongs to no piece says so.
    """
    names = tokeniser.convert_ids_to_tokens(list(numbers))
    byte_level = _is_byte_level(tokeniser)
    return tuple(
        f"[unused {number}]" if name is None else in_letters(name) if byte_level else name
        for number, name in zip(numbers, names, strict=True)
    )


def _is_byte_level(tokeniser: Any) -> bool:
    backend = tokeniser.backend_tokenizer
    return "ByteLevel" in (type(backend.decoder).__name__, type(backend.pre_tokenizer).__name__)


def in_letters(piece: str) -> str:
    """A byte-level piece with its bytes read as UTF-8; a piece that holds a part of a character stays as it is.

    >>> in_letters("ĠcafÃ©"), in_letters("naÃ¯ve"), in_letters("Ã"), in_letters("<s>")
    ('Ġcafé', 'naïve', 'Ã', '<s>')
    """
    mark = "Ġ" if piece.startswith("Ġ") else ""
    try:
        letters = bytes(_BYTES[letter] for letter in piece.removeprefix(mark)).decode()
    except (KeyError, UnicodeDecodeError):
        return piece
    return mark + letters if letters.isprintable() and " " not in letters else piece


def _byte_letters() -> dict[str, int]:
    """The byte that each letter stands for (Radford et al. 2019): printable ones are themselves, others follow 255."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + place): byte for place, byte in enumerate(others)}


_BYTES = _byte_letters()


def _segments(offsets: np.ndarray, second: int) -> np.ndarray:
    """0 for what begins before the second sentence, 1 for the rest; a piece that a tokeniser added at the end belongs
    to what it ends."""
    segments: np.ndarray = (offsets[:, 0] >= max(second, 1)).astype(np.int64)
    extra = (offsets[:, 1] == 0) & (np.arange(len(offsets)) > 0)
    segments[extra] = np.maximum.accumulate(segments)[extra]
    return segments
