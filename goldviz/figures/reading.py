"""What figures read off a dataset: the recorded epoch nearest to the scrubber, seeds as a band, gaps, marks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray

GROWING = ("look", "close_look", "epoch", "step", "histogram_epoch")
"""The dimensions along which recorded variables grow."""

OVER = ("finished", "stopped", "diverged", "failed", "interrupted")
"""States of a run in which nothing more will be recorded by itself."""

MOST_COLUMNS = 400
"""Steps drawn at most in one figure; longer runs are thinned, and the figure says so."""

MOST_CELLS = 16_000
"""Cells of a heat map's panel at most; more would not be told apart, and each costs the browser."""


def absence(ds: Run, *names: str) -> str:
    """Why these variables cannot be drawn, as one sentence; empty if they all can."""
    for name in names:
        if not begun(ds) and (name not in ds or not ds[name].size):
            return f"Waiting for {ds.attrs.get('step_dimension', growing_dim(ds))} 1."
        if name not in ds:
            return f"This run did not record {name}."
        if name in ds.coords:
            continue
        array = ds[name]
        words = str(array.attrs.get("long_name", name))
        if array.size == 0:
            return f"{words}: nothing measured yet."
        if not np.isfinite(array.values).any():
            return f"{words}: no recorded value is a finite number."
    return ""


def begun(ds: Run) -> bool:
    """Whether the run has recorded anything, or never will."""
    return bool(ds.sizes.get(growing_dim(ds))) or ds.attrs.get("status") in OVER


def growing(values: Array) -> str | None:
    """The dimension along which these values grow, if they do."""
    return next((str(dim) for dim in values.dims if dim in GROWING), None)


def depth_of(ds: Run) -> int:
    """The number of hidden layers after the input layer."""
    return int(ds["hidden"].max()) if ds.sizes.get("hidden") else int(ds["layer"].max())


def recorded(ds: Run, epoch: int | None, dim: str = "epoch") -> int:
    """The last epoch or step along ``dim`` that is not after ``epoch`` (None: the last one); else the first of all."""
    epochs = ds[dim].values
    if epoch is None:
        return int(epochs[-1])
    before = epochs[epochs <= epoch]
    return int(before[-1] if before.size else epochs[0])


def thinned(count: int, most: int = MOST_COLUMNS, noun: str = "epoch") -> tuple[NDArray[np.intp], str]:
    """Indices of the steps to draw, the last one always among them, and a sentence if some are left out.

    >>> thinned(7, most=4)
    (array([0, 2, 4, 6]), 'Every 2nd epoch.')
    """
    stride = max(1, -(-count // most))
    words = f"Every {_ordinal(stride)} {noun}." if stride > 1 else ""
    return np.arange((count - 1) % stride, count, stride), words


def _ordinal(number: int) -> str:
    return f"{number}{ {2: 'nd', 3: 'rd'}.get(number, 'th') }"


def averaged(array: Array, dim: str, most: int = MOST_COLUMNS) -> tuple[Array, str]:
    """Means over windows of equal length along ``dim``, at most ``most``, and a sentence if a window is not one step.

    A window stands at its last step; the steps that fill no window are the first ones. Values that are not finite are
    left out, and a window of nothing else is NaN.

    >>> import xarray as xr
    >>> averaged(xr.DataArray([1.0, 2.0, 4.0], {"step": [1, 2, 3]}, "step"), "step", most=2)[0].values
    array([3.])
    """
    width = max(1, -(-array.sizes[dim] // most))
    if width == 1:
        return finite(array), ""
    return LightArray.of(finite(array)).windows(dim, width), f"Means of {width} {dim}s."


def growing_dim(ds: Run) -> str:
    """The dimension that a run grows along: 'epoch' or 'step'."""
    return "epoch" if "epoch" in ds.dims else "step"


def finite(array: Array) -> Array:
    """The array with NaN in place of infinities."""
    # Without xarray's own `where`: it aligns the array with itself first, which takes most of a drawing's time here.
    return array.copy(data=np.where(np.isfinite(array.values), array.values, np.nan))


def positive(array: Array) -> Array:
    """The array with NaN wherever a log axis has no place for it."""
    return array.copy(data=np.where(np.isfinite(array.values) & (array.values > 0), array.values, np.nan))


def first_below_highest(norms: Array, dim: str) -> Array:
    """How many times the first norm along ``dim`` the largest is, medians of the seeds; NaN where one has none."""
    middle = norms.median("seed").astype(np.float64)
    first, highest = middle.isel({dim: 0}, drop=True), middle.max(dim)
    return highest / first.where((first > 0) & np.isfinite(highest))


def seeds_in_words(ds: Run, *, band: bool = True) -> str:
    """How several seeds are drawn, in words; empty for one seed."""
    count = ds.sizes.get("seed", 1)
    if count == 1:
        return ""
    return f"Median of {count} seeds" + ("; band: lowest to highest." if band else ".")


def sentences(*parts: str) -> str:
    """The parts that are not empty, as one line."""
    return " ".join(part for part in parts if part)


def run_label(ds: Run) -> str:
    """The user's title of the run, shortened; not escaped."""
    title = " ".join(str(ds.attrs.get("title", "")).split())
    return title if len(title) <= 54 else title[:53].rstrip() + "…"


def marks(ds: Run) -> list[tuple[int, str]]:
    """Changes made while the run went on: the epoch or step of each, and its words (not escaped)."""
    return [(int(mark["step"]), str(mark["text"])) for mark in json.loads(ds.attrs.get("marks", "[]"))]


def networks(ds: Run) -> list[str]:
    """Names of the networks in the dataset, in order."""
    return [str(name) for name in ds["network"].values]


def single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Values in single precision: half the bytes on the way to the browser."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def setting_of(ds: Run, name: str) -> Any:
    """What the run's settings say, from its attributes; None where they do not say."""
    return json.loads(ds.attrs.get("settings") or "{}").get(name)
