"""Sentence pairs of a person's own, cut into pieces that are learned by byte-pair encoding (document 002, 2.1).

A word is its letters with ▁ before the first; merges never cross words. Both sides share one vocabulary. Every tenth
pair is not learned, but asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import torch
from torch import Generator
from torch.nn.utils.rnn import pad_sequence

from goldviz.data.pairs.pairs import NO_WORD, Pairs, SentenceError, of_a_sentence
from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pair_merges import Pair, encoded, learned
from goldviz.data.texts.pieces import TextError
from goldviz.labs.translation_transformer.corpora import pairs_in

START = "▁"
"""Stands before the first letter of a word."""
LONGEST_PIECES = 60
TENTH = 10


@dataclass(frozen=True)
class PieceCutter:
    """Letters, and the pairs that are merged in the order in which they were learned."""

    letters: tuple[str, ...]
    merges: tuple[Pair, ...]

    @classmethod
    def learned_from(cls, sentences: list[str], merges: int) -> PieceCutter:
        """At most so many merges, as long as a pair is found twice.

        >>> PieceCutter.learned_from(["low low lower"], 3).pieces
        ('e', 'l', 'o', 'r', 'w', '▁', 'lo', '▁lo', '▁low')
        """
        times = Counter(f"{START}{word}" for sentence in sentences for word in sentence.split())
        letters = tuple(sorted(set("".join(times)) | {START}))
        numbers = {letter: number for number, letter in enumerate(letters)}
        rows = [[numbers[letter] for letter in word] for word in times]
        steps = islice(learned(rows, len(letters), list(times.values())), merges)
        return cls(letters, tuple(step.pair for step in steps))

    @property
    def pieces(self) -> tuple[str, ...]:
        """Every piece, by number."""
        pieces = list(self.letters)
        for first, second in self.merges:
            pieces.append(pieces[first] + pieces[second])
        return tuple(pieces)

    def cut(self, sentence: str) -> list[int]:
        """The pieces of a sentence; raises :class:`SentenceError` for a letter that was never learned."""
        numbers = {letter: number for number, letter in enumerate(self.letters)}
        words = [f"{START}{word}" for word in sentence.split()]
        strange = next((letter for word in words for letter in word if letter not in numbers), None)
        if strange is not None:
            letters = " ".join(letter for letter in self.letters if letter != START)
            known = letters if len(letters) <= 120 else f"{letters[:119]}…"
            raise SentenceError(f"The network has never read the sign {strange!r}; allowed are {known}.", "never_read")
        rows = encoded([[numbers[letter] for letter in word] for word in words], self.merges, len(self.letters))
        return [int(piece) for row in rows for piece in row]


@dataclass(frozen=True)
class OwnPairs:
    """Pairs in pieces, those that are learned and those that are not."""

    cutter: PieceCutter
    train: tuple[tuple[list[int], list[int]], ...]
    tests: tuple[tuple[list[int], list[int]], ...]
    example: str

    @property
    def source_words(self) -> tuple[str, ...]:
        """Every piece."""
        return self.cutter.pieces

    target_words = source_words

    @property
    def lengths(self) -> tuple[int, ...]:
        """Pieces of the sources that are not learned."""
        return tuple(sorted({len(source) for source, _ in self.tests}))

    def batch(self, count: int, generator: Generator) -> Pairs:
        """So many pairs, drawn with replacement from those that are learned."""
        indices = torch.randint(len(self.train), (count,), generator=generator).tolist()
        return _as_pairs([self.train[place] for place in indices])

    def held_out(self, most: int) -> dict[int, Pairs]:
        """Of each length at most so many pairs that are not learned."""
        return {
            length: _as_pairs([pair for pair in self.tests if len(pair[0]) == length][:most]) for length in self.lengths
        }

    def checked(self, most: int) -> Pairs:
        """At most so many pairs that are not learned, of any length."""
        return _as_pairs(list(self.tests[:most]))

    def understood(self, sentence: str) -> list[int]:
        """The pieces of a sentence.

        Raises :class:`SentenceError` for an empty sentence, one of more than 40 words or 60 pieces, and a strange sign.
        """
        of_a_sentence(sentence.split(), self.example)
        pieces = self.cutter.cut(sentence)
        if len(pieces) > LONGEST_PIECES:
            raise SentenceError(
                f"The sentence has {len(pieces)} pieces; allowed are up to {LONGEST_PIECES}.", "too_long"
            )
        return pieces


@lru_cache(maxsize=4)
def own_pairs(name: str, merges: int) -> OwnPairs:
    """The kept pairs of this name in pieces.

    Raises:
        TextError: they are not there any more, or a sentence has more than 60 pieces.
    """
    pairs = pairs_in(load_text(name))
    cutter = PieceCutter.learned_from([sentence for pair in pairs for sentence in pair], merges)
    rows = [(cutter.cut(source), cutter.cut(target)) for source, target in pairs]
    for number, row in enumerate(rows, start=1):
        longest = max(map(len, row))
        if longest > LONGEST_PIECES:
            raise TextError(
                f"Pair {number} has a sentence of {longest} pieces; allowed are at most {LONGEST_PIECES}. Raise the "
                "merges, or leave it out.",
                "too_long",
            )
    tests = rows[TENTH - 1 :: TENTH]
    train = [row for number, row in enumerate(rows, start=1) if number % TENTH]
    return OwnPairs(cutter, tuple(train), tuple(tests), pairs[0][0])


def _as_pairs(rows: list[tuple[list[int], list[int]]]) -> Pairs:
    source, target = (
        pad_sequence([torch.tensor(side) for side in sides], batch_first=True, padding_value=NO_WORD)
        for sides in zip(*rows, strict=True)
    )
    return Pairs(source, target, torch.full_like(target, NO_WORD))
