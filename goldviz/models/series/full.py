"""Full causal attention: every row sees itself and all rows before it (document 002, section 4).

O = softmax(Q K^T / sqrt(d_k) + M) V, where M is minus infinity above the diagonal. Rows are time steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


class MappedAttention(NamedTuple):
    """What attention gives, (batch, head, time, width), and its weights, whose rows sum to 1."""

    output: Tensor
    weights: Tensor


def full_attention(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time value_width"],
) -> Float[Tensor, "batch head time value_width"]:
    """The output alone, through PyTorch's kernel, which works in blocks and never holds the whole map."""
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def full_attention_with_maps(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time value_width"],
) -> MappedAttention:
    """The output and the map (batch, head, time, time), which takes memory that grows with the square of time."""
    return masked_attention(q, k, v, causal_mask(q.shape[-2], q.device))


def masked_attention(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head cell width"],
    v: Float[Tensor, "batch head cell value_width"],
    visible: Bool[Tensor, "*sequences time cell"],
) -> MappedAttention:
    """The output and the map of attention to the ``visible`` cells alone; the mask saves no memory.

    The cells may be rows of another sequence, as where a decoder attends to what an encoder read.
    """
    scores = (q @ k.transpose(-2, -1)).div_(math.sqrt(q.shape[-1]))
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return MappedAttention(weights @ v, weights)


def causal_mask(time: int, device: torch.device | str = "cpu") -> Bool[Tensor, "time time"]:
    """Row l may see cell j: j <= l.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return torch.ones(time, time, dtype=torch.bool, device=device).tril()
