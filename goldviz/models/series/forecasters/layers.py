"""Layers of forecasters whose weights come from a generator."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention
from torch.nn.utils import skip_init

LEAST_SPREAD = 1e-5
"""Added to a window's variance, as in RevIN (Kim et al. 2022)."""


def linear_layer(inputs: int, outputs: int, generator: Generator) -> nn.Linear:
    """A linear layer with PyTorch's usual start: weights and bias uniform in ±1/sqrt(inputs)."""
    layer: nn.Linear = skip_init(nn.Linear, inputs, outputs)
    bound = 1 / math.sqrt(inputs)
    with torch.no_grad():
        layer.weight.uniform_(-bound, bound, generator=generator)
        layer.bias.uniform_(-bound, bound, generator=generator)
    return layer


class EncoderBlock(nn.Module):
    """Attention among tokens and a feed-forward network, each after a layer norm and added to its input.

    (batch, token, width) in and out; there is no mask, for all tokens are of the past.
    """

    def __init__(self, width: int, heads: int, generator: Generator) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_feed_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = linear_layer(width, 3 * width, generator)
        self.output = linear_layer(width, width, generator)
        self.wide, self.narrow = linear_layer(width, 2 * width, generator), linear_layer(2 * width, width, generator)

    def forward(self, tokens: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        """The tokens after the block."""
        batch, count, width = tokens.shape
        parts = self.queries_keys_values(self.before_attention(tokens)).view(batch, count, 3, self.heads, -1)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        read = scaled_dot_product_attention(queries, keys, values).transpose(1, 2).reshape(batch, count, width)
        tokens = tokens + self.output(read)
        more: Tensor = self.narrow(gelu(self.wide(self.before_feed_forward(tokens))))
        return tokens + more


def standardised(
    past: Float[Tensor, "window channel look_back"],
) -> tuple[Tensor, Float[Tensor, "window channel one"], Float[Tensor, "window channel one"]]:
    """Each channel of a window less its own mean, over its own deviation; and these two."""
    mean = past.mean(dim=-1, keepdim=True)
    deviation = (past.var(dim=-1, keepdim=True, correction=0) + LEAST_SPREAD).sqrt()
    return (past - mean) / deviation, mean, deviation
