"""Random numbers that nobody misses: what is computed on the side leaves every stream as it was."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor


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
