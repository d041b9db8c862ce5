"""What is thought about: bits until STOP, the parity of signs, and the sum of two numbers, each with its difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import one_hot

if TYPE_CHECKING:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation

STOP = 2
"""The symbol behind 0 and 1."""
TESTS = 512
"""Unseen inputs of each seed."""
MOST_FOLLOWED = 7
"""Inputs whose thought is shown, at most."""
SIGNS = {-1: "−", 0: "·", 1: "+"}


class Puzzles(NamedTuple):
    """Inputs (time, batch, features), the bits asked for (batch, outputs), and how hard each is."""

    inputs: Float[Tensor, "time batch features"]
    targets: Float[Tensor, "batch outputs"]
    difficulty: Int[Tensor, " batch"]

    def to(self, device: torch.device) -> Puzzles:
        """The same on a device."""
        return Puzzles(*(part.to(device) for part in self))


def read_until_stop(bits: int, difficulty: Int[Tensor, " batch"], time: int, generator: Generator) -> Puzzles:
    """Bits come one a step; the answer is the one before STOP, which comes after ``difficulty`` bits.

    ``bits`` is the most before STOP. Random bits follow it, so reading on costs time and confuses.
    """
    symbols = torch.randint(2, (max(time, bits + 1), len(difficulty)), generator=generator)
    rows = torch.arange(len(difficulty))
    targets = symbols[difficulty - 1, rows]
    symbols[difficulty, rows] = STOP
    return Puzzles(one_hot(symbols, 3).float(), targets[:, None].float(), difficulty)


def parity(bits: int, difficulty: Int[Tensor, " batch"], generator: Generator) -> Puzzles:
    """Graves' parity: of ``bits`` places ``difficulty`` are 1 or -1, the others 0. Is the number of 1 odd?"""
    signs = 2 * torch.randint(2, (len(difficulty), bits), generator=generator) - 1
    places = torch.rand(len(difficulty), bits, generator=generator).argsort(1).argsort(1)
    values = signs * (places < difficulty[:, None])
    return Puzzles(values[None].float(), ((values > 0).sum(1, keepdim=True) % 2).float(), difficulty)


def addition(bits: int, batch: int, generator: Generator) -> Puzzles:
    """Two numbers of ``bits`` bits, lowest first, as 1 and -1; the bits of their sum are asked for.

    The difficulty is the longest way that a carry goes, in places.

    >>> numbers = torch.tensor([[[1, 1, 0], [1, 0, 0]]])
    >>> sum_of(numbers)
    (tensor([[0, 0, 1, 0]]), tensor([2]))
    """
    numbers = torch.randint(2, (batch, 2, bits), generator=generator)
    total, carries = sum_of(numbers)
    return Puzzles((2 * numbers - 1).flatten(1)[None].float(), total.float(), carries)


def sum_of(numbers: Int[Tensor, "batch 2 bits"]) -> tuple[Int[Tensor, "batch more_bits"], Int[Tensor, " batch"]]:
    """The bits of the sums, lowest first, and how many places their longest carry goes."""
    carry, way, longest = (torch.zeros(len(numbers), dtype=torch.long) for _ in range(3))
    total = []
    for place in numbers.sum(1).T:
        total.append((place + carry) % 2)
        carry = (place + carry) // 2
        # Two ones begin a new carry; one of each hands on the one that came.
        way = carry * torch.where(place == 1, way + 1, torch.ones_like(way))
        longest = longest.maximum(way)
    return torch.stack([*total, carry], 1), longest


def puzzles(settings: AdaptiveComputation, batch: int, generator: Generator) -> Puzzles:
    """So many inputs of the task, every difficulty as likely as another; carries come as they do."""
    if settings.task == "addition":
        return addition(settings.bits, batch, generator)
    difficulty = torch.randint(1, settings.bits + 1, (batch,), generator=generator)
    if settings.task == "parity":
        return parity(settings.bits, difficulty, generator)
    return read_until_stop(settings.bits, difficulty, settings.most, generator)


def difficulties(settings: AdaptiveComputation) -> list[int]:
    """All difficulties that there are."""
    return list(range(0 if settings.task == "addition" else 1, settings.bits + 1))


def followed(test: Puzzles, settings: AdaptiveComputation) -> list[int]:
    """Which unseen inputs are followed: the first of each difficulty, evenly chosen where there are many."""
    present = [level for level in difficulties(settings) if bool((test.difficulty == level).any())]
    places = torch.linspace(0, len(present) - 1, min(len(present), MOST_FOLLOWED)).round().long().tolist()
    return [int((test.difficulty == present[place]).nonzero()[0]) for place in places]


def in_words(test: Puzzles, place: int, task: str) -> str:
    """An input as a label: the bits up to STOP, signs, or the two numbers."""
    values = test.inputs[:, place]
    if task == "stop":
        symbols = values.argmax(1).tolist()
        return " ".join(map(str, symbols[: symbols.index(STOP)])) + " STOP"
    if task == "parity":
        return " ".join(SIGNS[int(sign)] for sign in values[0].tolist())
    first, second = (number(bits) for bits in values[0].chunk(2))
    return f"{first} + {second}"


def number(bits: torch.Tensor) -> int:
    """The number of bits that come as 1 and -1, lowest first.

    >>> number(torch.tensor([1.0, -1.0, 1.0]))
    5
    """
    return sum(2**place for place, bit in enumerate(bits.tolist()) if bit > 0)
