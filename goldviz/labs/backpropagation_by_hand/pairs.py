"""The terms (t, k) of dL/dW_aa: what the loss of step t owes to the matrix as it is used at step k.

Document 001, eq. 6, and document 003's deltas of one loss: dL_t/dW_aa as used at k is delta^(u,(t))_k h_(k-1)^T.

Eq. 6 starts each row at a derivative with respect to h_t. It has to be the *direct* one, dL_t/dh_t, through the answer
at t alone. The *total* one, dL/dh_t, holds all later losses already, and the sum over k of each later row counts them
once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.backpropagation_by_hand.network import ForwardStep, Weights

Deltas = Float[Tensor, "losses time hidden"]


@torch.no_grad()
def deltas_back_from(weights: Weights, steps: Sequence[ForwardStep], delta_h: Tensor) -> Float[Tensor, "time hidden"]:
    """delta^u_k for k = 1 to t, where t is the last of ``steps`` and ``delta_h`` all that reaches h_t."""
    deltas: list[Tensor] = []
    for step in reversed(steps):
        deltas.append((1 - step.h.square()) * delta_h)
        delta_h = weights.W_aa.t() @ deltas[-1]
    return torch.stack(deltas[::-1])


def deltas_of_each(weights: Weights, steps: Sequence[ForwardStep], starts: Sequence[Tensor]) -> Deltas:
    """One row for each t, back from ``starts[t - 1]``, the gradient at h_t; zero for k > t.

    With the direct derivatives as starts, row t is document 003's delta^(u,(t)): how the loss of step t alone reaches
    back. Where it is zero, the early uses of the weights learn nothing from that loss.
    """
    rows = [
        torch.cat([deltas_back_from(weights, steps[: t + 1], start), start.new_zeros(len(steps) - t - 1, len(start))])
        for t, start in enumerate(starts)
    ]
    return torch.stack(rows)


def recurrent_terms(deltas: Deltas, steps: Sequence[ForwardStep]) -> Float[Tensor, "losses time hidden hidden"]:
    """The terms (t, k) of eq. 6, delta_k h_(k-1)^T; those with k = 1 are zero, because h_0 is."""
    return deltas[..., None] * torch.stack([step.h_previous for step in steps])[:, None]
