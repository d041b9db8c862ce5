"""What theory says about ||dh_t/dh_k||: two bounds that always hold, and an asymptote that is not a bound.

Document 001, eq. 9, states the bound (gamma ||W_hh||)^(t-k) and then argues with the spectral radius. The two
part when W_hh is not normal: its norm exceeds its spectral radius, and the product may grow before it decays. It may
even grow for ever, because its factors D_j W_hh are not powers of W_hh: with W_hh = 1.5 [[1, 1], [-1, -1]], whose
radius is 0, and slopes (1, 0.2), a step multiplies by 1.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from goldviz.diagnostics.recurrent.jacobians import RecurrentJacobians
from goldviz.models.recurrent.elman import ACTIVATIONS, Elman, ElmanTrace
from goldviz.models.recurrent.initialisation import spectral_radius
from goldviz.models.recurrent.weights import RecurrentTrace


@dataclass(frozen=True)
class LagLines:
    """Straight lines over lag in log10, for lags 0 to T.

    ``bound`` is lag * log10(gamma ||W_hh||_2): no dh_t/dh_k has a larger spectral norm. ``asymptote`` is
    lag * log10(gamma rho(W_hh)): the slope that powers of gamma W_hh tend to, above or below which a product may
    be at any lag, however large. A line is -inf beyond lag 0 where its norm or radius is zero.
    """

    bound: Float[Tensor, " lag"]
    asymptote: Float[Tensor, " lag"]


def lag_lines(W_hh: Float[Tensor, "hidden hidden"], steps: int, gamma: float) -> LagLines:
    """Bound and asymptote of an Elman network side by side (document 001, eq. 9 and the sentence after it).

    ``gamma`` bounds the slope of the activation: 1 for tanh and ReLU, or the largest of :func:`slopes` of a
    forward pass for a tighter bound.
    """
    if not (math.isfinite(gamma) and gamma >= 0):
        raise ValueError(f"The slope bound gamma is {gamma}; allowed is a number from 0.")
    norm = float(torch.linalg.matrix_norm(W_hh.detach().double(), ord=2))
    lags = torch.arange(steps + 1, dtype=torch.float64)
    return LagLines(*(_powers(gamma * size, lags) for size in (norm, spectral_radius(W_hh.double()))))


def _powers(base: float, lags: Float[Tensor, " lag"]) -> Float[Tensor, " lag"]:
    if base == 0:
        return torch.where(lags == 0, 0.0, -math.inf)
    return lags * math.log10(base)


def stepwise_bound(jacobians: RecurrentJacobians) -> Float[Tensor, "later earlier"]:
    """log10 of the product of the steps' own spectral norms, entry [t, k], NaN for k > t.

    Submultiplicativity applied to eq. 7: it holds for every cell and is never above (gamma ||W_hh||)^(t-k).
    """
    matrices = jacobians.dense().detach().double()
    peaks = matrices.abs().amax((1, 2))
    scales = torch.where(peaks == 0, 1.0, peaks)
    norms = torch.linalg.matrix_norm(matrices / scales[:, None, None], ord=2)
    zero = torch.cat([torch.zeros(1), norms == 0]).cumsum(0)
    logs = torch.where(norms == 0, 0.0, norms.log10() + scales.log10())
    total = torch.cat([logs.new_zeros(1), logs]).cumsum(0)
    bound = (total[:, None] - total).masked_fill(zero[:, None] != zero, -math.inf)
    return bound.masked_fill(torch.ones_like(bound, dtype=torch.bool).triu(1), math.nan)


def eigenvalues(matrix: Float[Tensor, "... size size"]) -> Complex[Tensor, "... size"]:
    """Eigenvalues, largest modulus first: of W_hh, or of every step's Jacobian at once."""
    values: Tensor = torch.linalg.eigvals(matrix.detach())
    return values.gather(-1, values.abs().argsort(-1, descending=True))


def slopes(layer: Elman, trace: ElmanTrace) -> Float[Tensor, "time batch hidden"]:
    """phi'(u_t), the diagonal of D_t in eq. 8: 1 - h_t^2 for tanh, 0 or 1 for ReLU."""
    return ACTIVATIONS[layer.activation].slope(trace.hidden.detach())


def saturated_share(trace: RecurrentTrace, threshold: float = 0.97) -> Float[Tensor, " time"]:
    """Share of hidden units with |h_t| above ``threshold``, per step.

    For a tanh network the slope there is below 1 - threshold^2 = 0.06: such a unit passes hardly any gradient.
    """
    if not 0 < threshold < 1:
        raise ValueError(f"The saturation threshold is {threshold}; allowed is a number above 0 below 1.")
    return (trace.hidden.detach().abs() > threshold).double().mean((1, 2))
