"""The sequences of *Memory through time*: five tasks with one length, and how an answer is judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from goldviz.data.problems.sequences import (
    ClassificationBatch,
    RegressionBatch,
    adding_problem,
    copy_task,
    delayed_recall,
    slow_sine,
)
from goldviz.labs.recurrent_gradients.reviews import generated_reviews

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

TaskBatch = RegressionBatch | ClassificationBatch

SYMBOLS = 8
"""Symbols that recall and copy draw from."""
PERIODS_SEEN = 0.5
"""The slow sine turns so often in a sequence of the length that is trained."""
EVALUATED_LAGS = 5
EVALUATED = 24
"""Sequences of each length that the instruments look at; even, because reviews come in pairs."""
SHORTEST_EVALUATED = 3


@dataclass(frozen=True)
class Evaluation:
    """Sequences of several lengths that no network trains on, the same at every look.

    Shorter ones are padded at their end, where no answer is asked any more, so that one forward pass serves all.
    ``inputs`` (time, lags * :data:`EVALUATED`, features) holds the groups one after another, the longest last.
    """

    lags: tuple[int, ...]
    inputs: Float[Tensor, "time batch features"]
    groups: tuple[TaskBatch, ...]

    def columns(self, group: int) -> slice:
        """Where the group's sequences stand in a batch."""
        return slice(group * EVALUATED, (group + 1) * EVALUATED)


def sequences(settings: RecurrentGradients, lag: int, batch: int, generator: Generator) -> TaskBatch:
    """A batch of the task whose cue lies ``lag`` steps back (adding, sine: whose sequences have that length)."""
    period = settings.length / PERIODS_SEEN
    draw: dict[str, Callable[[], TaskBatch]] = {
        "adding": lambda: adding_problem(lag, batch, generator),
        "recall": lambda: delayed_recall(lag + 1, batch, generator, SYMBOLS),
        "copy": lambda: copy_task(lag, batch, generator, SYMBOLS),
        "sine": lambda: slow_sine(lag, batch, generator, period),
        "reviews": lambda: _judged_at_the_end(lag, batch // 2, generator),
    }
    return draw[settings.task]()


def _judged_at_the_end(distance: int, pairs: int, generator: Generator) -> ClassificationBatch:
    reviews = generated_reviews(distance, pairs, generator)
    targets = torch.zeros_like(reviews.numbers)
    targets[-1] = reviews.labels
    at_the_end = torch.arange(len(targets)) == len(targets) - 1
    return ClassificationBatch(reviews.inputs, targets, at_the_end, 2)


def memoryless_loss(settings: RecurrentGradients, batch: TaskBatch) -> float:
    """The loss of the best answer without memory on these sequences, which are those that a network's loss is of.

    Adding: it says 1, which costs Var(u1 + u2) = 1/6 on average; on 512 sequences it is 5 % more or less. Recall and
    copy: ln 8; reviews: ln 2. Sine: x_(t+1) is cos(w) x_t plus sin(w) times what x_t does not tell, so the best guess
    cos(w) x_t costs sin^2(w) / 2 on average.
    """
    if isinstance(batch, ClassificationBatch):
        return math.log(2 if settings.task == "reviews" else SYMBOLS)
    targets = batch.targets[batch.scored]
    angle = 2 * math.pi * PERIODS_SEEN / settings.length
    now = batch.inputs[batch.scored][..., 0]
    answer = math.cos(angle) * now if settings.task == "sine" else torch.ones_like(targets)
    return functional.mse_loss(answer, targets).item()


def evaluation(settings: RecurrentGradients, generator: Generator) -> Evaluation:
    """Sequences of up to five lengths from a fifth of the experiment's to all of it."""
    shares = range(1, EVALUATED_LAGS + 1)
    lags = sorted({max(SHORTEST_EVALUATED, round(settings.length * share / EVALUATED_LAGS)) for share in shares})
    groups = tuple(sequences(settings, lag, EVALUATED, generator) for lag in lags)
    steps = len(groups[-1].inputs)
    inputs = [functional.pad(group.inputs, (0, 0, 0, 0, 0, steps - len(group.inputs))) for group in groups]
    return Evaluation(tuple(lags), torch.cat(inputs, 1), groups)


def on(batch: TaskBatch, device: torch.device) -> TaskBatch:
    """The batch on a device; ``scored`` stays, because it says which steps Python picks."""
    return replace(batch, inputs=batch.inputs.to(device), targets=batch.targets.to(device))


def outputs(batch: TaskBatch) -> int:
    """Numbers that an answer consists of: one for each class, or the one asked for."""
    return batch.classes if isinstance(batch, ClassificationBatch) else 1


def scored_steps(batch: TaskBatch) -> list[int]:
    """The steps, from 0, at which an answer is asked."""
    steps: list[int] = batch.scored.nonzero().flatten().tolist()
    return steps


def score(batch: TaskBatch, answers: Float[Tensor, "scored batch outputs"]) -> tuple[Tensor, Tensor]:
    """Mean loss and share of right answers at the scored steps; the share is NaN where numbers are asked for."""
    targets = batch.targets[batch.scored]
    if isinstance(batch, ClassificationBatch):
        loss = functional.cross_entropy(answers.flatten(0, 1), targets.flatten())
        return loss, (answers.detach().argmax(-1) == targets).float().mean()
    return functional.mse_loss(answers.squeeze(-1), targets), torch.tensor(math.nan)
