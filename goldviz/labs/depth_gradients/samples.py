"""Correlated, nonlinear and partly missing features, to be reconstructed: document 001, Annex 5.3.1."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def correlated_samples(
    n: int, features: int, mask_rate: float, generator: torch.Generator
) -> tuple[Float[Tensor, "n features"], Float[Tensor, "n features"]]:
    """Draw ``n`` samples x and their noisy copies y = x + 0.15 eps_2 (document 001, Annex 5.3.1).

    x = (sin(X C) + cos(2 X C) + 0.5 eps_1) * M with X, eps_1, eps_2 standard normal, C 0.8 on its diagonal and 0.3
    off it, and M zero where a value is missing, which happens with probability ``mask_rate``.

    ``generator`` lives on the CPU, so that every device gets the same data.
    """
    mixing = torch.full((features, features), 0.3).fill_diagonal_(0.8)
    shape = (n, features)
    samples = torch.randn(shape, generator=generator) @ mixing
    nonlinear = samples.sin() + (2 * samples).cos() + 0.5 * torch.randn(shape, generator=generator)
    present = torch.rand(shape, generator=generator) >= mask_rate
    x = nonlinear * present
    return x, x + 0.15 * torch.randn(shape, generator=generator)
