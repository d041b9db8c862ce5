"""Norms of dh_t/dh_k for all pairs of times: the product of the step Jacobians in between (document 001, eq. 7).

Results are (T+1, T+1) tensors of base-10 logarithms with entry [t, k] for dh_t/dh_k: the identity on the
diagonal, NaN where k > t, and -inf where the product is exactly zero.

Within a block of time every product is formed. From a block's end e on, only L = dh_t/dh_e is, because
dh_t/dh_k = L B with B = dh_e/dh_k, and ||L B||_F^2 = trace(L^T L B B^T) is an inner product of two matrices
that are formed once for each t and once for each k. Where that inner product cancels, L B is formed after all.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.gate_products import gate_products
from goldviz.diagnostics.recurrent.jacobians import CellJacobians, RecurrentJacobians
from goldviz.labs.jacobian_lens.jacobian_blocks import Block, Stack, blocks, chain, unit_steps, units

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
