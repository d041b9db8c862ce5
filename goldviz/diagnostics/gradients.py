"""What gradients say of a network: their norms layer by layer, and the steps that came of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor


def norms(tensors: Sequence[Tensor]) -> Float[Tensor, " tensor"]:
    """The Euclidean norm of each tensor: ||dL/dW_l|| of document 001, Annex 5.3.4, or ||dL/dh_l||.

    Squares are summed in float64, because the squares of a gradient of 1e-25 are zero in float32 and those of 1e20
    infinite. Apple's GPUs have no float64.
    """
    wide = torch.float32 if tensors[0].device.type == "mps" else torch.float64
    return torch.stack(torch._foreach_norm(list(tensors), 2, wide)).float()


def matrices(stacks: Sequence[Tensor]) -> list[Tensor]:
    """The matrices of parameters that hold one (rows, columns) or several (layers, rows, columns), in order."""
    return [matrix for stack in stacks for matrix in stack.reshape(-1, *stack.shape[-2:]).unbind()]


def decay_rate(gradient_norm: Float[Tensor, "*before layer"]) -> Float[Tensor, "*before layer"]:
    """log ||g_(l+1)|| - log ||g_l|| in nats (document 001, Annex 5.3.4); NaN for the last layer, which has no next.

    Positive: the gradient shrinks on its way down, from layer l + 1 to layer l.
    """
    logarithm = gradient_norm.log()
    return torch.cat([logarithm.diff(dim=-1), torch.full_like(logarithm[..., :1], math.nan)], dim=-1)


def spread(values: Float[Tensor, "*before entry"]) -> Float[Tensor, "*before"]:
    """The standard deviation along the last axis, with Bessel's correction: ``std(-1)``, several times faster."""
    deviations = values - values.mean(dim=-1, keepdim=True)
    length: Tensor = torch.linalg.vector_norm(deviations, dim=-1)
    return length / math.sqrt(values.shape[-1] - 1)


def update_to_data(before: Sequence[Tensor], after: Sequence[Tensor]) -> Float[Tensor, " layer"]:
    """spread(W_after - W_before) / spread(W_before) of each matrix: how far a step really moved the weights.

    About 1e-3 is healthy. NaN or infinite where all weights of a matrix are equal.
    """
    rows = [
        (old.reshape(-1, old.shape[-2:].numel()), new.detach().reshape(-1, new.shape[-2:].numel()))
        for old, new in zip(before, after, strict=True)
    ]
    return torch.cat([spread(new - old) / spread(old) for old, new in rows])
