"""The kinds of matrix that a recurrent one starts as. A new one is an entry of the table: settings read it, too.

Orthogonal (Saxe et al. 2014), identity (Le, Jaitly and Hinton 2015), Gaussian (Glorot's scale), and non-normal (Kerg
et al. 2019), whose norm exceeds its spectral radius, so that gradients grow before they decay.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Generator, Tensor

    Matrix: TypeAlias = Float[Tensor, "hidden hidden"]


def orthogonal(hidden: int, generator: Generator) -> Matrix:
    """A random orthogonal matrix, uniform over the group: every singular value is 1."""
    import torch

    q: Tensor
    q, r = torch.linalg.qr(torch.randn(hidden, hidden, generator=generator, dtype=torch.float64))
    return q * torch.where(r.diagonal() < 0, -1.0, 1.0)


def identity(hidden: int, generator: Generator) -> Matrix:
    """The identity; nothing is drawn."""
    import torch

    return torch.eye(hidden, dtype=torch.float64)


def gaussian(hidden: int, generator: Generator) -> Matrix:
    """Independent entries N(0, 1/hidden): spectral radius near 1, spectral norm near 2 (Ginibre's circular law)."""
    import torch

    return torch.randn(hidden, hidden, generator=generator, dtype=torch.float64) / math.sqrt(hidden)


def non_normal(hidden: int, generator: Generator) -> Matrix:
    """Q (R + N) Q^T: eigenvalues on the unit circle, spectral norm well above 1.

    R holds rotations by random angles, N is strictly upper triangular with entries N(0, 1/hidden) outside R's
    blocks, Q is a random orthogonal matrix (a real Schur form, so the spectral radius is exactly 1).
    """
    import torch

    q = orthogonal(hidden, generator)
    angles = 2 * math.pi * torch.rand(hidden // 2, generator=generator, dtype=torch.float64)
    cos, sin = angles.cos(), angles.sin()
    rotations = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    ones = torch.ones(hidden % 2, 1, dtype=torch.float64)
    blocks = torch.block_diag(*rotations, *ones)
    inside = torch.block_diag(*torch.ones_like(rotations), *ones).bool()
    feed_forward = gaussian(hidden, generator).triu(1).masked_fill(inside, 0.0)
    schur: Tensor = blocks + feed_forward
    return q @ schur @ q.t()


@dataclass(frozen=True)
class MatrixKind:
    """What a kind of matrix is called, and how one of so many units is drawn, in float64."""

    words: str
    draw: Callable[[int, Generator], Matrix]

    def __call__(self, hidden: int, generator: Generator) -> Matrix:
        """A matrix of (hidden, hidden)."""
        return self.draw(hidden, generator)


MATRICES = {
    "orthogonal": MatrixKind("Orthogonal", orthogonal),
    "identity": MatrixKind("Identity", identity),
    "gaussian": MatrixKind("Gaussian", gaussian),
    "non_normal": MatrixKind("Non-normal", non_normal),
}
