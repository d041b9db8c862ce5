"""How far back the last state can be moved: dh_T/dh_(T-lag) for every lag (document 001, eq. 7).

One row of what :mod:`goldviz.labs.jacobian_lens.products` tells of all pairs of times, cheap enough to be read off
while a network trains.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.recurrent.golub_kahan import largest_singular_value
from goldviz.diagnostics.recurrent.jacobian_blocks import unit
from goldviz.diagnostics.recurrent.jacobians import RecurrentJacobians
from goldviz.models.recurrent.lstm import LSTMTrace

KRYLOV_STEPS = 5


@torch.no_grad()
def spectral_norms_to_last(jacobians: RecurrentJacobians) -> Float[Tensor, " lag"]:
    """log10 of the spectral norm of dh_T/dh_(T-lag) for lag = 0 to T-1; -inf where the product is zero.

    By a few steps of power iteration, so never above the true norm, and up to 15 % (0.07 decades) below it where many
    singular values crowd at the top.
    """
    steps = jacobians.double()
    size = steps.state
    products = torch.empty(steps.steps, size, size, dtype=torch.float64)
    sizes = [0.0]
    products[0] = torch.eye(size, dtype=torch.float64)
    for lag in range(1, steps.steps):
        step = steps.steps - lag
        moved = steps.pull_rows_back(step, products[lag - 1])
        products[lag], log10_size = unit(moved, sizes[-1])
        sizes.append(log10_size)
    start = torch.randn(1, 1, size, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    largest = largest_singular_value(
        lambda rows: rows @ products,
        lambda rows: rows @ products.mT,
        start.expand(steps.steps, -1, -1) @ products.mT,
        min(KRYLOV_STEPS, size),
    )
    return largest.flatten().log10() + torch.tensor(sizes, dtype=torch.float64)


@torch.no_grad()
def cell_path_to_last(trace: LSTMTrace, sequence: int = 0) -> Float[Tensor, " lag"]:
    """log10 of the spectral norm of dc_T/dc_(T-lag) through the cell alone, for lag = 0 to T-1.

    The path multiplies by the forget gates f_T, f_(T-1), ... (eq. 18), so its norm is their product's largest entry.
    """
    forget = torch.stack([gate[sequence] for gate in trace.forget_gates]).double()
    path = forget.flip(0).log10().cumsum(0).amax(-1)
    return torch.cat([path.new_zeros(1), path[:-1]])
