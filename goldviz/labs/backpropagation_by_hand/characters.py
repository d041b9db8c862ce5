"""A text as numbers: its alphabet, and the pairs of a symbol and the one that follows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor


@dataclass(frozen=True)
class Alphabet:
    """The distinct characters of a text, sorted; a character's number is its place."""

    symbols: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Alphabet:
        """The alphabet of ``text``; raises ``ValueError`` if the text is empty.

        >>> Alphabet.of("gold").symbols
        ('d', 'g', 'l', 'o')
        """
        if not text:
            raise ValueError("The text is empty; it needs at least one character.")
        return cls(tuple(sorted(set(text))))

    def encode(self, text: str) -> Int[Tensor, " time"]:
        """The characters' numbers; raises ``ValueError`` naming the characters that the alphabet lacks."""
        numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        unknown_symbols = sorted(set(text) - set(numbers))
        if unknown_symbols:
            listing = ", ".join(repr(symbol) for symbol in unknown_symbols[:8])
            raise ValueError(f"The text has characters that the alphabet lacks: {listing}.")
        return torch.tensor([numbers[symbol] for symbol in text], dtype=torch.long)

    def decode(self, numbers: Int[Tensor, " time"]) -> str:
        """The text of these numbers."""
        return "".join(self.symbols[number] for number in numbers.tolist())

    def next_symbol_pairs(self, text: str) -> tuple[Int[Tensor, " time"], Int[Tensor, " time"]]:
        """Inputs and targets for predicting each next character; ``ValueError`` for a text below 2 characters."""
        if len(text) < 2:
            raise ValueError(f"The text has {len(text)} characters; predicting the next one needs at least 2.")
        numbers = self.encode(text)
        return numbers[:-1], numbers[1:]
