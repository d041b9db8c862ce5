"""What gates leave of a state on the way through time: their product, read off a cumulative sum of logarithms.

Of an LSTM's forget gates it is the cell path dc_t/dc_k (document 001, eq. 18), one way among others. Of a minGRU's
1 - z it is all of dh_t/dh_k, exactly (Feng et al. 2024): no gate reads the state, so there is no other way.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.recurrent.gru import GRUTrace
from goldviz.models.recurrent.lstm import LSTMTrace
from goldviz.models.recurrent.min_gru import MinGRUTrace
from goldviz.models.recurrent.weights import RecurrentTrace


def kept_shares(trace: RecurrentTrace) -> Float[Tensor, "time batch hidden"] | None:
    """What gates leave of each unit's state at each step: an LSTM's forget gates, 1 - z of a GRU or minGRU.

    None of a cell that has no such gate.
    """
    match trace:
        case LSTMTrace():
            return torch.stack(trace.forget_gates)
        case GRUTrace() | MinGRUTrace():
            return 1 - torch.stack(trace.update_gates)
    return None


@torch.no_grad()
def largest_products_to_last(gates: Float[Tensor, "time batch hidden"]) -> Float[Tensor, "lag batch"]:
    """log10 of the largest unit's g_(T-lag+1) ... g_T, for lag = 0 to T-1: the spectral norm of this way to the last.

    The way multiplies by a diagonal matrix at each step (document 001, eq. 18), so its norm is the largest entry.

    >>> largest_products_to_last(torch.tensor([[[0.5, 0.5]], [[0.1, 0.01]]], dtype=torch.float64)).tolist()
    [[0.0], [-1.0]]
    """
    way = gates.double().flip(0).log10().cumsum(0).amax(-1)
    return torch.cat([torch.zeros_like(way[:1]), way[:-1]])


@torch.no_grad()
def gate_products(gates: Float[Tensor, "time hidden"]) -> Float[Tensor, "later earlier hidden"]:
    """log10 of g_(k+1) g_(k+2) ... g_t of every unit, entry [t, k] for 0 <= k <= t <= T: one sum for all pairs.

    -inf where a gate in between is shut, NaN where k > t.

    >>> gate_products(torch.tensor([[0.1], [0.1]], dtype=torch.float64))[2, :, 0].tolist()
    [-2.0, -1.0, 0.0]
    """
    one = gates.new_ones(1, gates.shape[1], dtype=torch.float64)
    factors = torch.cat([one, gates.detach().double()])
    shut = (factors == 0).cumsum(0)
    total = torch.where(factors == 0, 1.0, factors).log10().cumsum(0)
    entries = (total[:, None] - total).masked_fill(shut[:, None] != shut, -math.inf)
    backwards = torch.ones(entries.shape[:2], dtype=torch.bool).triu(1)
    return entries.masked_fill(backwards[..., None], math.nan)
