"""A Transformer whose tokens are whole channels, after iTransformer (Liu et al. 2024)."""

from __future__ import annotations

from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.models.series.forecasters.layers import EncoderBlock, linear_layer, standardised

WIDTH, HEADS, BLOCKS = 64, 4, 2


class Inverted(nn.Module):
    """A channel's look-back is one token: two encoder blocks among channels, and one linear map of each token.

    A window is standardised by its own mean and deviation, which are put back at the end. Layer norms stand before
    attention, where the paper has them after it.
    """

    def __init__(self, look_back: int, horizon: int, channels: int, generator: Generator) -> None:
        super().__init__()
        self.embedding = linear_layer(look_back, WIDTH, generator)
        self.blocks = nn.Sequential(*(EncoderBlock(WIDTH, HEADS, generator) for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = linear_layer(WIDTH, horizon, generator)

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        plain, mean, deviation = standardised(past)
        forecast: Tensor = self.head(self.norm(self.blocks(self.embedding(plain))))
        return forecast * deviation + mean
