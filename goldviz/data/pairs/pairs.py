"""A task of pairs: words to read, words to write, and which word stands for which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from goldviz.coded_errors import CodedError

NO_WORD = -1
"""In place of a source word for a target word that stands for none, or for several."""
LONGEST_SENTENCE = 40
"""Words of a sentence of one's own."""


class SentenceError(CodedError):
    """A sentence that a task does not understand, in one sentence: what it is, and what is allowed."""


class Pairs(NamedTuple):
    """Sequences of one length with their answers.

    ``aligned`` is the place in the source that a target word stands for, or :data:`NO_WORD`.
    """

    source: Int[Tensor, "pair source_place"]
    target: Int[Tensor, "pair target_place"]
    aligned: Int[Tensor, "pair target_place"]

    def to(self, device: torch.device) -> Pairs:
        """The same pairs on a device."""
        return Pairs(*(one.to(device) for one in self))


@dataclass(frozen=True)
class PairTask:
    """A task: its words, the lengths that it trains on and is asked for, and how pairs of a length are drawn.

    ``draw(count, length, generator)`` gives that many :class:`Pairs` with sources of ``length`` words, and answers of
    one length. ``read`` cuts a sentence of a person into words. ``grammar`` raises :class:`SentenceError` for known
    words in an order that the task does not have. Lengths in ``beyond`` are asked for, and never trained on.
    ``known_by(length)`` is the pair of so many words that the task is known by, where it has one.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    lengths: tuple[int, ...]
    beyond: tuple[int, ...]
    draw: Callable[[int, int, Generator], Pairs]
    read: Callable[[str], list[str]]
    grammar: Callable[[list[str]], None]
    example: str
    known_by: Callable[[int], Pairs] | None = None

    def probe(self, generator: Generator) -> Pairs:
        """One pair of the middle length to look into: what the task is known by, or else a drawn one."""
        length = self.lengths[len(self.lengths) // 2]
        drawn = self.draw(1, length, generator)
        return self.known_by(length) if self.known_by else drawn

    def batch(self, count: int, generator: Generator) -> Pairs:
        """So many pairs to learn from, of one length, which is drawn, too."""
        return self.draw(count, self.lengths[int(torch.randint(len(self.lengths), (), generator=generator))], generator)

    def unseen(self, count: int, generator: Generator) -> dict[int, Pairs]:
        """So many pairs of every length that is asked for."""
        return {length: self.draw(count, length, generator) for length in (*self.lengths, *self.beyond)}

    @property
    def numbers(self) -> Mapping[str, int]:
        """Each source word's number."""
        return {word: number for number, word in enumerate(self.source_words)}

    def understood(self, sentence: str) -> list[int]:
        """The numbers of a sentence's words.

        Raises :class:`SentenceError` for an empty sentence, one of more than 40 words, a word that the task does not
        have, and an order of words that its grammar does not have.
        """
        words = of_a_sentence(self.read(sentence), self.example)
        numbers = self.numbers
        strange = next((word for word in words if word not in numbers), None)
        if strange is not None:
            raise SentenceError(
                f"The network has never read {_short(strange)!r}; allowed are {', '.join(self.source_words)}.",
                "never_read",
            )
        self.grammar(words)
        return [numbers[word] for word in words]


def of_a_sentence(words: list[str], example: str) -> list[str]:
    """The words; raises :class:`SentenceError` for none, or more than 40."""
    if not words:
        raise SentenceError(f"The sentence is empty; allowed are up to {LONGEST_SENTENCE} words: {example}.", "empty")
    if len(words) > LONGEST_SENTENCE:
        raise SentenceError(f"The sentence has {len(words):,} words; allowed are up to {LONGEST_SENTENCE}.", "too_long")
    return words


def _short(word: str) -> str:
    return word if len(word) <= 30 else f"{word[:29]}…"


def any_order(words: list[str]) -> None:
    """The grammar of tasks in which every order of words is a sentence."""
