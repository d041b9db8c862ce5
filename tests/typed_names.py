"""What the type checker must know of a page's numbers: what they can be asked, and that xarray's own can be asked it.

``make types`` reads this file and nothing runs it. What must stay an error is ignored by its kind: the day it is none,
the checker complains of an ignore that nothing needs.
"""

import xarray as xr

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray, LightDataset
from goldviz.figures.plot import Plot


def figure(plot: Plot) -> None:
    plot.at_step(plot.ds["loss"].max("seed"))
    plot.at_step(plot.ds["loss"].quantile(0.5))  # type: ignore[attr-defined]


def measure(run: Run) -> float:
    return float(run["loss"].isel(epoch=-1).mean())


def unknown_measure(run: Run) -> float:
    return float(run["loss"].isel(epoch=-1).interpolate_na())  # type: ignore[attr-defined]


def of_a_notebook(dataset: xr.Dataset, array: xr.DataArray) -> tuple[Run, Array]:
    return dataset, array


def of_a_page(dataset: LightDataset, array: LightArray) -> tuple[Run, Array]:
    return dataset, array
