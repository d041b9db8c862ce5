"""The unrolled network, every matrix in sight, as document 003 writes it.

delta^y_t = y^_t - y_t,  delta^h_t = W_ya^T delta^y_t + W_aa^T delta^u_(t+1),  delta^u_t = (1 - h_t^2) * delta^h_t
with delta^u_(T+1) = 0, and the five sums dL/dW_ya = sum delta^y_t h_t^T, dL/db_y = sum delta^y_t,
dL/dW_aa = sum delta^u_t h_(t-1)^T, dL/dW_ax = sum delta^u_t x_t^T, dL/db_a = sum delta^u_t.

The terms (t, k) of dL/dW_aa say what the loss of step t owes to the matrix as it is used at step k (document 001, eq.
6), by document 003's deltas of one loss: dL_t/dW_aa as used at k is delta^(u,(t))_k h_(k-1)^T. Eq. 6 starts each row at
a derivative with respect to h_t. It has to be the *direct* one, dL_t/dh_t, through the answer at t alone. The *total*
one, dL/dh_t, holds all later losses already, and the sum over k of each later row counts them once more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.labs.backpropagation_by_hand.network import ForwardStep, Weights, forward


@dataclass(frozen=True)
class BackwardStep:
    """What step t adds: its three deltas, what came back from step t+1, and its term of each of the five sums."""

    delta_y: Float[Tensor, " symbols"]
    from_output: Float[Tensor, " hidden"]
    from_later: Float[Tensor, " hidden"]
    delta_h: Float[Tensor, " hidden"]
    delta_u: Float[Tensor, " hidden"]
    terms: Weights


@dataclass(frozen=True)
class Clipped:
    """A clipped gradient, the norms over all five parts before and after, and the cosine between the two."""

    gradients: Weights
    norm_before: float
    norm_after: float
    cosine: float


@torch.no_grad()
def backward(weights: Weights, steps: Sequence[ForwardStep]) -> list[BackwardStep]:
    """The recursion, from the last step to the first; the result is in the order of time, as ``steps`` is."""
    delta_u = torch.zeros_like(weights.b_a)
    back: list[BackwardStep] = []
    for step in reversed(steps):
        delta_y = step.y_hat - step.y
        from_output, from_later = weights.W_ya.t() @ delta_y, weights.W_aa.t() @ delta_u
        delta_h = from_output + from_later
        delta_u = (1 - step.h.square()) * delta_h
        terms = Weights(
            W_ax=torch.outer(delta_u, step.x),
            W_aa=torch.outer(delta_u, step.h_previous),
            b_a=delta_u,
            W_ya=torch.outer(delta_y, step.h),
            b_y=delta_y,
        )
        back.append(BackwardStep(delta_y, from_output, from_later, delta_h, delta_u, terms))
    return back[::-1]


def total(steps: Sequence[BackwardStep]) -> Weights:
    """The five sums over time: the gradient of L = sum_t L_t."""
    return Weights(*(torch.stack(terms).sum(0) for terms in zip(*(step.terms for step in steps), strict=True)))


def autograd_gradients(weights: Weights, inputs: Int[Tensor, " time"], targets: Int[Tensor, " time"]) -> Weights:
    """The same gradient from PyTorch's automatic differentiation, to stand beside :func:`total`."""
    leaves = Weights(*(part.detach().requires_grad_() for part in weights))
    loss = torch.stack([step.loss for step in forward(leaves, inputs, targets)]).sum()
    return Weights(*torch.autograd.grad(loss, leaves))


def differences(ours: Weights, theirs: Weights) -> dict[str, float]:
    """The largest absolute difference of each of the five parts."""
    return {name: float((a - b).abs().max()) for name, a, b in zip(Weights._fields, ours, theirs, strict=True)}


def global_norm(gradients: Weights) -> float:
    """The Euclidean norm over all five parts; finite entries up to 1e300 do not overflow it."""
    flat = torch.cat([part.flatten() for part in gradients])
    peak = float(flat.abs().max())
    return peak * float((flat / peak).norm()) if 0 < peak < math.inf else peak


def clip(gradients: Weights, threshold: float) -> Clipped:
    """g * min(1, C / ||g||) with C = ``threshold`` (document 003): shorter, in the same direction.

    Raises ``ValueError`` unless the threshold is above 0 and the gradient is finite.
    """
    if not (math.isfinite(threshold) and threshold > 0):
        raise ValueError(f"The clipping threshold is {threshold}; allowed is a number above 0.")
    before = global_norm(gradients)
    if not math.isfinite(before):
        raise ValueError(f"The gradient's norm is {before}; only a finite gradient can be clipped.")
    factor = min(1.0, threshold / before) if before > 0 else 1.0
    gradients_after = Weights(*(factor * part for part in gradients))
    after = global_norm(gradients_after)
    return Clipped(gradients_after, before, after, _cosine(gradients, gradients_after))


def _cosine(one: Weights, other: Weights) -> float:
    """The cosine of the angle between two gradients; 1 if both are zero, NaN if one is."""
    lengths = global_norm(one), global_norm(other)
    if 0.0 in lengths:
        return 1.0 if lengths == (0.0, 0.0) else math.nan
    return sum(float(((a / lengths[0]) * (b / lengths[1])).sum()) for a, b in zip(one, other, strict=True))


def sgd_update(weights: Weights, gradients: Weights, learning_rate: float) -> Weights:
    """W <- W - eta dL/dW for all five parts (document 003)."""
    return Weights(*(w - learning_rate * g for w, g in zip(weights, gradients, strict=True)))


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
