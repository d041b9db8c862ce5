"""The trained linear family of Zeng et al. 2023: Linear, DLinear and NLinear, weights shared by all channels.

Windows are (window, channel, look_back) in, (window, channel, horizon) out.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import linear, pad

from goldviz.models.series.forecasters.layers import linear_layer

KERNEL = 25
"""Steps of DLinear's moving average, as in the paper's code."""


class Linear(nn.Module):
    """x_(t+1..t+H) = W x_(t-L+1..t) + b."""

    def __init__(self, look_back: int, horizon: int, channels: int, generator: Generator) -> None:
        super().__init__()
        self.map = linear_layer(look_back, horizon, generator)

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        forecast: Tensor = self.map(past)
        return forecast


class NLinear(Linear):
    """The same of values less the last one, which is added to the forecast."""

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        last = past[..., -1:]
        forecast: Tensor = last + self.map(past - last)
        return forecast


class DLinear(nn.Module):
    """A moving average of 25 steps and what is left of it, each by a linear map of its own.

    The ends are filled with the first and the last value.
    """

    def __init__(self, look_back: int, horizon: int, channels: int, generator: Generator) -> None:
        super().__init__()
        self.trend = linear_layer(look_back, horizon, generator)
        self.rest = linear_layer(look_back, horizon, generator)
        self.register_buffer("average", moving_average(look_back), persistent=False)

    average: Tensor

    def forward(self, past: Float[Tensor, "window channel look_back"]) -> Float[Tensor, "window channel horizon"]:
        """The forecasts of these windows."""
        trend = linear(past, self.average)
        forecast: Tensor = self.trend(trend) + self.rest(past - trend)
        return forecast


def moving_average(look_back: int, kernel: int = KERNEL) -> Float[Tensor, "look_back look_back"]:
    """The moving average over ``kernel`` steps as a matrix: row t holds the weight of each value in the mean at t.

    >>> moving_average(3, kernel=3)
    tensor([[0.6667, 0.3333, 0.0000],
            [0.3333, 0.3333, 0.3333],
            [0.0000, 0.3333, 0.6667]])
    """
    half = (kernel - 1) // 2
    identity = pad(torch.eye(look_back)[:, None], (half, half), mode="replicate")[:, 0]
    return identity.unfold(1, kernel, 1).mean(dim=2).T.contiguous()
