"""Axis and colour limits, so that runs side by side can share them.

A limit is a pair in the units of its axis: log10 for magnitudes, plain numbers otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures.reading import depth_of, finite, positive

Limits = Mapping[str, tuple[float, float]]
Values = NDArray[Any]


def log10(array: xr.DataArray) -> xr.DataArray:
    """The decimal logarithm, NaN where there is none (zero, negative, not finite)."""
    return xr.apply_ufunc(np.log10, positive(array.astype(np.float64)), keep_attrs=True)  # type: ignore[no-any-return]


def gradient_factor(ds: xr.Dataset) -> xr.DataArray:
    """Measured factor ||dL/dh_(l-1)|| / ||dL/dh_l|| of each block l (document 001, eq. 45), from the hidden states.

    Dimensions of ``hidden_gradient_norm`` with ``block`` (1 to depth) in place of ``hidden``; NaN where a norm
    is zero or not finite.
    """
    norms = positive(ds["hidden_gradient_norm"].astype(np.float64))
    below = norms.isel(hidden=slice(0, -1)).rename(hidden="block")
    above = norms.isel(hidden=slice(1, None)).rename(hidden="block")
    return below.assign_coords(block=above["block"]) / above


def decay_between_hidden(ds: xr.Dataset) -> xr.DataArray:
    """The decay rates between hidden layers: the input matrix and the read-out have another shape and stay out.

    The input matrix of a tied read-out even gets the gradients of both of its uses.
    """
    return ds["decay_rate"].sel(layer=slice(1, depth_of(ds) - 1))


def _of_factor(ds: xr.Dataset) -> Values:
    parts = [gradient_factor(ds)] if "hidden_gradient_norm" in ds else []
    parts += [ds["jacobian_gain"]] if "jacobian_gain" in ds else []
    return np.concatenate([np.array([0.0]), *(log10(part).values.ravel() for part in parts)])


def _of_spread(ds: xr.Dataset) -> Values:
    if "activation_mean" not in ds or "activation_std" not in ds:
        return np.array([])
    mean, spread = finite(ds["activation_mean"]).values, finite(ds["activation_std"]).values
    return np.concatenate([(mean - spread).ravel(), (mean + spread).ravel()])


def _of_loss(ds: xr.Dataset) -> Values:
    names = [name for name in ("loss", "test_loss", "zero_loss") if name in ds]
    return np.concatenate([np.array([]), *(ds[name].values.ravel() for name in names)])


def _log_of(name: str) -> Callable[[xr.Dataset], Values]:
    return lambda ds: log10(ds[name]).values.ravel() if name in ds else np.array([])


def _with_zero(name: str) -> Callable[[xr.Dataset], Values]:
    return lambda ds: np.append(ds[name].values.ravel() if name in ds else np.array([]), 0.0)


def _ends(name: str) -> Callable[[xr.Dataset], Values]:
    """Half a step beyond the first and last value of a coordinate."""

    def ends(ds: xr.Dataset) -> Values:
        if name not in ds.coords or ds.sizes[name] == 0:
            return np.array([])
        return np.array([float(ds[name].min()) - 0.5, float(ds[name].max()) + 0.5])

    return ends


def _occupied(name: str, bins: str, *, start: int) -> Callable[[xr.Dataset], Values]:
    """Indices of the bins from ``start`` on that any entry of the run falls into."""

    def occupied(ds: xr.Dataset) -> Values:
        if name not in ds or ds[name].size == 0:
            return np.array([])
        shares = ds[name].max([dim for dim in ds[name].dims if dim != bins]).values
        found = start + np.flatnonzero(shares[start:] > 0)
        return found if found.size else np.array([start])

    return occupied


LOGARITHMIC: dict[str, Callable[[xr.Dataset], Values]] = {
    "gradient_norm": _log_of("gradient_norm"),
    "update_to_data": lambda ds: np.append(_log_of("update_to_data")(ds), -3.0),
    "gradient_factor": _of_factor,
}
LINEAR: dict[str, Callable[[xr.Dataset], Values]] = {
    "decay_rate": lambda ds: np.append(decay_between_hidden(ds).values.ravel() if "decay_rate" in ds else [], 0.0),
    "activation_mean": _of_spread,
}
EXACT: dict[str, Callable[[xr.Dataset], Values]] = {
    "loss": _of_loss,
    "activation_histogram": _with_zero("activation_histogram"),
    "gradient_histogram": _with_zero("gradient_histogram"),
    "weight_gradient_histogram": _with_zero("weight_gradient_histogram"),
    "activation_histogram_bins": _occupied("activation_histogram", "value_bin", start=0),
    "gradient_histogram_bins": _occupied("gradient_histogram", "magnitude_bin", start=1),
    "weight_gradient_histogram_bins": _occupied("weight_gradient_histogram", "magnitude_bin", start=1),
    "epoch": _ends("epoch"),
    "layer": _ends("layer"),
    "hidden": _ends("hidden"),
    "block": _ends("block"),
}


def limit(name: str, datasets: Iterable[xr.Dataset]) -> tuple[float, float]:
    """The limits of one quantity over several datasets; (0, 1) where there is nothing to show.

    Log limits are whole decades once they span two of them, so that they seldom move while a run goes on.
    """
    read = LOGARITHMIC.get(name) or LINEAR.get(name) or EXACT[name]
    values = np.concatenate([np.array([]), *(read(ds) for ds in datasets)])
    values = values[np.isfinite(values)]
    if values.size == 0:
        return (0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if name in LOGARITHMIC:
        return decades(low, high)
    if name in LINEAR:
        return padded(low, high)
    return (low, high) if high > low else (low, low + 1.0)


def padded(low: float, high: float) -> tuple[float, float]:
    """Linear limits with a little room at both ends."""
    pad = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return (low - pad, high + pad)


def decades(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room: whole decades from a span of two on, tenths of a decade below."""
    bottom, top = float(np.floor(low * 10 - 1) / 10), float(np.ceil(high * 10 + 1) / 10)
    return (float(np.floor(bottom)), float(np.ceil(top))) if high - low >= 2 else (bottom, top)


def shared_limits(datasets: Iterable[xr.Dataset]) -> dict[str, tuple[float, float]]:
    """Common limits of every quantity over several runs, to be given to each of their figures."""
    runs = list(datasets)
    return {name: limit(name, runs) for name in (*LOGARITHMIC, *LINEAR, *EXACT)}


def limit_of(name: str, ds: xr.Dataset, limits: Limits | None) -> tuple[float, float]:
    """The limits that were given, else the run's own."""
    return limits[name] if limits is not None and name in limits else limit(name, [ds])
