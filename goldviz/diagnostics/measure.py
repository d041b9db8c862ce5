"""A measure: one number of a run, computed in one place, which rules, claims, stories and pages read by name.

A laboratory's ``measures.py`` is a table of them, and there is one way to make one: :func:`measure` of a function, with
its words below it, or in the function itself where that has several lines. A number of a run, or of several runs that
are compared, stands by itself::

    rows_a_second = measure(lambda run: run["rows"].values[-1] / run.attrs["seconds"], "rows")
    '''How many rows are read in a second.'''

What can be said of each network, with a value for each seed, stands in a class of readings, and its function is given
the reading (:mod:`goldviz.diagnostics.findings.recorded`)::

    class Reading(TrainingReading):
        '''What was recorded of one network.'''

        labels = {"rnn": "RNN", "lstm": "LSTM"}
        shortest = measure(at_last("accuracy", "look", "length", by=lambda shares: shares[0]))
        '''The share of right answers to the shortest sequences.'''

    lstm_over_rnn = measure(lambda run: Reading.shortest["lstm"](run) / Reading.shortest["rnn"](run))
    '''The LSTM's share of right answers to the shortest sequences over the RNN's.'''

The first is called ``rows_a_second``, the second ``rnn.shortest`` and ``lstm.shortest``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.attribute_docstrings import docstrings_below


class Measure:
    """A number of one seed of a run, or of several runs that are compared; in a reading, a value for each seed.

    ``words`` say what it is, in a sentence, and of which network, layer or lag; ``unit`` is such as ``"nat"``, and
    empty for shares, ratios and counts. Whoever tells it calls it, and computes nothing.
    """

    def __init__(self, read: Callable[..., Any], unit: str = "", words: str = "", name: str = "") -> None:
        self.read = read
        self.unit = unit
        own = "" if getattr(read, "__name__", "") == "<lambda>" else read.__doc__ or ""
        self.words = words or " ".join(own.split())
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, reading: Any, owner: type[RunReading]) -> Any:
        """Of a reading its values, computed once; of a class of readings what that calls by its name."""
        if reading is None:
            return owner.by_name(self.name)
        with np.errstate(invalid="ignore"):
            values = self.read(reading)
        vars(reading)[self.name] = values
        return values

    def __call__(self, *runs: Run) -> float:
        """Its number, of runs of one seed each, in the order in which they are compared.

        Raises ``KeyError`` where a run ended before it recorded what is read.
        """
        return np.asarray(self.read(*map(one_seed, runs)), dtype=np.float64).item()

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


measure = Measure
"""How a measure is made: of a function."""


def each(
    things: Mapping[str, str], name: str, words: str, read: Callable[..., Any], unit: str = ""
) -> dict[str, Measure]:
    """A measure of each of some ``things``, which stand under what they are called: ``read`` is given it last.

    >>> sizes = each({"gru": "GRU"}, "{}_size", "How large the {} is.", lambda run, cell: run[cell])
    >>> sizes["gru"].name, sizes["gru"].words
    ('gru_size', 'How large the GRU is.')
    """

    def of(thing: str, called: str) -> Measure:
        return Measure(lambda *runs: read(*runs, thing), unit, words.format(called), name.format(thing))

    return {thing: of(thing, called) for thing, called in things.items()}


class UnknownMeasureError(Exception):
    """Nothing is measured under this name."""


class Measures(dict[str, Measure]):
    """Measures by name; one that is not there is a mistake of who names it, and raises UnknownMeasureError."""

    def __missing__(self, name: str) -> Measure:
        raise UnknownMeasureError(f"There is no measure {name!r}; there are {', '.join(self)}.")


class RunReading:
    """What can be said of a run as a whole: the base of a class whose measures are given the run's reading."""

    def __init__(self, dataset: Run) -> None:
        self.dataset = dataset

    @classmethod
    def of(cls, run: Run) -> Self:
        """Read a run's dataset; variables may be missing or empty."""
        return cls(run)

    @classmethod
    @cache
    def words(cls) -> dict[str, str]:
        """What each measure is, by name, those of the bases first."""
        words: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            below = docstrings_below(base.__module__, base.__qualname__)
            own = {name: one for name, one in vars(base).items() if isinstance(one, Measure)}
            words |= {name: below.get(name) or one.words or words.get(name, "") for name, one in own.items()}
        return words

    @classmethod
    def field(cls, name: str) -> Measure:
        """A measure as it stands in the class."""
        found: Measure = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
        return found

    @classmethod
    def by_name(cls, name: str) -> Any:
        """A measure of a run."""
        return Measure(lambda run: getattr(cls.of(run), name), cls.field(name).unit, cls.words()[name], name)

    @classmethod
    def measures(cls) -> dict[str, Measure]:
        """Every measure by the name under which it is told."""
        return {name: cls.by_name(name) for name in cls.words()}


@dataclass(frozen=True)
class MeasuredNumber:
    """What a measure gave of a run: its name, its words, its unit, and a value for each seed."""

    name: str
    words: str
    unit: str
    values: NDArray[np.float64]


def measures_in(module: ModuleType) -> Measures:
    """Every measure of a module by name, in its order: of its readings, of each of a table, and its own."""
    below = docstrings_below(module.__name__)
    found = Measures()
    for name, one in vars(module).items():
        if isinstance(one, type) and issubclass(one, RunReading) and one.__module__ == module.__name__:
            found |= one.measures()
        elif isinstance(one, dict):
            found |= {each.name: each for each in one.values() if isinstance(each, Measure)}
        elif isinstance(one, Measure):
            one.name, one.words = name, below.get(name) or one.words
            found[name] = one
    return found


def one_seed(run: Run) -> Run:
    """A dataset of one seed without its axis."""
    return run.isel(seed=0) if run.sizes.get("seed") == 1 else run


def seeds(run: Run) -> Sequence[Run]:
    """A run of several seeds as one dataset for each, with the axis; what has no such axis as it is."""
    return [run.isel(seed=[place]) for place in range(run.sizes["seed"])] if "seed" in run.sizes else [run]
