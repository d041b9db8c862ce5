"""What is computed on the side leaves every random stream, and a network's buffers, as they were."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn


@contextmanager
def unchanged_streams(tensors: Iterable[Tensor]) -> Iterator[None]:
    """Afterwards the streams of PyTorch, on the processor and these tensors' devices, of NumPy and of Python are what
    they were."""
    devices = sorted({one.device.index or 0 for one in tensors if one.is_cuda})
    of_python, of_numpy = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices):
            yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)


@contextmanager
def as_it_was(model: nn.Module) -> Iterator[None]:
    """Afterwards a model's buffers and all random streams are what they were."""
    kept = [
        (module, name, buffer, buffer.detach().clone())
        for module in model.modules()
        for name, buffer in module._buffers.items()
        if buffer is not None
    ]
    try:
        with unchanged_streams([*model.parameters(), *model.buffers()]):
            yield
    finally:
        for module, name, buffer, value in kept:
            # Written past autograd, which may have kept the very buffer for a backward pass to come.
            buffer.data.copy_(value)
            module._buffers[name] = buffer
