"""What document 002 says of batch norm and of softmax (sections 1.3.2 and 1.4), tried on this network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from goldviz.declare.claims import Claim, Part
from goldviz.labs.backward_by_hand import LAB

if TYPE_CHECKING:
    import xarray as xr

OverSeed = partial(Claim, LAB, over="seed")
ROUNDING = 1e-12
LANES: tuple[str | Mapping[str, Any], ...] = ({}, "as-in-1-3-2-divide-by-n", "break-it-saturated-tanh")


def _largest(name: str, *runs: xr.Dataset) -> float:
    return max(float(run.attrs[name]) for run in runs)


def bias_gradient(*runs: xr.Dataset) -> float:
    """The largest entry of the gradient of a bias before batch norm."""
    return _largest("bias_gradient", *runs)


def bias_in_logits(*runs: xr.Dataset) -> float:
    """The most by which any logit changes without that bias."""
    return _largest("bias_in_logits", *runs)


def identity_error(*runs: xr.Dataset) -> float:
    """The most by which batch norm's output differs from its input with gamma = sqrt(var + eps), beta = mean."""
    return _largest("identity_error", *runs)


def identity_elsewhere(*runs: xr.Dataset) -> float:
    """By how many of its standard deviations another batch comes out changed, in the lane where that is least."""
    return min(float(run.attrs["identity_elsewhere"]) for run in runs)


def shift_in_loss(*runs: xr.Dataset) -> float:
    """The most by which the loss changes when something else than the maximum is subtracted, or nothing."""
    return _largest("shift_in_loss", *runs)


def shift_in_gradient(*runs: xr.Dataset) -> float:
    """The most by which the gradient of the logits changes with it."""
    return _largest("shift_in_gradient", *runs)


def sign_in_gradient(*runs: xr.Dataset) -> float:
    """The most by which the gradient of the logits changes with the sign of the maximum's gradient."""
    return _largest("sign_in_gradient", *runs)


CLAIMS = (
    OverSeed("C8", "A bias before batch norm is redundant.", "002, 1.3.2", lanes=LANES,
        parts=(
            Part("the largest entry of its gradient is {:.0e}", bias_gradient, below=ROUNDING),
            Part("without it the logits change by {:.0e} at most", bias_in_logits, below=ROUNDING),
        )),
    OverSeed("C9", "Batch norm's scale and shift can give its input back.", "002, 1.3.2", lanes=LANES,
        parts=(
            Part("with γ = √(σ² + ε) and β = μ it differs by {:.0e} at most", identity_error, below=ROUNDING),
            Part("another batch, with the same γ and β, differs by {:.2f} of its spread", identity_elsewhere,
                below=0.01),
        )),
    OverSeed("C12", "Subtracting a row's maximum changes neither the loss nor its gradient.", "002, 1.4.2 and 1.4.3",
        lanes=(*LANES, "break-it-sure-and-wrong"),
        parts=(
            Part("with nothing or another number subtracted the loss changes by {:.0e}", shift_in_loss, below=ROUNDING),
            Part("and the gradient of the logits by {:.0e}", shift_in_gradient, below=ROUNDING),
            Part("with the other sign before the maximum's gradient it changes by {:.0e}", sign_in_gradient,
                below=ROUNDING),
        )),
)  # fmt: skip
