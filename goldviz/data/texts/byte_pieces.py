"""A tokeniser of bytes: 256 tokens for the bytes, and one more for each merge that was learned (document 002, 2.1).

A text is split by an expression (:mod:`goldviz.data.texts.split_patterns`), and the bytes of each piece are merged by
themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from goldviz.data.texts.pair_merges import Merge, Pair, encoded, learned
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.split_patterns import SPLIT_PATTERNS, split

BYTES = 256
GPT2 = SPLIT_PATTERNS["gpt2"].expression
_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_ORDER = np.array([*_PRINTED, *sorted(set(range(BYTES)) - set(_PRINTED))])
"""Bytes as GPT-2 orders them, the printed ones first: of pairs that are found equally often the first is merged, and
so the merges are those of the tokenizers library."""
_RANK = np.argsort(_ORDER)

Tokens = NDArray[np.int64]


@dataclass(frozen=True)
class BytePieces:
    """The pairs that are merged, in the order in which they were learned, and the expression that splits a text.

    Token n < 256 is byte n; token 256 + n is pair n.

    >>> pieces = BytePieces.learned_from("aaabdaaabac", 259, "")
    >>> pieces.encode("aaabdaaabac").tolist(), pieces.decode([258, 100]), pieces.size
    ([258, 100, 258, 97, 99], 'aaabd', 259)
    """

    pairs: tuple[Pair, ...]
    expression: str = GPT2

    @classmethod
    def learned_from(cls, text: str | bytes, size: int, expression: str = GPT2) -> BytePieces:
        """The tokeniser of ``size`` tokens, or of fewer where the text holds no more pairs.

        Raises:
            TextError: there are fewer than 256, or the expression takes too long.
        """
        if size < BYTES:
            raise TextError(
                f"The vocabulary has {size} tokens; allowed are at least {BYTES}, one for every byte.", "not_allowed"
            )
        return cls(tuple(merge.pair for merge in islice(merges(text, expression), size - BYTES)), expression)

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return BYTES + len(self.pairs)

    @cached_property
    def vocabulary(self) -> tuple[bytes, ...]:
        """The bytes that each token stands for."""
        pieces = [bytes([byte]) for byte in range(BYTES)]
        for first, second in self.pairs:
            pieces.append(pieces[first] + pieces[second])
        return tuple(pieces)

    def encode(self, text: str | bytes) -> Tokens:
        """The tokens of a text; raises :class:`TextError` where the expression takes too long."""
        parts = [part for _, part in self.encode_pieces(text)]
        return np.concatenate([*parts, np.empty(0, np.int64)])

    def encode_pieces(self, text: str | bytes) -> list[tuple[str, Tokens]]:
        """Each piece that the expression gives, with its tokens; raises as :meth:`encode` does."""
        pieces = list(split(read(text), self.expression))
        different = list(dict.fromkeys(pieces))
        codes = encoded([np.frombuffer(written(piece), np.uint8) for piece in different], self.pairs, BYTES)
        tokens = dict(zip(different, codes, strict=True))
        return [(piece, tokens[piece]) for piece in pieces]

    def bytes_of(self, tokens: Iterable[int]) -> bytes:
        """The bytes that tokens stand for; ``IndexError`` for one that was never learned."""
        return b"".join(self.vocabulary[token] for token in tokens)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens, with � for bytes that are no UTF-8."""
        return self.bytes_of(tokens).decode("utf-8", errors="replace")


def merges(text: str | bytes, expression: str, *, others: int = 0) -> Iterator[Merge]:
    """One merge of the text's bytes after another, with so many ``others`` that came next.

    Raises :class:`TextError` where the expression takes too long.
    """
    times = Counter(split(read(text), expression))
    ranks = [_RANK[np.frombuffer(written(piece), np.uint8)] for piece in times]
    for merge in learned(ranks, BYTES, list(times.values()), others=others):
        yield merge._replace(
            pair=_in_bytes(merge.pair), others=tuple((_in_bytes(pair), count) for pair, count in merge.others)
        )


def _in_bytes(pair: Pair) -> Pair:
    first, second = (int(_ORDER[token]) if token < BYTES else token for token in pair)
    return first, second


def read(text: str | bytes) -> str:
    """Bytes as a text that can be cut and written again, byte for byte, whether they are UTF-8 or not."""
    content = text.encode("utf-8", errors="surrogatepass") if isinstance(text, str) else text
    return content.decode("utf-8", errors="surrogateescape")


def written(piece: str) -> bytes:
    """The bytes of a piece of what :func:`read` gave."""
    return piece.encode("utf-8", errors="surrogateescape")


def pairs_of(rows: Sequence[Sequence[int]]) -> tuple[Pair, ...]:
    """Pairs out of an array with two columns, such as a kept run has."""
    return tuple((int(first), int(second)) for first, second in rows)
