"""Words as a batch of contexts and the characters that follow (document 002, 1.4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Generator, Tensor

END = "."
"""Begins and ends every word, and fills contexts that reach before a word."""


@dataclass(frozen=True)
class Batch:
    """The symbols, contexts X (n, k) and targets Y (n,) as places among the symbols."""

    symbols: tuple[str, ...]
    X: Int[Tensor, "sample place"]
    Y: Int[Tensor, " sample"]

    def contexts(self) -> list[str]:
        """Every sample's context as text."""
        return ["".join(self.symbols[place] for place in row) for row in self.X.tolist()]

    def targets(self) -> list[str]:
        """The character that follows in every sample."""
        return [self.symbols[place] for place in self.Y.tolist()]


def pairs(words: str, context: int) -> list[tuple[str, str]]:
    """Every context of the words with the character that follows it.

    >>> pairs("go", 2)
    [('..', 'g'), ('.g', 'o'), ('go', '.')]
    """
    lines = [END * context + word + END for word in words.split()]
    return [(word[at - context : at], word[at]) for word in lines for at in range(context, len(word))]


def draw(words: str, samples: int, context: int, stream: Generator) -> Batch:
    """A batch in which no pair comes again before all have come; ``ValueError`` for words that are only blanks."""
    every = pairs(words, context)
    if not every:
        raise ValueError("Words has only blanks; allowed is a text with at least one character.")
    symbols = tuple(sorted({END, *"".join(words.split())}))
    number = {symbol: at for at, symbol in enumerate(symbols)}
    rounds = -(-samples // len(every))
    order = torch.cat([torch.randperm(len(every), generator=stream) for _ in range(rounds)])[:samples]
    rows = [every[at] for at in order.tolist()]
    X = torch.tensor([[number[symbol] for symbol in before] for before, _ in rows])
    return Batch(symbols, X, torch.tensor([number[after] for _, after in rows]))
