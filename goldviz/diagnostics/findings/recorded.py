"""One network's variables of a run, as plain arrays with the seed last, for the readings that rules conclude from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.diagnostics.findings.finding import Floats, Verdicts

if TYPE_CHECKING:
    import xarray as xr


def networks(dataset: xr.Dataset) -> list[str]:
    """Names of a run's networks; none before anything was recorded."""
    return [str(name) for name in dataset["network"].values] if "network" in dataset.coords else []


class Recorded:
    """What a dataset holds of one network; variables may be missing or empty, as in a run that has just begun."""

    def __init__(self, dataset: xr.Dataset, network: str) -> None:
        self.dataset = dataset
        self.network = network
        self.nothing: Floats = np.full(max(dataset.sizes.get("seed", 1), 1), np.nan)

    def values(self, name: str, *dims: str) -> Floats | None:
        """The variable with ``dims`` and then the seed as its axes; None where nothing was recorded.

        What all seeds share is repeated for each.
        """
        if name not in self.dataset or self.dataset[name].size == 0:
            return None
        array = self.dataset[name]
        array = array.sel(network=self.network) if "network" in array.dims else array
        values = np.asarray(array.transpose(*dims, ...).values, dtype=np.float64)
        return values if "seed" in array.dims else np.repeat(values[..., None], self.nothing.size, axis=-1)

    def measure(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """What ``by`` makes of the variable, one value for each seed; NaN where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values), dtype=np.float64) if values is not None else self.nothing

    def last(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """The same of the last entry along the first axis: the last look, the last epoch."""
        return self.measure(name, *dims, by=lambda values: by(values[-1]))

    def at_last_look(self, **variables: str) -> dict[str, Any]:
        """What these variables are at the last look, by the names that a reading has for them."""
        return {name: self.last(variable, "look") for name, variable in variables.items()}

    def verdict(self, name: str, *dims: str, by: Callable[[Floats], Verdicts]) -> Verdicts:
        """A verdict for each seed; none where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values)) if values is not None else np.zeros(self.nothing.shape, dtype=bool)
