"""What watching costs: processor time of a loop beside the same loop bare, and beside what others do, in one run.

Beside ``goldviz.watch`` with its default budget stand a loop that takes ``.item()`` of every layer's gradient norm at
every step, and hooks that make histograms of gradients and weights every hundredth step, as hosted watchers do.
Where a network lies in memory changes its time by up to a twentieth. So five loops change places until each was bare
and each was watched in every way; a ratio is the geometric mean over the five. Within a phase they are timed in turns
of ten steps, forwards and backwards, so that a busy moment meets all of them.

    PYTHONPATH=. python benchmarks/watching.py
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

import goldviz

STEPS, SECONDS = 10, 12.0
"""Steps in a turn, and seconds of turns in each of five phases."""
FIRST = 64
"""Steps before anything is timed, in which the meter finds its interval."""
OTHERS_EVERY, BINS = 100, 64


class Images(nn.Module):
    """A small residual network."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 32, 3, padding=1)
        self.body = nn.ModuleList(
            nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()) for _ in range(4)
        )
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        for block in self.body:
            h = h + block(h)
        return self.head(h.mean((2, 3)))


class Sequences(nn.Module):
    """A GRU over 64 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.GRU(16, 64, batch_first=True), nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cell(x)[0][:, -1])


class Encoder(nn.Module):
    """A Transformer of six layers."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.body, self.head = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).mean(1))


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))


NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "MLP": (perceptron, (128, 32)),
    "residual CNN": (Images, (16, 3, 16, 16)),
    "GRU": (Sequences, (32, 64, 16)),
    "Transformer": (Encoder, (16, 32, 64)),
}


class Loop:
    """A training loop of one network; ``after`` is called with the loss behind each step."""

    def __init__(self, network: str) -> None:
        torch.manual_seed(0)
        build, shape = NETWORKS[network]
        self.model = build()
        self.optimiser = torch.optim.AdamW(self.model.parameters(), 1e-3)
        self.x, self.y = torch.randn(shape), torch.randint(10, shape[:1])
        self.number = 0
        self.after: Callable[[Tensor], None] = lambda loss: None
        self.seconds: list[float] = []

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            loss = functional.cross_entropy(self.model(self.x), self.y)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            self.after(loss)

    def timed(self, count: int) -> None:
        began = time.process_time()
        self.steps(count)
        self.seconds.append((time.process_time() - began) / count)


def bare(loop: Loop, folder: str) -> Callable[[], None]:
    """Nothing beside the loop."""
    return lambda: None


def watched(loop: Loop, folder: str, **more: object) -> Callable[[], None]:
    record = goldviz.watch(loop.model, loop.optimiser, to=Path(folder) / f"{id(loop)}.gv", **more)  # type: ignore[arg-type]
    loop.after = lambda loss: record.step(loss=loss)
    loop.steps(FIRST)
    return record.close


def with_histograms(loop: Loop, folder: str) -> Callable[[], None]:
    return watched(loop, folder, histograms=True)


def hosted(loop: Loop, folder: str) -> Callable[[], None]:
    """Hooks on gradients and a look at weights every hundredth step, each with a histogram."""

    def hook(gradient: Tensor) -> None:
        if loop.number % OTHERS_EVERY == 0:
            torch.histc(gradient, BINS).tolist()

    def after(loss: Tensor) -> None:
        if loop.number % OTHERS_EVERY == 0:
            for parameter in loop.model.parameters():
                torch.histc(parameter.detach(), BINS).tolist()
        loss.item()

    handles = [parameter.register_hook(hook) for parameter in loop.model.parameters()]
    loop.after = after
    return lambda: [handle.remove() for handle in handles] and None


def item_by_item(loop: Loop, folder: str) -> Callable[[], None]:
    def after(loss: Tensor) -> None:
        _ = loss.item(), [p.grad.norm().item() for p in loop.model.parameters() if p.grad is not None]

    loop.after = after
    return lambda: None


WAYS = (bare, watched, with_histograms, hosted, item_by_item)
"""How a loop is run; each returns what takes it away again."""


def timed(loops: list[Loop], ways: tuple[Callable[..., Callable[[], None]], ...]) -> dict[str, list[float]]:
    """Mean seconds a step of each way, one for each loop: a median would leave seldom looks out."""
    seconds: dict[str, list[float]] = {way.__name__: [] for way in ways}
    for phase in range(len(loops)):
        with tempfile.TemporaryDirectory() as folder:
            turned = [*loops[phase:], *loops[:phase]]
            over = [way(loop, folder) for way, loop in zip(ways, turned, strict=True)]
            for loop in loops:
                loop.steps(STEPS)
                loop.seconds = []
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                for loop in (*loops, *reversed(loops)):
                    loop.timed(STEPS)
            for way, loop, end in zip(ways, turned, over, strict=True):
                end()
                loop.after = lambda loss: None
                seconds[way.__name__].append(statistics.fmean(loop.seconds))
    return seconds


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    print("| network | ms a step | watched | with histograms | hosted hooks | .item() |")
    print("|---|---|---|---|---|---|")
    for name in names or NETWORKS:
        seconds = timed([Loop(name) for _ in WAYS], WAYS)
        own = seconds.pop(bare.__name__)
        means = {way: math.exp(statistics.fmean(map(math.log, times))) for way, times in seconds.items()}
        base = math.exp(statistics.fmean(map(math.log, own)))
        told = " | ".join(f"{mean / base:.2f}" for mean in means.values())
        print(f"| {name} | {base * 1e3:.2f} | {told} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
