"""How fast this machine trains a small network: a fifth of a second of work, done once by a worker."""

from __future__ import annotations

import time

import torch
from torch import nn

from goldviz.training.threads import one_thread

BLOCKS, STEPS = 6, 12


def probe() -> float:
    """Seconds of processor time that a training step of a small network takes here, the best of a few.

    Three layers of 64 units, 64 samples, and a recurrent cell of 32 units over 8 time steps, with Adam: calls of small
    operations take most of it, as in the laboratories.
    """
    with one_thread(), torch.random.fork_rng(devices=()):
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
        cell, samples = nn.GRUCell(32, 32), torch.randn(64, 64)
        optimiser = torch.optim.Adam([*network.parameters(), *cell.parameters()])

        def step() -> None:
            state, read = torch.zeros(64, 32), network(samples)
            for _ in range(8):
                state = cell(read, state)
            optimiser.zero_grad()
            (state - 1).square().mean().backward()
            optimiser.step()

        step()
        seconds = []
        for _ in range(BLOCKS):
            began = time.thread_time()
            for _ in range(STEPS):
                step()
            seconds.append(time.thread_time() - began)
    return min(seconds) / STEPS
