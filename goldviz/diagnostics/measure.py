"""A measure: one number of a run, computed in one place, which claims and stories read by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run


@dataclass(frozen=True)
class Measure:
    """A number of one seed of a run, or of several runs that are compared.

    ``words`` say what it is, in a sentence, and of which network, layer or lag; ``unit`` is such as ``"nat"``, and
    empty for shares, ratios and counts. Claims and stories call it, and compute nothing themselves.
    """

    name: str
    words: str
    unit: str
    read: Callable[..., float]

    def __call__(self, *runs: Run) -> float:
        """Its number, of runs of one seed each, in the order in which they are compared.

        Raises ``KeyError`` where a run ended before it recorded what is read.
        """
        return float(self.read(*runs))

    def first(self, *runs: Run) -> float:
        """Its number of the runs' first seed. Raises as a call does."""
        return self(*(seeds(run)[0] for run in runs))

    def over_seeds(self, *runs: Run) -> float:
        """Its mean over the runs' seeds. Raises as a call does."""
        return float(self.by_seed(*runs).mean())

    def lowest(self, *runs: Run) -> float:
        """Its smallest number of any seed. Raises as a call does."""
        return float(self.by_seed(*runs).min())

    def highest(self, *runs: Run) -> float:
        """Its largest number of any seed. Raises as a call does."""
        return float(self.by_seed(*runs).max())

    def by_seed(self, *runs: Run) -> NDArray[np.float64]:
        """Its number of each seed, (seed,); runs that are compared share their seeds. Raises as a call does."""
        return np.array([self(*seed) for seed in zip(*map(seeds, runs), strict=True)])


def of_each(measures: Mapping[str, Measure], name: str) -> dict[str, Measure]:
    """One number of every network, by the network, of measures such as ``"lstm.worth"``."""
    return {full.partition(".")[0]: one for full, one in measures.items() if full.partition(".")[2] == name}


@dataclass(frozen=True)
class MeasuredNumber:
    """What a measure gave of a run: its name, its words, its unit, and a value for each seed."""

    name: str
    words: str
    unit: str
    values: NDArray[np.float64]


def measure(unit: str = "") -> Callable[[Callable[..., float]], Measure]:
    """Make a measure of a function of runs without a seed axis: its name is the function's, its words the docstring's.

    >>> @measure("nat")
    ... def last_loss(run):
    ...     \"\"\"The loss of the last step.\"\"\"
    ...     return run["loss"][-1]
    >>> last_loss.name, last_loss.words, last_loss.unit
    ('last_loss', 'The loss of the last step.', 'nat')
    """

    def made(read: Callable[..., float]) -> Measure:
        return _named(read, unit, lambda *runs: read(*map(one_seed, runs)))

    return made


def combined(unit: str = "") -> Callable[[Callable[..., float]], Measure]:
    """The same of a function that reads runs by other measures alone, and hands them on as they came."""
    return lambda read: _named(read, unit, read)


def _named(function: Callable[..., float], unit: str, read: Callable[..., float]) -> Measure:
    return Measure(function.__name__, " ".join((function.__doc__ or "").split()), unit, read)


def one_seed(run: Run) -> Run:
    """A dataset of one seed without its axis."""
    return run.isel(seed=0) if run.sizes.get("seed") == 1 else run


def seeds(run: Run) -> Sequence[Run]:
    """A run of several seeds as one dataset for each, with the axis; what has no such axis as it is."""
    return [run.isel(seed=[place]) for place in range(run.sizes["seed"])] if "seed" in run.sizes else [run]
