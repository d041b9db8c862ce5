"""How a block stretches small changes: the Jacobian of its output with respect to its input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.depth_gradients.networks import DeepMLP

JACOBIANS_AT_ONCE = 200_000
"""Entries of Jacobians that are computed together: fewer calls, and memory that does not grow with the depth."""


def jacobians(
    functions: Sequence[Callable[[Tensor], Tensor]], h: Float[Tensor, "function sample unit"]
) -> Float[Tensor, "function sample out_unit unit"]:
    """d f(h) / dh of each function f at every sample of its own, exactly, in one backward pass.

    They treat samples one by one, as any block does outside training: each sample is repeated once for every output,
    and the copies ask for one row of the Jacobian each.
    """
    _, samples, width = h.shape
    copies = h.detach().repeat_interleave(width, dim=1).requires_grad_()
    rows = torch.eye(width, dtype=h.dtype, device=h.device).repeat(samples, 1)
    values = torch.stack([function(own) for function, own in zip(functions, copies.unbind(), strict=True)])
    # Rows handed over as ``grad_outputs`` would do the same, and make PyTorch load SymPy first, for half a second.
    (result,) = torch.autograd.grad((values * rows).sum(), copies)
    return result.view(-1, samples, width, width)


def rms_singular_value(jacobian: Float[Tensor, "*before sample unit unit"]) -> Float[Tensor, "*before"]:
    """||J||_F / sqrt(width), the root-mean-square singular value, averaged over the samples.

    1 is what an orthogonal matrix has: a random gradient keeps its length on average.
    """
    frobenius: Tensor = torch.linalg.matrix_norm(jacobian)
    return frobenius.mean(-1) / math.sqrt(jacobian.shape[-1])


def block_gains(model: DeepMLP, hidden: Sequence[Float[Tensor, "sample unit"]]) -> Float[Tensor, " block"]:
    """The root-mean-square singular value of dh_l/dh_(l-1) for each block (document 001, eq. 27 and 44-48).

    ``hidden`` are the states h_0 to h_L of a few samples. The model is measured in evaluation mode, without dropout
    and noise and with batch norm's running statistics, and left in the mode that it was in.
    """
    training = model.training
    model.eval()
    blocks = [partial(model.block, block) for block in range(1, len(hidden))]
    states = torch.stack([*hidden[:-1]])
    together = max(1, JACOBIANS_AT_ONCE // (states[0].numel() * states.shape[-1]))
    gains = [
        rms_singular_value(jacobians(blocks[first : first + together], states[first : first + together]))
        for first in range(0, len(blocks), together)
    ]
    model.train(training)
    return torch.cat(gains)
