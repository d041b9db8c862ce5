"""The four tasks of Graves et al. 2014, sections 4.1-4.3 and 4.5: rows of bits to keep, and what is asked of them.

A sequence is given row by row, then a row with a mark, then one row for each answer, with a flag where it is set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Generator, Tensor

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

MARK, FLAG, PRIORITY = range(3)
EXTRA = ("mark", "flag", "priority")
"""Input channels behind the bits."""


@dataclass(frozen=True)
class TaskBatch:
    """Sequences of one length, and the bits that are wanted at their last time steps."""

    inputs: Float[Tensor, "time batch channel"]
    targets: Float[Tensor, "answer batch bit"]

    def to(self, device: torch.device) -> TaskBatch:
        """The same batch on a device."""
        return TaskBatch(self.inputs.to(device), self.targets.to(device))

    @property
    def first_answer(self) -> int:
        """The time step of the first answer, counted from 0."""
        return len(self.inputs) - len(self.targets)


def shortest(task: str) -> int:
    """Rows of the shortest sequence: recall asks for what followed a row."""
    return 2 if task == "recall" else 1


def lengths_to_test(settings: NeuralTuringMachine) -> list[int]:
    """Lengths that are tested: half, once, one and a half times and twice what is trained, and the memory's end.

    Rows of a recall differ, and of so many bits there are no more.
    """
    length, slots = settings.length, settings.slots
    lengths = {(length + 1) // 2, length, (3 * length + 1) // 2, 2 * length, slots, slots + 2}
    least, most = shortest(settings.task), 2**settings.bits if settings.task == "recall" else 10 * length + slots
    return sorted({min(max(one, least), most) for one in lengths})


def trained_batch(settings: NeuralTuringMachine, batch: int, generator: Generator) -> TaskBatch:
    """Sequences to learn from, of one length that is drawn evenly up to the longest, and as many repeats."""
    length = int(torch.randint(shortest(settings.task), settings.length + 1, (), generator=generator))
    repeats = int(torch.randint(1, settings.repeats + 1, (), generator=generator))
    return sequences(settings, length, repeats, batch, generator)


def sequences(settings: NeuralTuringMachine, length: int, repeats: int, batch: int, generator: Generator) -> TaskBatch:
    """Sequences of so many rows, to be told so many times where the task is to repeat them."""
    bits = settings.bits
    rows = torch.randint(2, (length, batch, bits), generator=generator).float()
    priority = torch.zeros(length, batch)
    query = torch.zeros(batch, bits)
    if settings.task == "recall":
        rows = _different_rows(length, batch, bits, generator)
        place = torch.randint(length - 1, (batch,), generator=generator)
        query, targets = rows[place, torch.arange(batch)], rows[place + 1, torch.arange(batch)][None]
    elif settings.task == "priority":
        priority = 2 * torch.rand(length, batch, generator=generator) - 1
        order = priority.argsort(0, descending=True)
        targets = rows.gather(0, order[..., None].expand_as(rows))
    else:
        targets = rows.repeat(repeats if settings.task == "repeat" else 1, 1, 1)
    inputs = torch.zeros(length + 1 + len(targets), batch, bits + len(EXTRA))
    inputs[:length, :, :bits], inputs[:length, :, bits + PRIORITY] = rows, priority
    inputs[length, :, :bits], inputs[length, :, bits + MARK] = query, 1.0
    inputs[length + 1 :, :, bits + FLAG] = float(settings.flag)
    return TaskBatch(inputs, targets)


def _different_rows(length: int, batch: int, bits: int, generator: Generator) -> Float[Tensor, "length batch bit"]:
    """Rows of bits of which no two of a sequence are equal."""
    codes = torch.rand(batch, 2**bits, generator=generator).argsort(-1)[:, :length].T
    return ((codes[..., None] >> torch.arange(bits)) & 1).float()
