"""One network's variables of a run, as plain arrays with the seed last, for the readings that rules conclude from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings.finding import Floats, Verdicts
from goldviz.diagnostics.measure import Measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


def networks(dataset: Run) -> list[str]:
    """Names of a run's networks; none before anything was recorded."""
    return [str(name) for name in dataset["network"].values] if "network" in dataset.coords else []


def _as_recorded(dataset: Run) -> SimpleNamespace:
    """A run's settings by name, as they were recorded with it."""
    return SimpleNamespace(**json.loads(dataset.attrs.get("settings", "{}")))


def last_look(dataset: Run) -> int:
    """The step at which a run was looked at last."""
    return int(dataset["look"].values[-1])


class Recorded:
    """What a dataset holds of one network; variables may be missing or empty, as in a run that has just begun."""

    def __init__(self, dataset: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> None:
        self.dataset = dataset
        self.network = network
        self.settings = settings or _as_recorded(dataset)
        self.kinds = kinds if kinds is not None else ByKind()
        self.nothing: Floats = np.full(max(dataset.sizes.get("seed", 1), 1), np.nan)

    @cached_property
    def _place(self) -> int:
        return networks(self.dataset).index(self.network)

    def values(self, name: str, *dims: str) -> Floats | None:
        """The variable with ``dims`` and then the seed as its axes; None where nothing was recorded.

        What all seeds share is repeated for each.
        """
        variable = self.dataset.get(name)
        if variable is None or variable.size == 0:
            return None
        values, known = variable.values, list(variable.dims)
        # By numpy: xarray's own selecting and turning takes ten times as long, and a page reads thirty such arrays.
        if "network" in known:
            values = values.take(self._place, axis=known.index("network"))
            known.remove("network")
        axes = [known.index(dim) for dim in dims]
        axes += [axis for axis in range(len(known)) if axis not in axes]
        values = np.asarray(values.transpose(axes), dtype=np.float64)
        return values if "seed" in known else np.repeat(values[..., None], self.nothing.size, axis=-1)

    def of_kind(self, kind: str) -> Floats | None:
        """The variable of a kind: (step, layer, seed), (step, seed) or (seed,); None where nothing was recorded."""
        if kind not in self.kinds:
            return None
        name = self.kinds[kind]
        return self.values(name, *(dim for dim in self.kinds.dims[name] if dim not in ("network", "seed")))

    def measure(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """What ``by`` makes of the variable, one value for each seed; NaN where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values), dtype=np.float64) if values is not None else self.nothing

    def last(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """The same of the last entry along the first axis: the last look, the last epoch."""
        return self.measure(name, *dims, by=lambda values: by(values[-1]))

    def verdict(self, name: str, *dims: str, by: Callable[[Floats], Verdicts]) -> Verdicts:
        """A verdict for each seed; none where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values)) if values is not None else np.zeros(self.nothing.shape, dtype=bool)


@dataclass(frozen=True)
class NetworkReading:
    """What was recorded of one network, for each seed; each field says how it is read off the records.

    ::

        loss: Floats = at_last("test_loss", "look")
        clipped: Floats = measured("clipped", "step", by=lambda clipped: clipped.mean(axis=0))
    """

    name: str
    labels: ClassVar[Mapping[str, str]] = {}
    kinds: ClassVar[ByKind] = ByKind()
    """The laboratory's variables by their kind, for fields that :func:`of_kind` reads."""

    @classmethod
    def of(cls, ds: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> Self:
        """Read one network off a run's dataset; variables may be missing or empty. ``kinds`` are the class's if not
        told."""
        recorded = Recorded(ds, network, settings, cls.kinds if kinds is None else kinds)
        found = {one.name: one.metadata["read"](recorded) for one in fields(cls) if one.metadata}
        return cls(name=cls.labels.get(network, network), **found)

    @classmethod
    def measure(cls, network: str, name: str, unit: str = "") -> Measure:
        """The number ``name`` of one network, for claims and stories; 1 (yes) or 0 (no) of a verdict."""

        fields_read = {one.name: one.metadata["read"] for one in fields(cls) if one.metadata}

        def read(run: Run) -> float:
            alone = fields_read.get(name)
            recorded = Recorded(run, network, kinds=cls.kinds)
            number = getattr(cls.of(run, network), name) if alone is None else alone(recorded)
            return np.asarray(number, dtype=np.float64).item()

        words = f"The {cls.labels.get(network, network)}'s {name.replace('_', ' ')}."
        return Measure(f"{network}.{name}", words, unit, read)


def read(by: Callable[[Recorded], Any]) -> Any:
    """A field of a reading: what ``by`` makes of the network's records."""
    return field(metadata={"read": by})


def measured(name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray, only: str = "") -> Any:
    """A field that :meth:`Recorded.measure` reads; NaN for other networks than ``only``."""
    return read(lambda one: one.measure(name, *dims, by=by) if only in ("", one.network) else one.nothing)


def at_last(name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray, only: str = "") -> Any:
    """The same of the last entry along the first axis: the last look, the last epoch."""
    return measured(name, *dims, by=lambda values: by(values[-1]), only=only)


def of_kind(kind: str, by: Callable[[Floats], Any] = np.asarray) -> Any:
    """A field of the variable of a kind, as :meth:`Recorded.of_kind` gives it; NaN where there is none."""

    def measured_by_kind(one: Recorded) -> Floats:
        values = one.of_kind(kind)
        return one.nothing if values is None else np.asarray(by(values), dtype=np.float64)

    return read(measured_by_kind)


def judged_of_kind(kind: str, by: Callable[[Floats], Verdicts]) -> Any:
    """A verdict on the variable of a kind for each seed; none where nothing was recorded."""

    def judged_by_kind(one: Recorded) -> Verdicts:
        values = one.of_kind(kind)
        return np.zeros(one.nothing.shape, dtype=bool) if values is None else np.asarray(by(values))

    return read(judged_by_kind)


def judged(name: str, *dims: str, by: Callable[[Floats], Verdicts]) -> Any:
    """A field that :meth:`Recorded.verdict` reads."""
    return read(lambda one: one.verdict(name, *dims, by=by))
