"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    import xarray as xr


@measure()
def euler_order(run: xr.Dataset) -> float:
    """How fast residual steps approach the flow: minus the slope of log error over log blocks."""
    return -float(run["slope"].sel(solver="euler"))


@measure()
def midpoint_order(run: xr.Dataset) -> float:
    """How fast midpoint steps approach the flow: minus the slope of log error over log blocks."""
    return -float(run["slope"].sel(solver="midpoint"))


@measure()
def rk4_order(run: xr.Dataset) -> float:
    """How fast RK4 steps approach the flow: minus the slope of log error over log blocks."""
    return -float(run["slope"].sel(solver="rk4"))


@measure()
def answers_changed(run: xr.Dataset) -> float:
    """Share of points on the right side by the network's steps, less that by its exact flow."""
    return float(run.attrs["network_right"]) - float(run.attrs["flow_right"])
