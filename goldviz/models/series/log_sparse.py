"""LogSparse attention: a row sees itself and the rows 1, 2, 4, 8 ... before it (Li et al. 2019, section 4.2).

Document 002, section 4.2, names it and gives no formula. Which rows are seen depends on the distance alone, so keys and
values are read as shifted views and no mask of time by time is ever made: the weights take O(L log L) memory a head.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goldviz.models.series.full import MappedAttention


@dataclass(frozen=True)
class SparseKeys:
    """Which cells every row of a series sees: those at ``offsets`` before it, as far as they exist.

    Offsets rise from 0; their number is the most keys of a row.
    """

    length: int
    offsets: tuple[int, ...]

    @cached_property
    def index(self) -> Int[Tensor, "time key"]:
        """The cell that row l sees at each offset; 0 where there is none."""
        return self._cells().clamp(min=0)

    @cached_property
    def valid(self) -> Bool[Tensor, "time key"]:
        """Whether that cell exists."""
        return self._cells() >= 0

    @property
    def cells(self) -> int:
        """How many pairs of a row and a cell that it sees there are.

        >>> log_sparse_keys(64).cells, log_sparse_keys(1024).cells
        (385, 10241)
        """
        return sum(self.length - offset for offset in self.offsets)

    def _cells(self) -> Tensor:
        return torch.arange(self.length)[:, None] - torch.tensor(self.offsets)


def log_sparse_keys(length: int, *, window: int = 1, restart: int | None = None) -> SparseKeys:
    """Row l sees {l} and {l - 2^j}, and the last ``window`` rows, itself among them.

    With ``restart`` the pattern stops there and begins anew at l - restart, l - 2 restart ... Raises ``ValueError`` for
    a length, a window or a restart below 1, and for a window above the restart.

    >>> log_sparse_keys(20).offsets
    (0, 1, 2, 4, 8, 16)
    >>> log_sparse_keys(20, window=4, restart=10).offsets
    (0, 1, 2, 3, 4, 8, 10, 11, 12, 13, 14, 18)
    """
    for name, value in (("length", length), ("local window", window), ("restart", 1 if restart is None else restart)):
        if value < 1:
            raise ValueError(f"The {name} is {value}; allowed is 1 or more.")
    period = length if restart is None else restart
    if restart is not None and window > restart:
        raise ValueError(f"The local window is {window}; allowed is at most the restart, {restart}.")
    powers = {2**j for j in range(max(period - 1, 0).bit_length()) if 2**j < period}
    near = powers | set(range(window))
    return SparseKeys(
        length,
        tuple(sorted({begin + lag for begin in range(0, length, period) for lag in near if begin + lag < length})),
    )


def reachable_lags(keys: SparseKeys, layers: int) -> Bool[Tensor, " time"]:
    """How far back a row hears through so many layers, itself and each lag that is a sum of so many offsets."""
    lags = torch.zeros(keys.length, dtype=torch.bool)
    lags[0] = True
    for _ in range(layers):
        further = lags.clone()
        for offset in keys.offsets:
            further[offset:] |= lags[: keys.length - offset]
        lags = further
    return lags


def reach(keys: SparseKeys, layers: int) -> Bool[Tensor, "time time"]:
    """Whether row l hears cell j through so many layers; for short series, as it is time by time."""
    row = torch.arange(keys.length)
    lags = row[:, None] - row
    return reachable_lags(keys, layers)[lags.clamp(min=0)] & (lags >= 0)


def layers_to_reach_all(keys: SparseKeys) -> int:
    """After how many layers the last row hears the whole past.

    >>> layers_to_reach_all(log_sparse_keys(64)), layers_to_reach_all(log_sparse_keys(1024))
    (6, 10)
    """
    layers = 0
    while not bool(reachable_lags(keys, layers).all()):
        layers += 1
    return layers


def log_sparse_attention(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time value_width"],
    keys: SparseKeys,
) -> Float[Tensor, "batch head time value_width"]:
    """The output alone; raises ``ValueError`` where the keys are of another length."""
    return log_sparse_attention_with_weights(q, k, v, keys).output


def log_sparse_attention_with_weights(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time value_width"],
    keys: SparseKeys,
) -> MappedAttention:
    """The output and the weights (batch, head, time, key), in the order of the offsets; 0 where no cell is.

    Raises ``ValueError`` where the keys are of another length.
    """
    time = q.shape[-2]
    if time != keys.length:
        raise ValueError(f"The series has {time} rows and its keys are of length {keys.length}; they have to agree.")
    scale = 1 / math.sqrt(q.shape[-1])
    scores = [
        torch.nn.functional.pad(
            (q[..., offset:, :] * k[..., : time - offset, :]).sum(-1) * scale, (offset, 0), value=-math.inf
        )
        for offset in keys.offsets
    ]
    weights = torch.stack(scores, -1).softmax(-1)
    output = weights[..., 0, None] * v
    for place, offset in enumerate(keys.offsets[1:], start=1):
        output[..., offset:, :] += weights[..., offset:, place, None] * v[..., : time - offset, :]
    return MappedAttention(output, weights)
