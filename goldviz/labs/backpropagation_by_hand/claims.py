"""What documents 003 and 001 (eq. 6) say of backpropagation through time, held to autograd."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from goldviz.declare.claims import Claim, Part
from goldviz.labs.backpropagation_by_hand import LAB

if TYPE_CHECKING:
    import xarray as xr

OverSeed = partial(Claim, LAB, over="seed")
LONGER = {"text": "hello world", "hidden": 5}
ROUNDING = 1e-9


def off_autograd(*runs: xr.Dataset) -> float:
    """The largest difference of the recursion's five gradients to autograd's."""
    return max(float(off) for run in runs for off in run.attrs["difference"].values())


def off_with_direct(run: xr.Dataset) -> float:
    """How far eq. 6 is from autograd with the direct derivative of each loss, as a share of the gradient."""
    return float(run.attrs["off_with_direct"])


def off_with_total(run: xr.Dataset) -> float:
    """The same with the total derivative."""
    return float(run.attrs["off_with_total"])


def turned(run: xr.Dataset) -> float:
    """1 - cosine between the gradient before and after clipping."""
    return 1.0 - float(run.attrs["cosine"])


def clipped_norm(run: xr.Dataset) -> float:
    """The norm after clipping."""
    return float(run.attrs["norm_after"])


def made_worse(run: xr.Dataset) -> float:
    """1 where the loss is higher after one step."""
    return float(run.attrs["loss_after"] > run.attrs["loss_before"])


CLAIMS = (
    OverSeed("C85", "The recursion of deltas gives the gradient of every weight.", "003, recursion",
        lanes=({}, LONGER),
        parts=(Part("its five gradients differ from autograd's by {:.1e} at most", off_autograd, below=ROUNDING),)),
    OverSeed("C86", "The recurrent gradient is the double sum over losses t and earlier steps k.", "001, 2.1.2, eq. 6",
        lanes=(LONGER,),
        parts=(
            Part("with the direct derivative of each loss the sum is off by {:.1e} of the gradient", off_with_direct,
                below=ROUNDING),
            Part("with the total derivative, as eq. 16 uses the symbol, by {:.0%} of it", off_with_total, below=0.01),
        )),
    OverSeed("C87", "Clipping shortens a gradient to the norm C and keeps its direction.", "003, clipping",
        lanes=("fix-it-clip",),
        parts=(
            Part("the norm afterwards is {:.6f}, with C = 1", clipped_norm, below=1 + ROUNDING),
            Part("1 − cosine to the gradient before is {:.1e}", turned, below=ROUNDING),
        )),
    OverSeed("C88", "Clipping the gradient keeps a step from making things worse.", "003, clipping",
        lanes=("break-it-exploding", "fix-it-clip"), cases=tuple(range(10)),
        parts=(
            Part("without clipping one step makes the loss worse in {:.0%} of the networks", made_worse, above=0.5,
                scale="share", lanes=(1,)),
            Part("clipped to 1 it does in {:.0%}", made_worse, below=0.5, scale="share", lanes=(2,)),
        )),
)  # fmt: skip
