"""Losses of what was said of a value before it came, one a value: a normal distribution, Student's t, or quantiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def normal_loss(value: Tensor, mean: Tensor, scale: Tensor) -> Tensor:
    """The negative log likelihood, in nats: log s + ((y - m) / s)^2 / 2 + log(2 pi) / 2."""
    loss: Tensor = scale.log() + ((value - mean) / scale).square() / 2 + math.log(2 * math.pi) / 2
    return loss


def student_loss(value: Tensor, place: Tensor, scale: Tensor, freedom: Tensor) -> Tensor:
    """The negative log likelihood of place + scale * t, in nats, with so many degrees of freedom."""
    normaliser = (freedom / 2).lgamma() - ((freedom + 1) / 2).lgamma() + (math.pi * freedom).log() / 2
    z = (value - place) / scale
    return normaliser + scale.log() + (freedom + 1) / 2 * (z.square() / freedom).log1p()


def pinball_loss(value: Tensor, quantiles: Tensor, levels: Tensor) -> Tensor:
    """Over the levels (..., level) the mean of max(tau (y - q), (tau - 1)(y - q)) (Koenker and Bassett 1978)."""
    error = value[..., None] - quantiles
    loss: Tensor = (levels * error).maximum((levels - 1) * error).mean(-1)
    return loss
