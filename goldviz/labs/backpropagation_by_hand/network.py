"""A small softmax RNN that predicts the next symbol of a text, every intermediate kept (document 003).

u_t = W_aa h_(t-1) + W_ax x_t + b_a,  h_t = tanh(u_t),  o_t = W_ya h_t + b_y,  y^_t = softmax(o_t),
L_t = -sum_i y_(t,i) log y^_(t,i),  L = sum_t L_t. Vectors are columns and there is one text, as in the document, which
an alphabet turns into numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional


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


class Weights(NamedTuple):
    """W_ax (hidden, symbols), W_aa (hidden, hidden), b_a (hidden,), W_ya (symbols, hidden), b_y (symbols,).

    Also the shape of anything that comes in the same five parts: gradients, contributions, differences.
    """

    W_ax: Float[Tensor, "hidden symbols"]
    W_aa: Float[Tensor, "hidden hidden"]
    b_a: Float[Tensor, " hidden"]
    W_ya: Float[Tensor, "symbols hidden"]
    b_y: Float[Tensor, " symbols"]


@dataclass(frozen=True)
class ForwardStep:
    """Everything step t computes: the one-hot input and target, h_(t-1), u_t, h_t, o_t, y^_t and L_t."""

    x: Float[Tensor, " symbols"]
    y: Float[Tensor, " symbols"]
    h_previous: Float[Tensor, " hidden"]
    u: Float[Tensor, " hidden"]
    h: Float[Tensor, " hidden"]
    o: Float[Tensor, " symbols"]
    y_hat: Float[Tensor, " symbols"]
    loss: Float[Tensor, ""]


def draw(symbols: int, hidden: int, stream: Callable[[int], Generator], gain: float = 1.0) -> Weights:
    """Gaussian weights in float64 with spread gain / sqrt(columns), biases zero; matrix i comes from stream(i)."""
    for name, size in (("symbols", symbols), ("hidden units", hidden)):
        if size < 1:
            raise ValueError(f"The number of {name} is {size}; allowed is a whole number from 1.")

    def matrix(index: int, rows: int, columns: int) -> Tensor:
        normals = torch.randn(rows, columns, generator=stream(index), dtype=torch.float64)
        return normals * (gain / math.sqrt(columns))

    zeros = torch.zeros(hidden + symbols, dtype=torch.float64)
    return Weights(
        matrix(0, hidden, symbols),
        matrix(1, hidden, hidden),
        zeros[:hidden],
        matrix(2, symbols, hidden),
        zeros[hidden:],
    )


def forward(weights: Weights, inputs: Int[Tensor, " inputs"], targets: Int[Tensor, " targets"]) -> list[ForwardStep]:
    """Read the symbols ``inputs`` from h_0 = 0 and compare each prediction with ``targets``, step by step.

    Raises ``ValueError`` for an empty text or unequal lengths.
    """
    if len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError(
            f"The text has {len(inputs)} inputs and {len(targets)} targets; allowed are equal numbers from 1."
        )
    symbols = weights.b_y.shape[0]
    h = torch.zeros_like(weights.b_a)
    steps: list[ForwardStep] = []
    for x, y in zip(*(functional.one_hot(ids, symbols).to(h.dtype) for ids in (inputs, targets)), strict=True):
        u = weights.W_aa @ h + weights.W_ax @ x + weights.b_a
        h_previous, h = h, torch.tanh(u)
        o = weights.W_ya @ h + weights.b_y
        log_y_hat = functional.log_softmax(o, 0)
        steps.append(ForwardStep(x, y, h_previous, u, h, o, log_y_hat.exp(), -(y @ log_y_hat)))
    return steps
