"""The minimal GRU, whose gate and candidate read the input alone, unrolled step by step.

Feng et al. 2024 (arXiv 2410.01201, section 3.1): h_t = (1 - z_t) h_(t-1) + z_t h~_t with z_t = sigmoid(W_z x_t + b_z)
and h~_t = W_h~ x_t + b_h~. Within a layer dh_T/dh_t = diag prod_(s=t+1..T) (1 - z_s), exactly: no other path exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from goldviz.models.recurrent.weights import Initial, RecurrentTrace, RecurrentWeights, Steps


@dataclass(frozen=True)
class MinGRUTrace(RecurrentTrace):
    """States h_0 to h_T, and the gates z_t and candidates h~_t, whose entry 0 is step 1; each (batch, hidden)."""

    update_gates: Steps
    candidates: Steps


class MinGRU(RecurrentWeights):
    """A minGRU layer. The candidate is linear, as in the paper: nothing passes through tanh."""

    blocks: ClassVar[tuple[str, ...]] = ("update", "candidate")
    reads_state: ClassVar[bool] = False
    trace = MinGRUTrace

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """h_t with z and the candidate."""
        (h,) = state
        update, candidate = drive.chunk(2, -1)
        z = torch.sigmoid(update)
        return (torch.lerp(h, candidate, z),), (z, candidate)

    def forward(self, inputs: Float[Tensor, "time batch inputs"], initial: Initial = None) -> MinGRUTrace:
        """Run over a batch of sequences from h_0 = ``initial`` (zero if it is not given).

        No gate waits for a state, so all steps' gates come of one product.
        """
        states = [*self.start(inputs, initial)]
        updates, candidates = functional.linear(inputs, self.W_x, self.b).chunk(2, -1)
        z_t = torch.sigmoid(updates).unbind(0)
        for z, candidate in zip(z_t, candidates.unbind(0), strict=True):
            states.append(torch.lerp(states[-1], candidate, z))
        return MinGRUTrace(tuple(states), z_t, candidates.unbind(0))
