"""The inputs of a run by its settings, and the few whose thought is shown step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Generator

from goldviz.labs.adaptive_computation.tasks import STOP, Puzzles, addition, parity, read_until_stop

if TYPE_CHECKING:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation

TESTS = 512
"""Unseen inputs of each seed."""
MOST_FOLLOWED = 7
"""Inputs whose thought is shown, at most."""
SIGNS = {-1: "−", 0: "·", 1: "+"}


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
