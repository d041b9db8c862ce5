"""Norms of dh_t/dh_k for all pairs of times: the product of the step Jacobians in between (document 001, eq. 7).

Results are (T+1, T+1) tensors of base-10 logarithms with entry [t, k] for dh_t/dh_k: the identity on the
diagonal, NaN where k > t, and -inf where the product is exactly zero.

Within a block of time every product is formed. From a block's end e on, only L = dh_t/dh_e is, because
dh_t/dh_k = L B with B = dh_e/dh_k, and ||L B||_F^2 = trace(L^T L B B^T) is an inner product of two matrices
that are formed once for each t and once for each k. Where that inner product cancels, L B is formed after all.

Every product is kept as a matrix of Frobenius norm 1 and the base-10 logarithm of its size, in float64, so
neither a thousand steps nor a factor of 1e-300 a step under- or overflows. Products are stored transposed: a
step then acts on the rows of one tall matrix, which is a single matrix product for a whole stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.diagnostics.recurrent.gate_products import gate_products
from goldviz.diagnostics.recurrent.jacobians import CellJacobians, RecurrentJacobians

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


AllPairs = Float[Tensor, "later earlier"]

CANCELLATION = 1e-6
"""Below this share of its largest possible value, an inner product has lost too many digits."""


@torch.no_grad()
def frobenius_norms(jacobians: RecurrentJacobians) -> AllPairs:
    """log10 ||dh_t/dh_k||_F for all pairs, the norm to a relative error of about 1e-8."""
    table = _table(jacobians, 0.5 * math.log10(jacobians.state))
    for block in blocks(jacobians):
        _fill_frobenius(table, block)
    return table


@torch.no_grad()
def singular_values(jacobians: RecurrentJacobians, origin: int) -> Float[Tensor, "lag state"]:
    """log10 of all singular values of dh_t/dh_k for k = ``origin`` and t = k+1 to T, largest first.

    A product known to float64 carries no digits of singular values below state * 2.2e-16 times its largest;
    those are NaN. They are -inf where the whole product is zero. Raises ``IndexError`` for an origin outside 0
    to T-1.
    """
    if not 0 <= origin < jacobians.steps:
        raise IndexError(f"The origin is step {origin}; allowed is a step from 0 to {jacobians.steps - 1}.")
    products = chain(*unit_steps(jacobians), origin, jacobians.steps)
    values: Tensor = torch.linalg.svdvals(products.transposed)
    floor = values[:, :1] * jacobians.state * torch.finfo(values.dtype).eps
    below_floor = (values <= floor) & (values[:, :1] > 0)
    return (values.log10() + products.log10_norm.clamp(min=-1e300)[:, None]).masked_fill(below_floor, math.nan)


@torch.no_grad()
def cell_path_norms(jacobians: CellJacobians) -> AllPairs:
    """log10 of the Frobenius norms along the LSTM's cell path alone, in closed form from sums of logarithms.

    There dc_t/dc_k is diag(f_(k+1) * ... * f_t), document 001, eq. 18.
    """
    return frobenius_norm_of_diagonal(gate_products(jacobians.forget))


def frobenius_norm_of_diagonal(logarithms: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any"]:
    """log10 of the Frobenius norm of diagonal matrices, of log10 of their entries."""
    norms: Tensor = torch.logsumexp(2 * math.log(10) * logarithms, -1) / 2 / math.log(10)
    return norms


def _table(jacobians: RecurrentJacobians, diagonal: float) -> AllPairs:
    table = torch.full((jacobians.steps + 1, jacobians.steps + 1), math.nan, dtype=torch.float64)
    return table.fill_diagonal_(diagonal)


def _fill_frobenius(table: AllPairs, block: Block) -> None:
    table[block.later, block.earlier] = block.within.log10_norm
    L, B = block.beyond.transposed, block.to_end.transposed
    if len(L) == 0:
        return
    left, right = _gram(L).flatten(1), _gram(B.mT).flatten(1)  # L^T L for each t, B B^T for each k
    square = left @ right.t()
    scale = torch.linalg.vector_norm(left, dim=1)[:, None] * torch.linalg.vector_norm(right, dim=1)
    logs = 0.5 * square.clamp(min=0).log10()
    for pairs in ((square <= CANCELLATION * scale) & (scale > 0)).nonzero().split(256):
        t, k = pairs.unbind(1)
        logs[t, k] = units(B[k] @ L[t]).log10_norm
    sizes = block.beyond.log10_norm[:, None] + block.to_end.log10_norm
    table[block.end + 1 :, block.first : block.end] = logs + sizes


def _gram(stack: Stack) -> Stack:
    """A A^T for each matrix A; numpy hands it to BLAS as the symmetric product that it is, torch does not."""
    matrices = stack.numpy()
    return torch.from_numpy(np.matmul(matrices, matrices.swapaxes(1, 2)))
