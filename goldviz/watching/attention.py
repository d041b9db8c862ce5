"""What each attention head does on a look: how widely it looks, and its largest logit.

``nn.MultiheadAttention`` is computed anew from what it was given, for it returns no weights while it trains. Other
modules, such as those of transformers with ``attn_implementation="eager"``, return their weights; their logits stay
inside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from goldviz.watching.layers import heads_in

ROWS, ENTRIES = 16, 2**21
"""Rows of a batch, and weights in all, that are looked at at most."""
ORDER = ("query", "key", "value", "key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal")


@torch.no_grad()
def of_heads(module: nn.Module, given: Sequence[Any], named: Mapping[str, Any], output: Any) -> Tensor | None:
    """Entropy in bits, mean over queries and rows, and largest logit of each head, as (2, heads).

    NaN stands for a logit that a module does not return; None for a module that returns no weights.
    """
    if isinstance(module, nn.MultiheadAttention):
        logits = _logits(module, {**dict(zip(ORDER, given, strict=False)), **named})
        if logits is None:
            return None
        largest = logits.amax((0, 2, 3))
        return torch.stack([_entropy(logits.softmax(-1)), largest])
    weights = output[1] if isinstance(output, tuple | list) and len(output) > 1 else None
    if not isinstance(weights, Tensor) or weights.ndim != 4 or weights.shape[1] != heads_in(module):
        return None
    entropy = _entropy(weights.detach()[:ROWS].float())
    return torch.stack([entropy, torch.full_like(entropy, math.nan)])


def _entropy(weights: Tensor) -> Tensor:
    """- sum_j a_ij log2 a_ij of (batch, head, query, key), mean over batch and queries."""
    entropy: Tensor = torch.special.entr(weights).sum(-1).mean((0, 2)) / math.log(2)
    return entropy


def _logits(module: nn.MultiheadAttention, given: Mapping[str, Any]) -> Tensor | None:
    """q k / sqrt(d) with its masks added, as in PyTorch's documentation; None for what is seldom used."""
    query, key = given["query"].detach(), given["key"].detach()
    if module.bias_k is not None or module.add_zero_attn or query.is_nested or query.ndim not in (2, 3):
        return None
    if query.ndim == 2:
        query, key = query[None], key[None]
    elif not module.batch_first:
        query, key = query.transpose(0, 1), key.transpose(0, 1)
    heads, width = module.num_heads, module.head_dim
    rows = min(len(query), ROWS, ENTRIES // (heads * query.shape[1] * key.shape[1]))
    if not rows:
        return None
    own = dict(module.named_parameters(recurse=False))
    together = own["in_proj_weight"].chunk(3) if "in_proj_weight" in own else ()
    W_q, W_k = together[:2] if together else (own["q_proj_weight"], own["k_proj_weight"])
    b_q, b_k, _ = module.in_proj_bias.chunk(3) if module.in_proj_bias is not None else (None, None, None)
    q, k = (
        nn.functional.linear(x[:rows], W.to(x.dtype), None if b is None else b.to(x.dtype))
        .unflatten(-1, (heads, width))
        .transpose(1, 2)
        .float()
        for x, W, b in ((query, W_q, b_q), (key, W_k, b_k))
    )
    logits: Tensor = q @ k.mT / math.sqrt(width)
    for name in ("attn_mask", "key_padding_mask"):
        if (mask := given.get(name)) is not None:
            logits = logits + _shaped(mask, name, rows, heads).to(logits.device)
    return logits


def _shaped(mask: Tensor, name: str, rows: int, heads: int) -> Tensor:
    """A mask as what is added to (batch, head, query, key)."""
    added = torch.zeros(mask.shape, device=mask.device).masked_fill(mask, -math.inf) if mask.dtype == torch.bool else (
        mask.detach().float()
    )  # fmt: skip
    if name == "key_padding_mask":
        return added[:rows, None, None] if added.ndim == 2 else added
    return added.unflatten(0, (-1, heads))[:rows] if added.ndim == 3 else added
