"""A Transformer whose tokens are patches of one channel, after PatchTST (Nie et al. 2023)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.models.series.forecasters.layers import EncoderBlock, linear_layer, standardised

PATCH, STRIDE = 16, 8
WIDTH, HEADS, BLOCKS = 32, 4, 2


class Patches(nn.Module):
    """Each channel alone: patches of 16 steps at every 8th, two encoder blocks, and one linear map of all tokens.

    A window is standardised by its own mean and deviation, which are put back at the end; its last value is repeated
    to fill the last patch. Layer norms stand before attention, where the paper has batch norms after it.
    """

    def __init__(self, look_back: int, horizon: int, channels: int, generator: Generator) -> None:
        super().__init__()
        self.patch = min(PATCH, look_back)
        self.fill = -(look_back - self.patch) % STRIDE
        count = 1 + (look_back + self.fill - self.patch) // STRIDE
        self.embedding = linear_layer(self.patch, WIDTH, generator)
        self.position = nn.Parameter(0.02 * torch.randn(count, WIDTH, generator=generator))
        self.blocks = nn.Sequential(*(EncoderBlock(WIDTH, HEADS, generator) for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = linear_layer(count * WIDTH, horizon, generator)

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        plain, mean, deviation = standardised(past)
        filled = torch.cat([plain, plain[..., -1:].expand(*plain.shape[:2], self.fill)], dim=-1)
        tokens = self.embedding(filled.flatten(0, 1).unfold(1, self.patch, STRIDE)) + self.position
        read = self.norm(self.blocks(tokens)).flatten(1)
        forecast: Tensor = self.head(read).view(*past.shape[:2], -1)
        return forecast * deviation + mean
