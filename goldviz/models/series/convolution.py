"""Queries and keys that see their surroundings: a causal convolution over time (document 002, section 4.1)."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def causal_convolution(
    y: Float[Tensor, "batch time width"], kernel: Float[Tensor, "lag width output"]
) -> Float[Tensor, "batch time output"]:
    """q_t = sum_i y_(t-i) F[i] for i = 0 to k - 1, with zeros before the first row; k = 1 is the linear map y F[0].

    A sum of products of shifted rows, each a matrix product, so that k = 1 gives the linear map to the last digit.
    Raises ``ValueError`` for a kernel without an entry.
    """
    if not kernel.shape[0]:
        raise ValueError("The kernel's size k is 0; allowed is 1 or more.")
    q = y @ kernel[0]
    for lag in range(1, min(kernel.shape[0], y.shape[1])):
        q[:, lag:] += y[:, :-lag] @ kernel[lag]
    return q
