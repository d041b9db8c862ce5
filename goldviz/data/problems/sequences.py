"""Sequence tasks whose answers are known in closed form, each with a length that stretches its memory.

Every task draws a batch from an explicit generator. Inputs are (time, batch, features), time first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor
from torch.nn import functional


@dataclass(frozen=True)
class RegressionBatch:
    """Inputs and real targets (time, batch); the squared error counts where ``scored`` (time,) is true."""

    inputs: Float[Tensor, "time batch features"]
    targets: Float[Tensor, "time batch"]
    scored: Bool[Tensor, " time"]


@dataclass(frozen=True)
class ClassificationBatch:
    """Inputs and class numbers (time, batch); the cross-entropy counts where ``scored`` (time,) is true."""

    inputs: Float[Tensor, "time batch features"]
    targets: Int[Tensor, "time batch"]
    scored: Bool[Tensor, " time"]
    classes: int


def adding_problem(length: int, batch: int, generator: Generator) -> RegressionBatch:
    """Add the two marked numbers of a long list (Hochreiter and Schmidhuber 1997, experiment 4).

    Feature 0 is uniform in [0, 1); feature 1 is 1 at one step of the first half and one of the second, else 0.
    The target, at the last step, is the sum of the two marked numbers.

    Known answers: always saying 1 has mean squared error Var(u1 + u2) = 1/6 = 0.1667, the best without memory.
    Remembering only the number of the second half gives 1/12; with memory the error can be 0.
    """
    _check(length=(length, 2), batch=(batch, 1))
    values = torch.rand(length, batch, generator=generator)
    half = length // 2
    first = torch.randint(0, half, (batch,), generator=generator)
    second = torch.randint(half, length, (batch,), generator=generator)
    markers = functional.one_hot(first, length) + functional.one_hot(second, length)
    markers = markers.t().to(values.dtype)
    targets = torch.zeros(length, batch)
    targets[-1] = (values * markers).sum(0)
    return RegressionBatch(torch.stack([values, markers], 2), targets, _last(length, 1))


def delayed_recall(length: int, batch: int, generator: Generator, symbols: int = 8) -> ClassificationBatch:
    """Say at the last step which symbol came at the first; in between there are blanks.

    Features are one-hot: the symbols, a blank, and the cue to answer at the last step, length - 1 steps later.

    Known answers: without memory the loss is ln(symbols) and the accuracy 1 / symbols; with memory 0 and 1.
    """
    _check(length=(length, 2), batch=(batch, 1), symbols=(symbols, 2))
    first = torch.randint(0, symbols, (batch,), generator=generator)
    numbers = torch.full((length, batch), symbols)
    numbers[0], numbers[-1] = first, symbols + 1
    targets = torch.zeros(length, batch, dtype=torch.long)
    targets[-1] = first
    return ClassificationBatch(_one_hot(numbers, symbols + 2), targets, _last(length, 1), symbols)


def copy_task(delay: int, batch: int, generator: Generator, symbols: int = 8, items: int = 10) -> ClassificationBatch:
    """Repeat ``items`` symbols after ``delay`` blanks (Hochreiter and Schmidhuber 1997; Arjovsky et al. 2016).

    Time runs over the items, ``delay`` blanks, one cue and items - 1 blanks; item i is asked ``delay`` + items
    steps after it was shown. Only those last ``items`` steps are scored: where one also scores the blanks, the
    figures below are diluted by items / (delay + 2 items).

    Known answers: without memory the loss is ln(symbols) a scored step, the accuracy 1 / symbols.
    """
    _check(delay=(delay, 0), batch=(batch, 1), symbols=(symbols, 2), items=(items, 1))
    length = delay + 2 * items
    memory = torch.randint(0, symbols, (items, batch), generator=generator)
    numbers = torch.full((length, batch), symbols)
    numbers[:items], numbers[-items] = memory, symbols + 1
    targets = torch.zeros(length, batch, dtype=torch.long)
    targets[-items:] = memory
    return ClassificationBatch(_one_hot(numbers, symbols + 2), targets, _last(length, items), symbols)


def slow_sine(
    length: int, batch: int, generator: Generator, period: float = 100.0, noise: float = 0.0
) -> RegressionBatch:
    """Predict the next value of a sine of ``period`` steps and random phase, seen with Gaussian ``noise``.

    The target of step t is the noise-free value of step t + 1; all steps are scored.

    Known answers, with w = 2 pi / period and no noise: predicting 0 has mean squared error 1/2, repeating the
    last value 1 - cos(w), and x_(t+1) = 2 cos(w) x_t - x_(t-1) is exact. With noise of variance s^2 repeating
    costs 1 - cos(w) + s^2, and that exact rule (4 cos^2(w) + 1) s^2: only a longer memory averages it out.
    """
    _check(length=(length, 1), batch=(batch, 1))
    for name, value, expectation, good in (
        ("period", period, "a number from 2", period >= 2),
        ("noise", noise, "a number from 0", noise >= 0),
    ):
        if not (good and math.isfinite(value)):
            raise ValueError(f"The {name} is {value}; allowed is {expectation}.")
    phase = torch.rand(batch, generator=generator, dtype=torch.float64)
    turns = torch.arange(length + 1, dtype=torch.float64)[:, None] / period + phase
    values = torch.sin(2 * math.pi * turns).float()
    noisy = values[:-1] + noise * torch.randn(length, batch, generator=generator)
    return RegressionBatch(noisy.unsqueeze(2), values[1:], _last(length, length))


def _one_hot(numbers: Int[Tensor, "time batch"], classes: int) -> Float[Tensor, "time batch classes"]:
    return functional.one_hot(numbers, classes).to(torch.get_default_dtype())


def _last(length: int, count: int) -> Bool[Tensor, " time"]:
    return torch.arange(length) >= length - count


def _check(**sizes: tuple[int, int]) -> None:
    for name, (value, least) in sizes.items():
        if value < least:
            raise ValueError(f"The {name} is {value}; allowed is a whole number from {least}.")
