"""What watching costs: processor time of a loop beside the same loop bare, and beside what others do, in one run.

Loops of each network are timed in turns of ten steps, forwards and backwards, so that a busy moment meets all of them;
each ratio is the median of ratios of neighbours in time. Beside ``goldviz.watch`` with its
default budget stand a loop that takes ``.item()`` of every layer's gradient norm at every step, and hooks that make
histograms of gradients and weights every hundredth step, as hosted watchers do.

    PYTHONPATH=. python benchmarks/watching.py
"""

from __future__ import annotations

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
from goldviz.watching.watcher import Watcher

STEPS, SECONDS = 10, 30.0
"""Steps in a turn, and seconds of turns for each network."""
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


def watched(loop: Loop, folder: str, **more: object) -> Watcher:
    record = goldviz.watch(loop.model, loop.optimiser, to=Path(folder) / f"{id(loop)}.gv", **more)  # type: ignore[arg-type]
    loop.after = lambda loss: record.step(loss=loss)
    return record


def item_by_item(loop: Loop) -> None:
    def after(loss: Tensor) -> None:
        _ = loss.item(), [p.grad.norm().item() for p in loop.model.parameters() if p.grad is not None]

    loop.after = after


def hosted(loop: Loop) -> None:
    """Hooks on gradients and a look at weights every hundredth step, each with a histogram."""

    def hook(gradient: Tensor) -> None:
        if loop.number % OTHERS_EVERY == 0:
            torch.histc(gradient, BINS).tolist()

    for parameter in loop.model.parameters():
        parameter.register_hook(hook)

    def after(loss: Tensor) -> None:
        if loop.number % OTHERS_EVERY == 0:
            for parameter in loop.model.parameters():
                torch.histc(parameter.detach(), BINS).tolist()
        loss.item()

    loop.after = after


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    print("| network | ms a step | watched | with histograms | hosted hooks | .item() |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or NETWORKS:
            loops = [Loop(name) for _ in range(5)]
            records = [watched(loops[1], folder), watched(loops[2], folder, histograms=True)]
            hosted(loops[3])
            item_by_item(loops[4])
            for loop in loops:
                loop.steps(FIRST if loop in loops[1:3] else STEPS)
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                for loop in (*loops, *reversed(loops)):
                    loop.timed(STEPS)
            for record in records:
                record.close()
            bare, *others = [loop.seconds for loop in loops]
            ratios = [statistics.median(one / own for one, own in zip(other, bare, strict=True)) for other in others]
            told = " | ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"| {name} | {statistics.median(bare) * 1e3:.2f} | {told} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
