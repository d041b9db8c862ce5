"""What a planted fault is: a script of somebody's with a fault in it, which can be told not to have it.

The fault is a value of the script's state, so that one script is the faulty loop, its sound twin, and the step that
:func:`goldviz.trial` takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

import goldviz
from goldviz.watching.watcher import Watcher
from tests.watching.planted.networks import classes, network, numbers, rows

State = dict[str, Any]
Begin = Callable[[str, bool], State]
Step = Callable[[State, int], Tensor]
Judge = Callable[[State], Tensor | float]
ORDER = 100_000
"""Seeds of one order of the data."""
FRESH = 99_000_000
"""Seed of the rows that nobody trains on."""


@dataclass(frozen=True)
class Planted:
    """A fault in words, the kind of cause that its first card has to name, and the script on two architectures.

    ``judge`` says how bad the script's answers are on fresh rows, lower is better: what its author cares for.
    ``repair`` takes the fault out of a state, as a trial does. ``own`` are faults of kinds that nobody had listed.
    """

    name: str
    kind: str
    architectures: tuple[str, str]
    begin: Begin
    step: Step
    judge: Judge
    repair: Callable[[State], None] | None
    steps: int
    own: bool

    def state(self, architecture: str, seed: int, faulty: bool = True) -> State:
        """The script's state at its start."""
        torch.manual_seed(seed)
        habit = (len(self.name) + self.architectures.index(architecture)) % len(HABITS)
        return {"architecture": architecture, "faulty": faulty, "habit": habit} | self.begin(architecture, faulty)

    def train(self, architecture: str, seed: int, faulty: bool = True) -> tuple[Watcher, State]:
        """Train it as its author does, watched at the defaults."""
        state = self.state(architecture, seed, faulty)
        with goldviz.watch(state["model"], state["optimizer"], name=self.name) as record:
            for number in range(1, self.steps + 1):
                loss = self.step(state, ORDER * (seed + 1) + number)
                record.step(loss=loss, evaluation_loss=state.pop("evaluated", None))
        return record, state

    def ends(self, state: State) -> float:
        """How bad its answers are; infinite where they are no finite numbers."""
        training = state["model"].training
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            state["model"].eval()
            value = float(self.judge(state))
            state["model"].train(training)
        return value if math.isfinite(value) else math.inf

    def trial_step(self, state: State, order: int, number: int) -> float:
        """A step for a trial, which says how bad the answers on fresh rows then are."""
        self.step(state, ORDER * (order + 1) + number)
        return self.ends(state)


PLANTED: dict[str, Planted] = {}


def mended(state: State) -> None:
    """The author takes the line out."""
    state["faulty"] = False


def script(model: nn.Module, optimizer: torch.optim.Optimizer | None = None, rate: float = 3e-3, **more: Any) -> State:
    return {"model": model, "optimizer": optimizer or torch.optim.Adam(model.parameters(), lr=rate), **more}


def classifier(architecture: str, faulty: bool) -> State:
    return script(network(architecture))


def regression(architecture: str, faulty: bool) -> State:
    return script(network(architecture, 1))


def of_classes(state: State) -> Tensor:
    x, features = rows(state["architecture"], FRESH, 512)
    return functional.cross_entropy(state["model"](x), classes(features))


def of_numbers(state: State) -> Tensor:
    x, features = rows(state["architecture"], FRESH, 512)
    return functional.mse_loss(state["model"](x), numbers(features))


def plant(
    name: str, kind: str, *architectures: str, begin: Begin = classifier, judge: Judge = of_classes,
    repair: Callable[[State], None] | None = mended, steps: int = 150, own: bool = False,
) -> Callable[[Step], Step]:  # fmt: skip
    """Put a script's step into the list."""

    def put(step: Step) -> Step:
        first, second = architectures
        PLANTED[name] = Planted(name, kind, (first, second), begin, step, judge, repair, steps, own)
        return step

    return put


# -- the same three lines, as different people write them -----------------------------------------------------------


def _clears_first(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _clears_last(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def _clears_the_model(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    model.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()


def _clears_by_hand_and_clips(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    for parameter in model.parameters():
        parameter.grad = None
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()


HABITS = (_clears_first, _clears_last, _clears_the_model, _clears_by_hand_and_clips)


def learn(state: State, loss: Tensor) -> Tensor:
    """Backward pass and step, in the order that this script's author is used to."""
    HABITS[state["habit"]](state["model"], state["optimizer"], loss)
    return loss


def classified(state: State, seed: int, count: int = 32) -> Tensor:
    x, features = rows(state["architecture"], seed, count)
    return functional.cross_entropy(state["model"](x), classes(features))
