"""What measuring and recording cost: a run of *Gradient flow in depth* against a bare PyTorch loop of the same work.

The bare loop is what one writes first: nn.Linear, F.dropout, torch.randn_like, Adam as it comes, the loss printed
from ``item()``. Both train the plain and the residual network at the experiment's defaults, on one thread, in turn;
ratios are of neighbours in time, so a busy machine disturbs them little, those of the processor least.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.train import correlated_samples, train
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.run_store import Store

REPEATS = 15
SETTINGS = DepthGradients(epochs=40, read_out="untied")


class BareNetwork(nn.Module):
    def __init__(self, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        self.first = nn.Linear(SETTINGS.features, SETTINGS.width)
        self.hidden = nn.ModuleList(nn.Linear(SETTINGS.width, SETTINGS.width) for _ in range(SETTINGS.depth))
        self.last = nn.Linear(SETTINGS.width, SETTINGS.features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.leaky_relu(self.first(x), SETTINGS.slope)
        for layer in self.hidden:
            f = F.dropout(F.leaky_relu(layer(h), SETTINGS.slope), SETTINGS.dropout, self.training)
            f = f + SETTINGS.noise * torch.randn_like(f)
            h = h + f if self.residual else f
        return self.last(h)


def bare_loop() -> None:
    x, y = correlated_samples(SETTINGS.samples, SETTINGS.features, SETTINGS.mask_rate, torch.Generator())
    for residual in (False, True):
        network = BareNetwork(residual)
        optimiser = torch.optim.Adam(network.parameters(), lr=SETTINGS.learning_rate)
        for _ in range(SETTINGS.epochs):
            optimiser.zero_grad()
            loss = F.mse_loss(network(x), y)
            loss.backward()
            optimiser.step()
            loss.item()


class Silent:
    """A recorder that keeps nothing but the time spent on measuring."""

    settings = SETTINGS
    restored = None
    measuring = 0.0

    def steps(self, n: int, state: Callable[[], bytes]) -> Iterator[int]:
        yield from range(1, n + 1)

    def __call__(self, name: str, values: Any) -> None: ...

    def once(self, name: str, values: Any) -> None: ...

    def coordinates(self, **labels: Any) -> None: ...

    def attribute(self, **facts: Any) -> None: ...

    @contextmanager
    def instrument(self) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.measuring += time.perf_counter() - started


def measured_loop() -> float:
    """Seconds spent on measuring."""
    silent = Silent()
    train(SETTINGS, silent)
    return silent.measuring


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of the processor, all threads together."""
    started, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - processor


def main() -> None:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'runs.db'}")

        def stored_run() -> None:
            execute(SETTINGS, store.create(SETTINGS), store.url)

        ways = {"bare PyTorch loop": bare_loop, "measured, not kept": measured_loop, "measured and stored": stored_run}
        for work in ways.values():
            work()
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for _ in range(REPEATS):
            for name, work in ways.items():
                times[name].append(seconds(work))
    for name in ways:
        parts = []
        for clock, words in enumerate(("by the clock", "of the processor")):
            own, bare = ([one[clock] for one in times[way]] for way in (name, "bare PyTorch loop"))
            ratio = statistics.median(mine / plain for mine, plain in zip(own, bare, strict=True))
            each = statistics.median(own) / SETTINGS.epochs / 2 * 1000
            parts.append(f"{each:6.2f} ms {words} {ratio:.2f} x")
        print(f"{name:<20} {', '.join(parts)}, an epoch and network")
    measuring = statistics.median(measured_loop() for _ in range(REPEATS)) / SETTINGS.epochs / 2 * 1000
    print(
        f"{'measuring alone':<20} {measuring:6.2f} ms an epoch and network, every fifth epoch's distributions included"
    )


if __name__ == "__main__":
    main()
