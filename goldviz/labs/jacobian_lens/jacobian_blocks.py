"""Products of step Jacobians, cut into blocks of time so that all pairs (t, k) can be reached cheaply.

Every product is kept as a matrix of Frobenius norm 1 and the base-10 logarithm of its size, in float64, so
neither a thousand steps nor a factor of 1e-300 a step under- or overflows. Products are stored transposed: a
step then acts on the rows of one tall matrix, which is a single matrix product for a whole stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.diagnostics.recurrent.jacobians import RecurrentJacobians

Stack = Float[Tensor, "products state state"]
Sizes = Float[Tensor, " products"]

SAFE = 1e-140
"""Above this norm, the squares that a norm sums do not underflow in float64."""


class Products(NamedTuple):
    """A stack of transposed products with norm 1, and log10 of their norms (-inf for a zero matrix)."""

    transposed: Stack
    log10_norm: Sizes


@dataclass(frozen=True)
class Block:
    """Products that start in one block of time, of steps ``first`` to ``end``.

    ``within`` holds dh_t/dh_k for all first <= k < t <= end, the pair's times in ``later`` and ``earlier``;
    ``to_end`` is dh_end/dh_k for all k of the block; ``beyond`` is dh_t/dh_end for all later t.
    """

    first: int
    end: int
    later: Int[Tensor, " pairs"]
    earlier: Int[Tensor, " pairs"]
    within: Products
    to_end: Products
    beyond: Products


def unit(matrix: Float[Tensor, "state state"], log10_size: float) -> tuple[Float[Tensor, "state state"], float]:
    """The matrix divided by its norm, and log10 of that norm on top of ``log10_size``."""
    norm = float(torch.linalg.vector_norm(matrix))
    if norm > SAFE:
        return matrix / norm, log10_size + math.log10(norm)
    peak = float(matrix.abs().amax())
    return (matrix, -math.inf) if peak == 0 else unit(matrix / peak, log10_size + math.log10(peak))


def units(stack: Stack) -> Products:
    """Each matrix of the stack divided by its norm, and log10 of the norms; a zero matrix stays as it is."""
    norms = torch.linalg.vector_norm(stack, dim=(1, 2), keepdim=True)
    if bool((norms > SAFE).all()):
        return Products(stack / norms, norms.log10().flatten())
    peaks = stack.abs().amax((1, 2), keepdim=True)
    stack = stack / torch.where(peaks == 0, 1.0, peaks)
    norms = torch.linalg.vector_norm(stack, dim=(1, 2), keepdim=True)
    return Products(stack / torch.where(norms == 0, 1.0, norms), (peaks.log10() + norms.log10()).flatten())


def unit_steps(jacobians: RecurrentJacobians) -> tuple[RecurrentJacobians, list[float]]:
    """The step Jacobians in float64 with largest entry 1, and log10 of the factors taken out."""
    exact = jacobians.double()
    peaks = exact.dense().abs().amax((1, 2))
    peaks = torch.where(peaks == 0, 1.0, peaks)
    # A factor is a power of two, so that taking it out rounds nothing; its inverse may not overflow.
    factors = torch.exp2(peaks.log2().round().clamp(-1000, 1000))
    return exact.scaled(1 / factors), factors.log10().tolist()


def chain(steps: RecurrentJacobians, log10_factors: list[float], first: int, end: int) -> Products:
    """dh_t/dh_first for t = first+1 to ``end``, from the results of :func:`unit_steps`."""
    products = torch.empty(end - first, steps.state, steps.state, dtype=torch.float64)
    sizes = torch.empty(end - first, dtype=torch.float64)
    product, size = torch.eye(steps.state, dtype=torch.float64), 0.0
    for step in range(first, end):
        product, size = unit(steps.apply_to_rows(step, product), size + log10_factors[step])
        products[step - first], sizes[step - first] = product, size
    return Products(products, sizes)


def blocks(jacobians: RecurrentJacobians) -> Iterator[Block]:
    """The blocks of about sqrt(2 T) steps into which T steps are cut, one after another."""
    steps, log10_factors = unit_steps(jacobians)
    width = max(2, round(math.sqrt(2 * steps.steps)))
    for first in range(0, steps.steps, width):
        end = min(first + width, steps.steps)
        later, earlier, within, to_end = _inside(steps, log10_factors, first, end)
        yield Block(first, end, later, earlier, within, to_end, chain(steps, log10_factors, end, steps.steps))


def _inside(
    steps: RecurrentJacobians, log10_factors: list[float], first: int, end: int
) -> tuple[Tensor, Tensor, Products, Products]:
    """All pairs of times of one block, their products, and the products that reach its end."""
    later, earlier = torch.tril_indices(end - first, end - first)
    identity = torch.eye(steps.state, dtype=torch.float64).unsqueeze(0)
    within = Products(
        torch.empty(len(later), steps.state, steps.state, dtype=torch.float64),
        torch.empty(len(later), dtype=torch.float64),
    )
    live = Products(identity[:0], within.log10_norm[:0])
    for step in range(first, end):
        stack = torch.cat([live.transposed, identity])
        images = units(steps.apply_to_rows(step, stack.view(-1, steps.state)).view_as(stack))
        size = torch.cat([live.log10_norm, live.log10_norm.new_zeros(1)])
        live = Products(images.transposed, size + images.log10_norm + log10_factors[step])
        row = slice((step - first) * (step - first + 1) // 2, (step - first + 1) * (step - first + 2) // 2)
        within.transposed[row], within.log10_norm[row] = live
    return later + first + 1, earlier + first, within, live
