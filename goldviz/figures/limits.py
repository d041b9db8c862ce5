"""Axis and colour limits, so that runs side by side can share them.

A limit is a pair in the units of its axis: log10 for magnitudes, plain numbers otherwise. Which quantities a
laboratory's figures have limits for follows from their marks and from how its variables are read; see
:mod:`goldviz.figures.chart`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.reading import positive

Limits = Mapping[str, tuple[float, float]]
Values = NDArray[Any]
Reading = Callable[[Run], Values]


def padded(low: float, high: float) -> tuple[float, float]:
    """Linear limits with a little room at both ends."""
    pad = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return (low - pad, high + pad)


def decades(low: float, high: float) -> tuple[float, float]:
    """Log10 limits with room: whole decades from a span of two on, tenths of a decade below."""
    bottom, top = float(np.floor(low * 10 - 1) / 10), float(np.ceil(high * 10 + 1) / 10)
    return (float(np.floor(bottom)), float(np.ceil(top))) if high - low >= 2 else (bottom, top)


def exact(low: float, high: float) -> tuple[float, float]:
    """The ends as they are, and at least one unit apart."""
    return (low, high) if high > low else (low, low + 1.0)


@dataclass(frozen=True)
class Quantity:
    """Something that has limits: its values in a dataset, and what becomes of the lowest and the highest."""

    read: Reading
    rounded: Callable[[float, float], tuple[float, float]] = exact


Quantities = Mapping[str, Quantity]

SHARES = Quantity(lambda ds: np.array([0.0, 1.0]), padded)
"""Shares of a whole, from none to all."""


def limit(quantity: Quantity, datasets: Iterable[Run]) -> tuple[float, float]:
    """The limits of one quantity over several datasets; (0, 1) where there is nothing to show."""
    values = np.concatenate([np.array([]), *(quantity.read(ds) for ds in datasets)])
    values = values[np.isfinite(values)]
    return quantity.rounded(float(values.min()), float(values.max())) if values.size else (0.0, 1.0)


def shared_limits(quantities: Quantities, datasets: Iterable[Run]) -> dict[str, tuple[float, float]]:
    """Common limits of every quantity over several runs, to be given to each of their figures."""
    runs = list(datasets)
    return {name: limit(quantity, runs) for name, quantity in quantities.items()}


def limit_of(quantities: Quantities, name: str, ds: Run, limits: Limits | None) -> tuple[float, float]:
    """The limits that were given, else the run's own."""
    return limits[name] if limits is not None and name in limits else limit(quantities[name], [ds])


def log10(array: Array) -> Array:
    """The decimal logarithm, NaN where there is none (zero, negative, not finite)."""
    values = positive(array.astype(np.float64))
    return values.copy(data=np.log10(values.values))


def values_of(*names: str) -> Reading:
    """The values of several variables, of those that were recorded."""
    return lambda ds: np.concatenate([np.array([]), *(ds[name].values.ravel() for name in names if name in ds)])


def log_of(*names: str) -> Reading:
    """The decimal logarithms of several variables."""
    return lambda ds: np.concatenate([np.array([]), *(log10(ds[name]).values.ravel() for name in names if name in ds)])


def with_zero(*names: str) -> Reading:
    """The values of several variables, and zero."""
    return lambda ds: np.append(values_of(*names)(ds), 0.0)


def ends_of(*names: str) -> Reading:
    """Half a step beyond the first and last values of coordinates; names have no ends."""

    def ends(ds: Run) -> Values:
        arrays = [ds[name] for name in names if name in ds.coords and ds.sizes[name]]
        arrays = [one for one in arrays if one.values.dtype.kind in "fiu"]
        return np.array([end for one in arrays for end in (float(one.min()) - 0.5, float(one.max()) + 0.5)])

    return ends


def are_names(places: Values) -> bool:
    """Whether the places along a dimension have names in place of numbers."""
    return places.dtype.kind in "OUT"


@dataclass(frozen=True)
class LayerAxis(Quantity):
    """The axis along which layers, or places of a sequence, stand: names in one run, numbers in another."""

    @classmethod
    def of(cls, dim: str) -> LayerAxis:
        """Half a place beyond the first and the last of a dimension."""
        numbers = ends_of(dim)

        def ends(ds: Run) -> Values:
            names = bool(ds.sizes.get(dim)) and dim in ds.coords and are_names(ds[dim].values)
            return np.array([-0.5, ds.sizes[dim] - 0.5]) if names else numbers(ds)

        return cls(ends)


def places(*dims: str) -> dict[str, Quantity]:
    """The axes of coordinates, each from end to end."""
    return {dim: Quantity(ends_of(dim)) for dim in dims}


def magnitudes(*names: str) -> dict[str, Quantity]:
    """The logarithmic axes of variables, each over its decades."""
    return {name: Quantity(log_of(name), decades) for name in names}


def occupied_bins(name: str, bins: str, *, start: int) -> Reading:
    """Indices of the bins from ``start`` on that any entry of the run falls into."""

    def occupied(ds: Run) -> Values:
        if name not in ds or ds[name].size == 0:
            return np.array([])
        shares = ds[name].max([dim for dim in ds[name].dims if dim != bins]).values
        indices = start + np.flatnonzero(shares[start:] > 0)
        return indices if indices.size else np.array([start])

    return occupied
