"""Sines and cosines of a place: added to a row as its code, or turning queries and keys (document 002, section 5.1).

Channels 2i and 2i + 1 swing with the wavelength 2 pi 10000^(2i / D). Places may be row numbers or times in days, whole
or not. Angles are computed in float64, because late places times high frequencies leave float32 few digits.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

BASE = 10_000
"""The longest wavelength is at most this times 2 pi."""


def frequencies(width: int) -> Float[Tensor, " pair"]:
    """1 / 10000^(2i / D) for i = 0 to D/2 - 1; raises ``ValueError`` for an odd or empty width D."""
    if width < 2 or width % 2:
        raise ValueError(f"The width of a code of sines and cosines is {width}; allowed is an even number from 2 on.")
    return BASE ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


def wavelengths(width: int) -> Float[Tensor, " pair"]:
    """After how many places each pair of channels repeats.

    >>> [round(float(length), 2) for length in wavelengths(64)[:4]]
    [6.28, 8.38, 11.17, 14.9]
    """
    return 2 * math.pi / frequencies(width)


def sinusoidal_code(places: Float[Tensor, "*batch time"], width: int) -> Float[Tensor, "*batch time width"]:
    """PE(t, 2i) = sin(t / 10000^(2i / D)), PE(t, 2i + 1) = cos(the same), in the places' dtype.

    The product of two codes is sum_i cos((t - s) / 10000^(2i / D)): it depends on the lag alone.

    >>> sinusoidal_code(torch.tensor([0.0]), 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    angles = places.double()[..., None] * frequencies(width).to(places.device)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2).to(places.dtype)


def similarity_by_lag(lags: Float[Tensor, " lag"], width: int) -> Float[Tensor, " lag"]:
    """The product of the codes of two places over that of one with itself, D/2, in closed form."""
    return (lags.double()[..., None] * frequencies(width)).cos().mean(-1)


def rotated(
    x: Float[Tensor, "*batch time width"], places: Float[Tensor, " time"]
) -> Float[Tensor, "*batch time width"]:
    """Queries or keys, each pair of channels turned by the angle of its place (Su et al. 2021, eq. 34).

    The product of a turned query and a turned key depends on both and on their lag, not on where they stand.
    """
    angles = places.double()[:, None] * frequencies(x.shape[-1]).to(places.device)
    sine, cosine = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)
