"""A run as a figure has it, and what a sentence under its title has to print."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from tests.truth.predicates.told import LOOKS, Told, finite

GROWING = (*LOOKS, "code_look", "histogram_epoch")


@dataclass(frozen=True)
class View:
    """A run as a figure has it: up to the step in view, and whole."""

    run: xr.Dataset
    settings: Any
    kinds: Mapping[str, str]
    step: int
    figure: str

    def until(self) -> "View":
        """The same without what was recorded after the step in view."""
        run = self.run
        for dim in GROWING:
            if dim in run.dims:
                run = run.isel({dim: slice(0, max(1, int((run[dim].values <= self.step).sum())))})
        return replace(self, run=run)

    def of(self, name: str) -> xr.DataArray:
        return self.run[name].astype(np.float64)

    def last(self, name: str) -> xr.DataArray:
        values = self.until().of(name)
        return values.isel({next(dim for dim in GROWING if dim in values.dims): -1})

    def kind(self, kind: str) -> str:
        return self.kinds[kind]

    @property
    def told(self) -> Told:
        """The run as cards' predicates read it."""
        return Told(self.until().run, self.settings, "", self.kinds)


class Note(NamedTuple):
    """The words of a sentence, and the numbers in it."""

    words: str
    numbers: Callable[[View, list[float]], Any]
    ends: bool = False


def middle(values):
    """The median of the finite seeds."""
    return finite(values).median("seed") if "seed" in values.dims else finite(values)


def positive(values):
    return values.where(np.isfinite(values) & (values > 0))


def by_network(values):
    return values.transpose("network", ...).values.ravel().tolist()


def each(words, value):
    return Note(words, lambda view, said: by_network(value(view)), ends=True)


def whole(words, *values):
    return Note(words, lambda view, said: [value(view) for value in values])


def step_of(view, *dims):
    """The last recorded step in view."""
    steps = view.until().run
    return int(steps[next(dim for dim in dims or GROWING if dim in steps.dims)].values[-1])
