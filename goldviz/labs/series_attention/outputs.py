"""What a network says of a value: a normal distribution, a heavy-tailed one, or five quantiles. An entry each.

An entry reads raw outputs (..., size). It has a loss by the value that came, and its quantile function, which gives the
median, a band, and, of even chances, draws. Torch is loaded when one is used, because settings read the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldviz.models.losses import normal_loss, pinball_loss, student_loss

if TYPE_CHECKING:
    from torch import Tensor

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles that the third kind gives, and the ends and quarters of every fan."""
SMALLEST = 1e-3
"""Scale below which no output goes."""
FREEDOM = 4.0
"""Degrees of freedom of Student's t: with four its quantiles have a closed form (Shaw 2006)."""


@dataclass(frozen=True)
class SeriesOutput:
    """How the output is called, its ``size`` in numbers, and the loss's unit.

    ``loss(raw, value)`` is of every value; ``quantile(raw, share)`` are values that are not passed with that chance.
    """

    words: str
    size: int
    unit: str
    loss: Callable[[Tensor, Tensor], Tensor]
    quantile: Callable[[Tensor, Tensor], Tensor]

    def median(self, raw: Tensor) -> Tensor:
        """The value that is passed as often as not."""
        return self.quantile(raw, raw.new_full(raw.shape[:-1], 0.5))


def _place_and_scale(raw: Tensor) -> tuple[Tensor, Tensor]:
    from torch.nn.functional import softplus

    place, scale = raw.unbind(-1)
    return place, softplus(scale) + SMALLEST


def _normal_quantile(raw: Tensor, share: Tensor) -> Tensor:
    import torch

    place, scale = _place_and_scale(raw)
    quantile: Tensor = place + scale * torch.special.ndtri(share)
    return quantile


def _student_quantile(raw: Tensor, share: Tensor) -> Tensor:
    place, scale = _place_and_scale(raw)
    root = (4 * share * (1 - share)).sqrt()
    third = (root.clamp(max=1).acos() / 3).cos() / root
    return place + scale * 2 * (third - 1).clamp(min=0).sqrt() * (share - 0.5).sign()


def _levels(raw: Tensor) -> Tensor:
    """The five quantiles (..., 5) in order: the median, and steps up and down from it that are never negative."""
    import torch
    from torch.nn.functional import softplus

    steps = softplus(raw)
    below, middle, above = steps[..., :2].flip(-1).cumsum(-1).flip(-1), raw[..., 2:3], steps[..., 3:].cumsum(-1)
    return torch.cat([middle - below, middle, middle + above], -1)


def _shares(raw: Tensor) -> Tensor:
    """What lies below each of the five quantiles, where ``raw`` is."""
    import torch

    return torch.tensor(LEVELS, dtype=raw.dtype, device=raw.device)


def _interpolated(raw: Tensor, share: Tensor) -> Tensor:
    """Between two levels the line between them, and it goes on beyond the outer ones."""
    levels, shares = _levels(raw), _shares(raw)
    left = (share[..., None] >= shares[1:-1]).sum(-1, keepdim=True)
    low, high = levels.gather(-1, left)[..., 0], levels.gather(-1, left + 1)[..., 0]
    start, end = shares[left[..., 0]], shares[left[..., 0] + 1]
    return low + (high - low) * (share - start) / (end - start)


OUTPUTS = {
    "normal": SeriesOutput(
        "Normal", 2, "nat", lambda raw, value: normal_loss(value, *_place_and_scale(raw)), _normal_quantile
    ),
    "student": SeriesOutput(
        "Student's t",
        2,
        "nat",
        lambda raw, value: student_loss(value, *_place_and_scale(raw), raw.new_tensor(FREEDOM)),
        _student_quantile,
    ),
    "quantiles": SeriesOutput(
        "Five quantiles",
        len(LEVELS),
        "1",
        lambda raw, value: 2 * pinball_loss(value, _levels(raw), _shares(raw)),
        _interpolated,
    ),
}
"""What is said of a value, by name."""
