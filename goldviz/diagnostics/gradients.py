"""What gradients say of a network: their norms layer by layer, and the steps that came of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor


def norms(tensors: Sequence[Tensor]) -> Float[Tensor, " tensor"]:
    """The Euclidean norm of each tensor: ||dL/dW_l|| of document 001, Annex 5.3.4, or ||dL/dh_l||.

    Squares are summed in float64, because the squares of a gradient of 1e-25 are zero in float32 and those of 1e20
    infinite. Apple's GPUs have no float64.
    """
    return torch.stack(torch._foreach_norm(list(tensors), 2, _wide(tensors[0]))).float()


def matrix_norms(stacks: Sequence[Tensor]) -> Float[Tensor, " matrix"]:
    """The norm of each matrix of parameters that hold one or several, as :func:`norms` has it of :func:`matrices`."""
    rows = [stack.detach().reshape(-1, stack.shape[-2:].numel()) for stack in stacks]
    return torch.cat([torch.linalg.vector_norm(row, dim=-1, dtype=_wide(row)) for row in rows]).float()


class GradientNorms:
    """||dL/dh|| of several tensors h of one forward pass, as :func:`norms` has it, each taken while it is computed.

    It is made before the backward pass. A gradient that is retained to be measured afterwards is copied, and has left
    the processor's cache by then: of small networks that takes several times as long. What is done for it during the
    backward pass is done in the context that ``measuring`` gives.
    """

    def __init__(
        self, tensors: Sequence[Tensor], measuring: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._measuring = measuring
        self._norms = tensors[0].new_zeros(len(tensors), dtype=_wide(tensors[0]))
        self._gradient = self._norms
        for tensor, norm in zip(tensors, self._norms.unbind(), strict=True):
            tensor.register_hook(partial(self._take, norm))

    def _take(self, norm: Tensor, gradient: Tensor) -> None:
        with self._measuring():
            if self._gradient.shape != gradient.shape:
                self._gradient = torch.empty_like(gradient, dtype=norm.dtype)
            torch.linalg.vector_norm(self._gradient.copy_(gradient), out=norm)

    def measured(self) -> Float[Tensor, " tensor"]:
        """The norms after the backward pass; 0 of a tensor that no gradient reached."""
        return self._norms.float()


def _wide(tensor: Tensor) -> torch.dtype:
    return torch.float32 if tensor.device.type == "mps" else torch.float64


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
