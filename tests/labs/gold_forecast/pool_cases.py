"""Members of process pools for the tests; other processes find them here by name."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np

from goldviz.labs.gold_forecast.process_pool import ProcessPool


class FullMoonError(ValueError):
    """An error whose message is meant for a person."""

    for_a_person = True


class StubbornError(Exception):
    """An error that cannot be pickled back."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


class Learner:
    """A small network that is trained by gradient steps on numbers of its own."""

    def __init__(self, seed: int) -> None:
        import torch  # the other members do not wait for it

        torch.set_num_threads(1)
        generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(200, 16, generator=generator)
        self.y = self.x.sin().sum(1, keepdim=True)
        self.weights = [torch.randn(a, b, generator=generator) / a**0.5 for a, b in ((16, 32), (32, 1))]
        for weights in self.weights:
            weights.requires_grad_()

    def learn(self, rate: float, steps: int) -> np.ndarray:
        import torch

        for _ in range(steps):
            loss = (torch.tanh(self.x @ self.weights[0]) @ self.weights[1] - self.y).square().mean()
            for weights, gradient in zip(self.weights, torch.autograd.grad(loss, self.weights), strict=True):
                weights.data -= rate * gradient
        return self.weights[0].detach().numpy().copy()

    def process(self) -> tuple[int, int]:
        import torch

        return os.getpid(), torch.get_num_threads()


class Clerk:
    """A member that can be told to misbehave."""

    def __init__(self, seed: int) -> None:
        if seed < 0:
            raise FullMoonError(f"Seed is {seed}, but the moon is full; choose another night.")
        self.seed = seed

    def process(self) -> int:
        return os.getpid()

    def fail_from(self, seed: int) -> int:
        print("This must not be read as an answer.")
        if self.seed >= seed:
            raise FullMoonError(f"Seed is {self.seed}, but the moon is full; choose another night.")
        return self.seed

    def be_stubborn(self) -> None:
        if self.seed == 1:
            raise StubbornError("this", "that")

    def die(self, seed: int) -> None:
        if self.seed == seed:
            os._exit(7)

    def large(self, size: int) -> bytes:
        return bytes([self.seed]) * size

    def never_end(self, folder: str) -> None:
        Path(folder, str(os.getpid())).touch()
        threading.Event().wait()


def work_for_ever(folder: str) -> None:
    """Two processes at work for ever, each of which leaves a file with its number."""
    with ProcessPool(Clerk, [0, 1], processes=2) as pool:
        pool.call("never_end", folder)
