"""What looking costs: a run of *Memory through time* against a bare loop with the same cells.

Adding problem, length 50, 64 hidden units, batches of 64, one thread; RNN, LSTM and GRU, with a look at every tenth
step. Both take their turns in short runs; times are those of the processor for the steps alone, and the ratio is the
median over neighbours in time, so a busy machine disturbs it little.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._dynamo  # an optimiser's own step loads it: two seconds that are no part of a step
from torch.nn import functional

from goldviz.data.problems.sequences import adding_problem
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients, lanes
from goldviz.labs.recurrent_gradients.tasks import evaluation
from goldviz.labs.recurrent_gradients.train import learner, train
from goldviz.training.devices import training_on
from goldviz.training.seeds import DATA, TEST_DATA, stream

REPEATS = 15
SETTINGS = RecurrentGradients(steps=30)


class Silent:
    """A recorder that keeps nothing but the time spent on measuring."""

    settings = SETTINGS
    restored = None
    measuring = 0.0
    training = 0.0

    def steps(self, n: int, state: Callable[[], bytes]) -> Iterator[int]:
        started = time.process_time()
        # Step 1 is a look of its own: a long run has one look in ten steps, and so has this.
        yield from range(2, n + 2)
        self.training = time.process_time() - started

    def __call__(self, name: str, values: Any) -> None: ...

    def once(self, name: str, values: Any) -> None: ...

    def coordinates(self, **labels: Any) -> None: ...

    def attribute(self, **facts: Any) -> None: ...

    @contextmanager
    def instrument(self) -> Iterator[None]:
        started = time.process_time()
        yield
        self.measuring += time.process_time() - started


def bare_loop() -> float:
    """Seconds of the steps."""
    order = stream(0, DATA)
    looked_at = evaluation(SETTINGS, stream(0, TEST_DATA))
    learners = [learner(SETTINGS, lane, 0, looked_at, torch.device("cpu")) for lane in lanes(SETTINGS.networks)]
    started = time.process_time()
    for _ in range(SETTINGS.steps):
        batch = adding_problem(SETTINGS.length, SETTINGS.batch, order)
        for one in learners:
            answers = one.network.read(one.network(batch.inputs).states[-1]).squeeze(1)
            loss = functional.mse_loss(answers, batch.targets[-1])
            one.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(one.network.parameters(), SETTINGS.clip)
            one.optimiser.step()
            loss.item()
    return time.process_time() - started


def looked_loop() -> tuple[float, float]:
    """Seconds of the steps with their looks, and of looking alone."""
    silent = Silent()
    train(SETTINGS, silent)
    return silent.training, silent.measuring


def main() -> None:
    with training_on("cpu"):
        bare_loop(), looked_loop()
        rounds = [(bare_loop(), *looked_loop()) for _ in range(REPEATS)]
    names = ("bare loop", "with a look every tenth step", "measuring alone")
    for name, times in zip(names, zip(*rounds, strict=True), strict=True):
        print(f"{name:<30} {statistics.median(times) / SETTINGS.steps * 1000:6.1f} ms a step of all three networks")
    ratio = statistics.median(looked / bare for bare, looked, _ in rounds)
    print(f"with looks / bare: {ratio:.2f}")


if __name__ == "__main__":
    main()
