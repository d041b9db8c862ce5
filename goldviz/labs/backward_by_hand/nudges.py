"""A gradient from the loss alone: each entry is nudged up and down, and the loss answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from goldviz.labs.backward_by_hand.passes import beginning, both_ways, forward
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.training.seeds import TEST_DATA, stream
from goldviz.training.threads import one_thread

NUDGE = 1e-5
"""Size of a nudge, as a share of the entry; small entries are nudged as if they were ``SMALL``."""
SMALL = 0.01
MOST_NUDGED = 12
"""Entries of a tensor that are nudged; of a larger one the seed draws so many."""


@dataclass(frozen=True)
class Nudged:
    """How many of a tensor's entries were nudged, how far the gradient by hand is from that, and how large it is."""

    entries: int
    of: int
    difference: float
    largest: float


def nudged(settings: BackwardByHand, name: str) -> Nudged:
    """Central differences (L(t + h) - L(t - h)) / 2h of entries of the tensor ``name``, beside its gradient by hand."""
    return _nudged(settings.model_copy(update={settings.position: 1}), name)


@lru_cache(maxsize=256)
def _nudged(settings: BackwardByHand, name: str) -> Nudged:
    with one_thread():
        value, gradient = both_ways(settings).board.tensors[name], both_ways(settings).gradient(name)
        entries = torch.randperm(value.numel(), generator=stream(settings.seed, TEST_DATA))[:MOST_NUDGED]
        differences = torch.stack([_slope(settings, name, value, entry) for entry in entries.tolist()])
        apart = float((differences - gradient.flatten()[entries]).abs().max())
        return Nudged(len(entries), value.numel(), apart, float(gradient.abs().max()))


def _slope(settings: BackwardByHand, name: str, value: Tensor, entry: int) -> Tensor:
    _, start = beginning(settings)
    nudge = torch.zeros(value.numel(), dtype=value.dtype)
    size = NUDGE * max(abs(float(value.flatten()[entry])), SMALL)
    nudge[entry] = size
    up, down = (
        forward(start, settings.divisor, {name: value + way * nudge.reshape(value.shape)}).tensors["loss"]
        for way in (1, -1)
    )
    return (up - down) / (2 * size)
