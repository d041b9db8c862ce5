"""One network's variables of a run, as plain arrays with the seed last, for the readings that rules conclude from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Self, overload

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.attribute_docstrings import attribute_docstrings
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings.finding import Floats, Verdicts
from goldviz.diagnostics.measure import Measure


def networks(dataset: Run) -> list[str]:
    """Names of a run's networks; none before anything was recorded."""
    return [str(name) for name in dataset["network"].values] if "network" in dataset.coords else []


def last_look(dataset: Run) -> int:
    """The step at which a run was looked at last."""
    return int(dataset["look"].values[-1])


class Recorded:
    """What a dataset holds of one network; variables may be missing or empty, as in a run that has just begun."""

    def __init__(self, dataset: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> None:
        self.dataset = dataset
        self.network = network
        self.settings = settings
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
        values, names = variable.values, list(variable.dims)
        # By numpy: xarray's own selecting and turning takes ten times as long, and a page reads thirty such arrays.
        if "network" in names:
            values = values.take(self._place, axis=names.index("network"))
            names.remove("network")
        axes = [names.index(dim) for dim in dims]
        axes += [axis for axis in range(len(names)) if axis not in axes]
        values = np.asarray(values.transpose(axes), dtype=np.float64)
        return values if "seed" in names else np.repeat(values[..., None], self.nothing.size, axis=-1)

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


class Derived:
    """A number that ``by`` computes of a reading's others whenever it is asked for; NaN of what has none.

    ::

        gap = Derived(lambda n: n.dev - n.train)
        '''How far the dev loss is above that on training text.'''
    """

    def __init__(self, by: Callable[[Any], Floats]) -> None:
        self.by = by

    @overload
    def __get__(self, reading: None, owner: type) -> Self: ...

    @overload
    def __get__(self, reading: object, owner: type) -> Floats: ...

    def __get__(self, reading: object | None, owner: type) -> Self | Floats:
        if reading is None:
            return self
        with np.errstate(invalid="ignore"):
            return self.by(reading)


@dataclass(frozen=True)
class NetworkReading:
    """What was recorded of one network, for each seed; each field says how it is read off the records.

    ::

        loss: Floats = at_last("test_loss", "look")
        '''The test loss at the last look.'''
        clipped: Floats = measured("clipped", "step", by=share_of_steps)
        '''The share of clipped steps.'''

    Fields with a docstring, :class:`Derived` numbers and properties are measures: :meth:`measures`.
    """

    name: str
    labels: ClassVar[Mapping[str, str]] = {}
    clause: ClassVar[Mapping[str, str]] = {}
    """What networks are called in a sentence whose label there says little: "Transformer with layer norm"."""
    units: ClassVar[Mapping[str, str]] = {}
    """Of measures that are no shares, ratios or counts, by name."""
    declared: ClassVar[Any] = None
    """The laboratory's settings, where a field reads some; ``kinds`` are those of its variables then."""
    kinds: ClassVar[ByKind] = ByKind()
    """The laboratory's variables by their kind, for fields that :func:`of_kind` reads."""

    @classmethod
    def of(cls, ds: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> Self:
        """Read one network off a run's dataset; variables may be missing or empty. ``kinds`` are the class's if not
        told."""
        run = cls._recorded(ds, network, settings, kinds)
        values = {one.name: one.metadata["read"](run) for one in fields(cls) if one.metadata}
        return cls(name=cls.labels.get(network, network), **values)

    @classmethod
    def _recorded(cls, ds: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> Recorded:
        if settings is None and cls.declared is not None and "settings" in ds.attrs:
            settings = cls.declared.from_store(int(ds.attrs["settings_version"]), ds.attrs["settings"])
        own = cls.kinds if cls.declared is None else cls.declared.variables_by_kind
        return Recorded(ds, network, settings, own if kinds is None else kinds)

    @classmethod
    def measures(cls) -> dict[str, Measure]:
        """Every number of every network by name, such as ``"lstm.worth"``."""
        return {f"{network}.{name}": cls.measure(network, name) for network in cls.labels for name in cls.words()}

    @classmethod
    def words(cls) -> dict[str, str]:
        """The docstring of each field that has one, and of each property, by name."""
        docstrings = attribute_docstrings(cls, NetworkReading)
        of_fields = {one.name: docstrings.get(one.name, "") for one in fields(cls)}
        members = {name: one for base in cls.__mro__ for name, one in vars(base).items()}
        of_others = {
            name: docstrings.get(name) if isinstance(one, Derived) else getattr(cls, name).__doc__
            for name, one in members.items()
            if isinstance(one, Derived | property)
        }
        return {name: " ".join(words.split()) for name, words in {**of_fields, **of_others}.items() if words}

    @classmethod
    def measure(cls, network: str, name: str, unit: str = "") -> Measure:
        """The number ``name`` of one network, for claims and stories; 1 (yes) or 0 (no) of a verdict."""
        of_field = next((one.metadata for one in fields(cls) if one.name == name), None)

        def read(run: Run) -> float:
            if network not in networks(run):
                raise KeyError(f"The run has no network {network}; it has {', '.join(networks(run))}.")
            number = of_field["read"](cls._recorded(run, network)) if of_field else getattr(cls.of(run, network), name)
            return np.asarray(number, dtype=np.float64).item()

        words = f"{cls.labels.get(network, network)}: {cls.words().get(name, name.replace('_', ' ') + '.')}"
        return Measure(f"{network}.{name}", words, unit or cls.units.get(name, ""), read)


def read(by: Callable[[Any], Any]) -> Any:
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
