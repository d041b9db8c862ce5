"""The largest singular values of many matrices at once, each known only by what it does to vectors."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

Rows = Float[Tensor, "stacked rows state"]


def largest_singular_value(
    forward: Callable[[Rows], Rows], backward: Callable[[Rows], Rows], start: Rows, steps: int
) -> Float[Tensor, "stacked rows"]:
    """Largest singular value of many matrices P at once, from below, given v -> P v and u -> P^T u on rows.

    Golub and Kahan 1965: power iteration that keeps its iterates. P is bidiagonal between them, and the largest
    singular value of that small matrix is the largest gain over all directions seen.
    """
    v, _ = _normalised(start)
    u, gain = _normalised(forward(v))
    bidiagonal = v.new_zeros(*v.shape[:2], steps, steps)
    bidiagonal[..., 0, 0] = gain
    for step in range(1, steps):
        v, coupling = _normalised(torch.addcmul(backward(u), gain[..., None], v, value=-1))
        u, gain = _normalised(torch.addcmul(forward(v), coupling[..., None], u, value=-1))
        bidiagonal[..., step - 1, step] = coupling
        bidiagonal[..., step, step] = gain
    squares: Tensor = torch.linalg.eigvalsh(bidiagonal @ bidiagonal.mT)
    return squares[..., -1].clamp(min=0).sqrt()


def _normalised(rows: Rows) -> tuple[Rows, Float[Tensor, "stacked rows"]]:
    """Rows of length 1 and the lengths they had; rows of rounding noise become zero."""
    lengths = torch.linalg.vector_norm(rows, dim=2)
    lengths = torch.where(lengths < 1e-13, 0.0, lengths)
    return rows * torch.where(lengths == 0, 0.0, 1 / lengths)[..., None], lengths
