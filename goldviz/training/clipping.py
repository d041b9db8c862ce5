"""What is done to a gradient before a step: a long one is scaled down."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor


def clip_gradients(parameters: Iterable[Tensor], largest: float) -> tuple[Tensor, Tensor]:
    """Scale the whole gradient down to the norm ``largest`` if it is longer; its direction stays.

    Returns the norm before clipping and whether it was clipped, both as tensors without dimensions, so that a GPU need
    not be waited for. Squares are summed in float64, so a gradient of 1e30 is clipped too; one that is not finite
    stays so. Apple's GPUs have no float64.
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    wide = torch.float32 if gradients[0].device.type == "mps" else torch.float64
    norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients, 2, wide)))
    # On the CPU nothing waits for the answer, and one pass over the whole gradient is spared.
    if norm.device.type != "cpu" or not norm <= largest:
        torch._foreach_mul_(gradients, (largest / norm).clamp(max=1.0).to(gradients[0].dtype))
    return norm, norm > largest
