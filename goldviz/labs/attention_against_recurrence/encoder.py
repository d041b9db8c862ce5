"""A Transformer encoder: each place takes from all places at once (document 001, section 4.1; Vaswani et al. 2017).

Rows are places here, where the document has columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.models.series.sinusoids import sinusoidal_code


class EncoderLayer(nn.Module):
    """X' = LayerNorm(X + MHSA(X)), then LayerNorm(X' + FFN(X')) (document 001, 4.1.2 and 4.1.3)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        """What the layer makes of all places."""
        x = self.attention_norm(x + self.attend(x))
        normalised: Tensor = self.feed_forward_norm(x + self.contract(torch.relu(self.expand(x))))
        return normalised

    def attend(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        """MHSA: softmax(Q K^T / sqrt(d_k)) V of every head, side by side, times W_O."""
        q, k, v = (
            linear(x).unflatten(2, (self.heads, -1)).transpose(1, 2) for linear in (self.query, self.key, self.value)
        )
        weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
        outputs: Tensor = self.output((weights @ v).transpose(1, 2).flatten(2))
        return outputs


class Encoder(nn.Module):
    """Inputs widened by a linear map, sinusoidal positions if wanted, and layers; what comes out at the last place."""

    def __init__(self, inputs: int, width: int, layers: int, heads: int, *, positions: bool) -> None:
        super().__init__()
        self.widen = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(EncoderLayer(width, heads) for _ in range(layers))
        self.positions = positions

    def forward(self, inputs: Float[Tensor, "time batch inputs"]) -> Float[Tensor, "batch width"]:
        """The last place's vector, which every other place may have changed."""
        x: Tensor = self.widen(inputs.transpose(0, 1))
        if self.positions:
            places = torch.arange(x.shape[1], dtype=x.dtype, device=x.device)
            x = x + sinusoidal_code(places, x.shape[2])
        for layer in self.layers:
            x = layer(x)
        return x[:, -1]


@torch.no_grad()
def initialise_encoder(encoder: Encoder, stream: Callable[[int], Generator]) -> None:
    """Matrices N(0, 1 / inputs), each of its own stream, and biases 0; layer norms stay the identity."""
    for index, (name, parameter) in enumerate(encoder.named_parameters()):
        if parameter.ndim == 2:
            parameter.normal_(0, 1 / math.sqrt(parameter.shape[1]), generator=stream(index))
        elif "norm" not in name:
            parameter.zero_()
