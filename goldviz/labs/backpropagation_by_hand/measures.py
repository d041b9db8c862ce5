"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    import xarray as xr


@measure()
def off_autograd(*runs: xr.Dataset) -> float:
    """The largest difference of the recursion's five gradients to autograd's."""
    return max(float(off) for run in runs for off in run.attrs["difference"].values())


@measure()
def off_with_direct(run: xr.Dataset) -> float:
    """How far eq. 6 is from autograd with the direct derivative of each loss, as a share of the gradient."""
    return float(run.attrs["off_with_direct"])


@measure()
def off_with_total(run: xr.Dataset) -> float:
    """How far eq. 6 is from autograd with the total derivative of each loss, as a share of the gradient."""
    return float(run.attrs["off_with_total"])


@measure()
def turned(run: xr.Dataset) -> float:
    """1 - cosine between the gradient before and after clipping."""
    return 1.0 - float(run.attrs["cosine"])


@measure()
def clipped_norm(run: xr.Dataset) -> float:
    """The gradient's norm after clipping."""
    return float(run.attrs["norm_after"])


@measure()
def made_worse(run: xr.Dataset) -> float:
    """1 where the loss is higher after one step."""
    return float(run.attrs["loss_after"] > run.attrs["loss_before"])
