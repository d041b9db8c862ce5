"""One network's variables of a run, as plain arrays with the seed last, and the measures that rules conclude from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings.finding import Floats, Verdicts
from goldviz.diagnostics.measure import Measure, Measures, RunReading


def networks(dataset: Run) -> list[str]:
    """Names of a run's networks; none before anything was recorded."""
    return [str(name) for name in dataset["network"].values] if "network" in dataset.coords else []


def last_look(dataset: Run) -> int:
    """The step at which a run was looked at last."""
    return int(dataset["look"].values[-1])


class NetworkReading(RunReading):
    """What a dataset holds of one network; variables may be missing or empty, as in a run that has just begun.

    A laboratory's own has its measures, each with a value for each seed, NaN where nothing was recorded::

        loss = measure(at_last("test_loss", "look"))
        '''The test loss at the last look.'''
        clipped = measure(recorded("clipped", "step", by=share_of_steps))
        '''The share of clipped steps.'''
        gap = measure(lambda n: n.loss - n.train_loss)
        '''How far the test loss is above that on what is learned from.'''
    """

    labels: ClassVar[Mapping[str, str]] = {}
    clause: ClassVar[Mapping[str, str]] = {}
    """What networks are called in a sentence whose label there says little: "Transformer with layer norm"."""
    declared: ClassVar[Any] = None
    """The laboratory's settings, whose variables a reading looks up by their kinds."""

    def __init__(self, dataset: Run, network: str, settings: Any = None, kinds: ByKind | None = None) -> None:
        super().__init__(dataset)
        self.network = network
        self.name = self.labels.get(network, network)
        self.kinds = kinds or (self.declared.variables_by_kind if self.declared else ByKind())
        self.nothing: Floats = np.full(max(dataset.sizes.get("seed", 1), 1), np.nan)
        if settings is not None:
            self.settings = settings

    @classmethod
    def of(cls, run: Run, network: str = "", settings: Any = None, kinds: ByKind | None = None) -> Self:
        """Read one network off a run's dataset; ``settings`` and ``kinds`` are the run's own if not told."""
        return cls(run, network, settings, kinds)

    @classmethod
    def of_all(cls, settings: Any, run: Run) -> list[Self]:
        """Read every network off a run's dataset."""
        return [cls.of(run, network, settings) for network in networks(run)]

    @classmethod
    def by_name(cls, name: str) -> Measures:
        """A measure of each network, by the network; 1 (yes) or 0 (no) of a verdict."""
        return Measures({network: cls._of_network(name, network) for network in cls.labels})

    @classmethod
    def measures(cls) -> dict[str, Measure]:
        """Every measure of every network by name, such as ``"lstm.worth"``."""
        return {f"{network}.{name}": cls._of_network(name, network) for network in cls.labels for name in cls.words()}

    @classmethod
    def _of_network(cls, name: str, network: str) -> Measure:
        def read(run: Run) -> Any:
            if network not in networks(run):
                raise KeyError(f"The run has no network {network}; it has {', '.join(networks(run))}.")
            return getattr(cls.of(run, network), name)

        words = f"{cls.labels[network]}: {cls.words()[name]}"
        return Measure(read, cls.field(name).unit, words, f"{network}.{name}")

    @cached_property
    def settings(self) -> Any:
        """The run's settings; None where they are not known."""
        attrs = self.dataset.attrs
        if self.declared is None or "settings" not in attrs:
            return None
        return self.declared.from_store(int(attrs["settings_version"]), attrs["settings"])

    @cached_property
    def _place(self) -> int:
        return networks(self.dataset).index(self.network)

    def beside(self, network: str) -> Self:
        """The reading of another network of the run."""
        return type(self)(self.dataset, network, self.settings, self.kinds)

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

    def recorded(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """What ``by`` makes of the variable, one value for each seed; NaN where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values), dtype=np.float64) if values is not None else self.nothing

    def at_last(self, name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray) -> Floats:
        """The same of the last entry along the first axis: the last look, the last epoch."""
        return self.recorded(name, *dims, by=lambda values: by(values[-1]))

    def judged(self, name: str, *dims: str, by: Callable[[Floats], Verdicts]) -> Verdicts:
        """A verdict for each seed; none where nothing was recorded."""
        values = self.values(name, *dims)
        return np.asarray(by(values)) if values is not None else np.zeros(self.nothing.shape, dtype=bool)


Read = Callable[[NetworkReading], Any]


def recorded(name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray, only: str = "") -> Read:
    """What :meth:`NetworkReading.recorded` reads; NaN for other networks than ``only``."""
    return lambda n: n.recorded(name, *dims, by=by) if only in ("", n.network) else n.nothing


def at_last(name: str, *dims: str, by: Callable[[Floats], Any] = np.asarray, only: str = "") -> Read:
    """The same of the last entry along the first axis: the last look, the last epoch."""
    return recorded(name, *dims, by=lambda values: by(values[-1]), only=only)


def of_kind(kind: str, by: Callable[[Floats], Any] = np.asarray) -> Read:
    """What ``by`` makes of the variable of a kind, as :meth:`NetworkReading.of_kind` gives it; NaN where none is."""

    def read(n: NetworkReading) -> Floats:
        values = n.of_kind(kind)
        return n.nothing if values is None else np.asarray(by(values), dtype=np.float64)

    return read


def judged_of_kind(kind: str, by: Callable[[Floats], Verdicts]) -> Read:
    """A verdict on the variable of a kind for each seed; none where nothing was recorded."""

    def read(n: NetworkReading) -> Verdicts:
        values = n.of_kind(kind)
        return np.zeros(n.nothing.shape, dtype=bool) if values is None else np.asarray(by(values))

    return read
