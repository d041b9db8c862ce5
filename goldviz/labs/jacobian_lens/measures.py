"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    import xarray as xr


@measure("log10")
def left_at_the_end(run: xr.Dataset) -> float:
    """log10 of ||dh_T/dh_0||, the norm of the whole product."""
    return float(run["singular_value"][-1, 0])


@measure("log10")
def highest(run: xr.Dataset) -> float:
    """log10 of the largest ||dh_t/dh_0|| of all lags t."""
    return float(run["singular_value"][:, 0].max())


@measure("log10")
def over_the_bound(*runs: xr.Dataset) -> float:
    """The most by which log10 of a product's norm is above its bound, over all lags."""
    return max(float((run["singular_value"][1:, 0] - run["bound"][1:]).max()) for run in runs)


@measure()
def cell_path_kept(run: xr.Dataset) -> float:
    """The factor by which a step multiplies the cell path, from the root mean square over units."""
    return _factor(run, "cell_path")


@measure()
def state_kept(run: xr.Dataset) -> float:
    """The factor by which a step multiplies a change of the state, from the root mean square over directions."""
    return _factor(run, "norm")


def _factor(run: xr.Dataset, name: str) -> float:
    norms = run[name].values[:, 0]
    return float(10 ** ((norms[-1] - norms[0]) / (len(norms) - 1)))
