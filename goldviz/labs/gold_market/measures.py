"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    import xarray as xr


@measure()
def whole_rows(run: xr.Dataset) -> float:
    """The share of forecasts at which every covariate has something new."""
    return float(run.attrs["complete"])


@measure()
def too_early(run: xr.Dataset) -> float:
    """The share of the covariates' values that are used before they were out."""
    covariates = run.isel(channel=slice(1, None))
    return float(covariates["too_early"].sum() / covariates["placed"].sum())
