"""How a block stretches small changes: the Jacobian of its output with respect to its input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.depth_gradients.networks import DeepMLP


def jacobians(
    function: Callable[[Tensor], Tensor], h: Float[Tensor, "sample unit"]
) -> Float[Tensor, "sample out_unit unit"]:
    """d function(h) / dh at every sample, exactly, in one backward pass.

    ``function`` treats samples one by one, as any block does outside training: each sample is repeated once for every
    output, and the copies ask for one row of the Jacobian each.
    """
    samples, width = h.shape
    copies = h.detach().repeat_interleave(width, dim=0).requires_grad_()
    rows = torch.eye(width, dtype=h.dtype, device=h.device).repeat(samples, 1)
    # Rows handed over as ``grad_outputs`` would do the same, and make PyTorch load SymPy first, for half a second.
    (result,) = torch.autograd.grad((function(copies) * rows).sum(), copies)
    return result.view(samples, width, width)


def rms_singular_value(jacobian: Float[Tensor, "sample unit unit"]) -> Float[Tensor, ""]:
    """||J||_F / sqrt(width), the root-mean-square singular value, averaged over the samples.

    1 is what an orthogonal matrix has: a random gradient keeps its length on average.
    """
    frobenius: Tensor = torch.linalg.matrix_norm(jacobian)
    return frobenius.mean() / math.sqrt(jacobian.shape[-1])


def block_gains(model: DeepMLP, hidden: Sequence[Float[Tensor, "sample unit"]]) -> Float[Tensor, " block"]:
    """The root-mean-square singular value of dh_l/dh_(l-1) for each block (document 001, eq. 27 and 44-48).

    ``hidden`` are the states h_0 to h_L of a few samples. The model is measured in evaluation mode, without dropout
    and noise and with batch norm's running statistics, and left in the mode that it was in.
    """
    training = model.training
    model.eval()
    gains = [
        rms_singular_value(jacobians(partial(model.block, block), before))
        for block, before in enumerate(hidden[:-1], start=1)
    ]
    model.train(training)
    return torch.stack(gains)
