"""Named random streams: every use of chance in a run has a generator of its own.

A stream is a seed and an index. Drawing more from one stream moves no other, so the same seed means the same
weights when only the data change, the same data when only the network changes, and the same batch order in both.
"""

from __future__ import annotations

import torch

DATA = 0
TEST_DATA = 1
BATCH_ORDER = 2
DROPOUT_AND_NOISE = 3
READ_OUT_WEIGHTS = 99
WEIGHTS = 100
"""Weights of layer l come from stream ``WEIGHTS + l``: a deeper network shares its first layers."""
STREAMS = 1000
"""Streams of one seed; an index is below this."""


def stream(seed: int, index: int, device: torch.device | str = "cpu") -> torch.Generator:
    """The generator of stream ``index`` of ``seed``, on ``device``.

    Data, batch order and weights are drawn on the CPU and moved, so that they agree on every device. Dropout and
    noise are drawn where the network is: devices have generators of their own, so those numbers differ.

    Raises ValueError for an index that would run into the next seed's streams.

    >>> torch.rand(1, generator=stream(2, DATA)) == torch.rand(1, generator=torch.Generator().manual_seed(2000))
    tensor([True])
    """
    if not 0 <= index < STREAMS:
        raise ValueError(f"Stream index is {index}; allowed is a whole number from 0 to {STREAMS - 1}.")
    return torch.Generator(device).manual_seed(STREAMS * seed + index)
