"""What a sound loop gives back, and the small data that such loops learn from."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from sklearn import datasets
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer
from torch.utils.data import DataLoader, TensorDataset

import goldviz
from goldviz.watching.watcher import Watcher


@dataclass(frozen=True)
class Trained:
    """A loop that is over. ``measure`` is its own, taken along the training: 0 is perfect."""

    measure: Sequence[float]
    records: tuple[Watcher, ...]

    @property
    def left(self) -> float:
        """The share of its measure at the start that is left at the end; tenths of the training are compared."""
        tenth = max(len(self.measure) // 10, 1)
        return sum(self.measure[-tenth:]) / sum(self.measure[:tenth])


LOOPS: dict[str, Callable[[], Trained]] = {}
"""Every sound loop by its name."""
HABITS: dict[str, str] = {}
"""Whose habits a loop has: the public tutorial, repository or library that loops of its shape are known from."""


def loop(habit: str = "") -> Callable[[Callable[[], Trained]], Callable[[], Trained]]:
    """Put a loop on the list, with the public habit that it follows, if any."""

    def listed(run: Callable[[], Trained]) -> Callable[[], Trained]:
        name = run.__name__.replace("_", " ")
        assert name not in LOOPS
        LOOPS[name] = run
        if habit:
            HABITS[name] = habit
        return run

    return listed


Told = tuple[Tensor, "Tensor | float"]
"""A batch's loss, and the loop's own measure."""
CLEARS_FIRST, CLEARS_LAST = "clear backward step tell", "backward step clear tell"


def learn(
    model: nn.Module,
    optimizer: Optimizer,
    batch: Callable[[], Told],
    steps: int = 250,
    order: str = CLEARS_FIRST,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
) -> Trained:
    """A loop of one optimiser and one backward pass a step, in some ``order``: words of those below."""
    measure: list[float] = []
    with goldviz.watch(model, optimizer) as record:
        for _ in range(steps):
            loss, left = batch()
            does: dict[str, Callable[[], object]] = {
                "clear": optimizer.zero_grad,
                "backward": loss.backward,
                "clip": lambda: clip_grad_norm_(model.parameters(), 1.0),
                "step": optimizer.step,
                "schedule": schedule.step if schedule is not None else lambda: None,
                "tell": lambda loss=loss: record.step(loss=loss),
            }
            for word in order.split():
                does[word]()
            measure.append(torch.as_tensor(left).detach().item())
    return Trained(measure, (record,))


@functools.cache
def digits() -> tuple[Tensor, Tensor]:
    """1,797 handwritten digits of 64 values from 0 to 1, and which digit each is."""
    x, y = datasets.load_digits(return_X_y=True)
    return torch.tensor(x / 16, dtype=torch.float32), torch.tensor(y)


def digit_loader(size: int = 64) -> DataLoader[tuple[Tensor, ...]]:
    """Batches of digits as images of one channel, in a new order each time."""
    x, y = digits()
    return DataLoader(TensorDataset(x.view(-1, 1, 8, 8), y), batch_size=size, shuffle=True)


def some_digits(size: int = 64) -> tuple[Tensor, Tensor]:
    """A batch of digits, drawn at random."""
    x, y = digits()
    rows = torch.randint(len(x), (size,))
    return x[rows], y[rows]


@functools.cache
def tumours() -> tuple[Tensor, Tensor]:
    """569 tumours by 30 standardised numbers, and which are benign."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    numbers = torch.tensor(x, dtype=torch.float32)
    return (numbers - numbers.mean(0)) / numbers.std(0), torch.tensor(y)


@functools.cache
def patients() -> tuple[Tensor, Tensor]:
    """442 patients by ten standardised numbers, and how far an illness went: standardised, one column."""
    x, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    numbers = torch.tensor(x, dtype=torch.float32)
    target = torch.tensor(y, dtype=torch.float32)[:, None]
    return (numbers - numbers.mean(0)) / numbers.std(0), (target - target.mean()) / target.std()


@functools.cache
def letters() -> tuple[Tensor, int]:
    """A text of Python's own, letter by letter, and how many different letters there are."""
    text = inspect.getsource(textwrap)
    numbers = {letter: number for number, letter in enumerate(sorted(set(text)))}
    return torch.tensor([numbers[letter] for letter in text]), len(numbers)


def windows(rows: int, length: int) -> tuple[Tensor, Tensor]:
    """Pieces of the text, drawn at random, and the letter after each letter."""
    text, _ = letters()
    starts = torch.randint(len(text) - length - 1, (rows, 1))
    places = starts + torch.arange(length)
    return text[places], text[places + 1]


def ring(rows: int) -> Tensor:
    """Points about a circle of radius 1."""
    angle = 2 * torch.pi * torch.rand(rows)
    return torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(rows, 2)


def classified(model: nn.Module) -> Told:
    """A batch of digits: cross-entropy, and the share of wrong answers."""
    x, y = some_digits()
    logits = model(x)
    return nn.functional.cross_entropy(logits, y), wrong(logits, y)


def wrong(logits: Tensor, y: Tensor) -> float:
    """The share of wrong answers."""
    return float((logits.detach().argmax(-1) != y).float().mean())
