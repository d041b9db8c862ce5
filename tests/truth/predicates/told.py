"""What a card's sentence is judged by: the recorded arrays of the network that it names, seed by seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

LOOKS = ("look", "close_look", "epoch", "step")
HALF_OF_THE_SEEDS = 0.5


@dataclass(frozen=True)
class Told:
    """One network of a run, which a card says something of; no network where the run has one alone."""

    run: xr.Dataset
    settings: Any
    network: str
    kinds: Mapping[str, str]

    def of(self, name: str) -> xr.DataArray:
        """What was recorded of the network, in double precision."""
        values = self.run[name].astype(np.float64)
        return values.sel(network=self.network) if "network" in values.dims else values

    def kind(self, kind: str) -> xr.DataArray:
        """The variable of a kind."""
        return self.of(self.kinds[kind])

    def last(self, name: str, **where: Any) -> xr.DataArray:
        """The same at the last look, epoch or step."""
        values = self.of(name)
        return values.isel({next(dim for dim in LOOKS if dim in values.dims): -1}).sel(where)


Predicate = Callable[[Told], Any]
"""Of which seeds a sentence is true."""


def finite(values: xr.DataArray) -> xr.DataArray:
    return values.where(np.isfinite(values))


def by_seed(values: xr.DataArray) -> xr.DataArray:
    """Means of what is finite over everything but the seeds."""
    return finite(values).mean([dim for dim in values.dims if dim != "seed"])


def typical(ratios: xr.DataArray) -> xr.DataArray:
    """The median over layers and steps of what moved."""
    moved = ratios.where(np.isfinite(ratios) & (ratios > 0))
    return moved.median([dim for dim in ratios.dims if dim != "seed"])


def quarters(losses: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """The mean losses of the first and of the last quarter of the steps."""
    dim = next(dim for dim in ("step", "epoch") if dim in losses.dims)
    quarter = losses.sizes[dim] // 4
    return losses[{dim: slice(0, quarter)}].mean(dim), losses[{dim: slice(-quarter, None)}].mean(dim)


def rose(losses: xr.DataArray) -> xr.DataArray:
    first, last = quarters(losses)
    return last > 1.1 * first


def between(values: Any, low: float, high: float) -> Any:
    return (values >= low) & (values <= high)


def last_quarter(values: xr.DataArray, dim: str) -> xr.DataArray:
    return values[{dim: slice(-max(1, values.sizes[dim] // 4), None)}].mean(dim, skipna=False)


def most(verdicts: Any) -> bool:
    """Whether more than half of the seeds say so."""
    return bool(np.mean(np.asarray(verdicts, dtype=bool)) > HALF_OF_THE_SEEDS)
