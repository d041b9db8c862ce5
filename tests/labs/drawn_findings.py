"""What rules say, of what is recorded and of runs whose numbers are drawn: for what must hold whatever was measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import settings as hypothesis_settings

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Case, Conclusions, Rule
from goldviz.diagnostics.measure import Measure, RunReading
from tests.labs.small_runs import SMALL, TRAINED, Small, small_run, with_own
from tests.thinned import represented

LEVELS = (0.0, 1e-9, 1e-4, 0.01, 0.04, 0.15, 0.35, 0.6, 0.85, 0.95, 0.99, 1.0, 1.1, 2.0, 5.0, 40.0, 2e3, np.nan, np.inf)
POWERS = (-9.0, -2.5, -1.5, -0.7, -0.1, 0.0, 0.4, 1.2, 4.0)
SLOPES = (0.0, 0.0, 0.0, 0.0, -0.1, 0.1, -1.0, 1.0, -5.0, 5.0)
LOGARITHMS = ("farthest", "peak", "cell_path")
THINGS = ("network", "model", "metric")
"""Dimensions along which nothing leans: each has a size of its own."""
OF_THEIR_OWN = {
    "changed_by_future": (0.0, 0.0, 0.2),
    "same_label": (0.9, 0.9, 0.5),
    "same_meaning": (0.9,),
    "tokens_per_byte": (0.2, 1.0),
    "gzip_dev_bits": (0.5, 5.0),
    "gzip": (0.5, 5.0),
    "uniform_loss": (3.3,),
    "uniform": (3.3,),
    "unigram_loss": (0.5, 2.0, 3.0),
    "unigram_dev_loss": (0.5, 2.0, 3.0),
    "residual_variance": (1e-4, 1.0, 40.0),
}
"""Levels of what would else silence nearly every other finding, and of what a text can be."""
ALIKE = {"zero_error_by_seed": "zero_error"}
"""What a run records twice."""
KEPT = ("_place", "series", "results", "final")
"""What readings compute that is none of their numbers."""
LARGE = 2000
USUAL = hypothesis_settings.default
FEWER = hypothesis_settings(max_examples=4 if USUAL.derandomize else USUAL.max_examples)
"""In the ordinary suite, so that each laboratory has its turn in a few seconds."""
READINGS_A_DRAW = 12 if USUAL.derandomize else 10
SEVERAL = {"seeds": (0, 1, 2)}
TRAINED_ANYWAY = {"seeds": (0, 7)}
"""Seeds that the contract of all laboratories has trained."""

WITH_CARDS = [lab for lab in TRAINED if lab.has("findings")]
OTHERWISE: dict[str, Mapping[str, tuple[Any, ...]]] = with_own({lab.name: {} for lab in WITH_CARDS}, "OTHERWISE")
"""Settings that rules read and that leave a run's dimensions as they are."""
EVERY_LAB_WITH_CARDS = pytest.mark.parametrize("lab", WITH_CARDS, ids=lambda lab: lab.name)
SHAPES = [small for small in SMALL if small.lab in WITH_CARDS and small.number == 0]
"""One small run of each laboratory, whose shape the drawn numbers have."""
EVERY_SHAPE = pytest.mark.parametrize("small", represented(SHAPES), ids=str)


def of_several(small: Small) -> xr.Dataset:
    """A run in the shape of one of three seeds: its third seed is the second one again."""
    return small_run(small.settings(**TRAINED_ANYWAY)).isel(seed=[0, 1, 1]).assign_coords(seed=list(SEVERAL["seeds"]))


def of_one(small: Small) -> xr.Dataset:
    """The run of the first seed alone."""
    return small_run(small.settings(**TRAINED_ANYWAY)).isel(seed=[0])


def conclusions_of(lab: Laboratory) -> Conclusions:
    found: Conclusions = lab.part("findings").findings_of
    return found


def named(case: Case) -> str:
    """The networks that a case is about; a run as a whole is about all of them."""
    return "|".join(case.names or {str(getattr(n, "name", "")) for n in case.everything})


def said(conclusions: Conclusions, settings: Experiment, dataset: xr.Dataset) -> list[tuple[Rule, set[str]]]:
    """The rules that speak, by the product's own conclusions, each with the networks that it speaks of."""
    by_place = [
        replace(rule, title=lambda case, place=place: f"{place}:{named(case)}")
        for place, rule in enumerate(conclusions.rules)
    ]
    found = replace(conclusions, rules=by_place).all(settings, dataset)
    parts = [finding.title.split(":") for finding in found]
    return [(conclusions.rules[int(place)], set(names.split("|"))) for place, names in parts]


def drawn_settings(small: Small, generator: np.random.Generator, **more: Any) -> Experiment:
    choices = OTHERWISE[small.lab.name].items()
    return small.settings(**more, **{name: some[generator.integers(len(some))] for name, some in choices})


def drawn_values(
    name: str, values: xr.DataArray, generator: np.random.Generator, level: Collection[str] = THINGS
) -> np.ndarray:
    """Numbers of any size in a variable's shape, which may differ by network and seed and lean along the rest.

    They go one way, or there and back. Along dimensions that are ``level`` they do not, and what a network does not
    have stays absent.
    """
    logarithms = name.startswith("log_")
    fixed = {*THINGS, "seed"} if generator.random() < 0.5 else {*THINGS}
    size = [values.sizes[dim] if dim in fixed else 1 for dim in values.dims]
    sizes = generator.choice(OF_THEIR_OWN.get(name, POWERS if logarithms else LEVELS), size=size)
    if name.startswith("score"):
        sizes = sizes * generator.choice([-1.0, 1.0, 1.0], size=size)
    lean = np.zeros(values.shape)
    for axis, dim in enumerate(values.dims):
        if dim not in (*level, "seed"):
            places = np.linspace(0, 1, values.shape[axis])
            along = generator.choice([places, places, 1 - np.abs(2 * places - 1)]) * generator.choice(SLOPES)
            lean = lean + along.reshape([-1 if place == axis else 1 for place in range(values.ndim)])
    drawn = np.broadcast_to(sizes + lean if logarithms else sizes * 10**lean, values.shape)
    return np.where(np.isnan(values), np.nan, drawn)


def drawn_run(run: xr.Dataset, generator: np.random.Generator, level: Collection[str] = THINGS) -> xr.Dataset:
    """Numbers that have nothing to do with each other, in the shape of a run; an interval holds its score."""
    drawn = run.assign(
        {
            name: values.copy(data=drawn_values(str(name), values, generator, level))
            for name, values in run.data_vars.items()
            if values.dtype.kind == "f" and values.size < LARGE and generator.random() < 0.8
        }
    )
    drawn = drawn.assign(
        {
            name: drawn[source].broadcast_like(drawn[name]).transpose(*drawn[name].dims)
            for name, source in ALIKE.items()
            if name in drawn
        }
    )
    interval = [name for name in ("score_low", "score", "score_high") if name in drawn]
    ordered = np.sort([drawn[name].values for name in interval], axis=0)
    return drawn.assign({name: drawn[name].copy(data=ends) for name, ends in zip(interval, ordered, strict=True)})


def computed_by(kind: type[RunReading]) -> list[str]:
    """The names of what a reading computes once: its measures, and what stands beside them."""
    every = {name: one for base in reversed(kind.__mro__) for name, one in vars(base).items()}
    return [name for name, one in every.items() if isinstance(one, Measure | cached_property) and name != "settings"]


def read_off_records(reading: RunReading) -> dict[str, Any]:
    """Of these what is read off the records alone, and computed of no other."""
    names = computed_by(type(reading))
    alone = {}
    for name in names:
        fresh = again(reading)
        value = getattr(fresh, name)
        if not (vars(fresh).keys() & set(names)) - {name, *KEPT}:
            alone[name] = value
    return alone


def again(reading: RunReading, **values: Any) -> Any:
    """The same reading, which has computed nothing but these values."""
    other = copy(reading)
    for name in computed_by(type(reading)):
        vars(other).pop(name, None)
    vars(other).update(values)
    return other


def drawn_reading(reading: Any, generator: np.random.Generator) -> Any:
    """A reading whose measures have nothing to do with each other."""
    drawn: dict[str, Any] = {}
    for name, value in read_off_records(reading).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            drawn[name] = generator.random(value.shape) < generator.choice([0.0, 0.0, 0.5, 1.0])
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            levels = OF_THEIR_OWN.get(name, POWERS if name in LOGARITHMS else LEVELS)
            drawn[name] = generator.choice(levels) * generator.choice([1.0, 1.0, 1.0, 0.5, 1.5], size=value.shape)
    other = again(reading, **drawn)
    if type(reading).__init__ is RunReading.__init__:
        vars(other).update({name: getattr(reading, name) for name in KEPT if hasattr(reading, name)})
        other.dataset = drawn_run(reading.dataset, generator)
    return other


def drawn_conclusions(small: Small, run: xr.Dataset, generator: np.random.Generator) -> Iterator[Conclusions]:
    """What a laboratory concludes from readings of such a run whose measures are drawn, again and again."""
    conclusions = conclusions_of(small.lab)
    readings = conclusions.readings(small.settings(**SEVERAL), run)
    for _ in range(READINGS_A_DRAW):
        drawn = [drawn_reading(reading, generator) for reading in readings]
        yield replace(conclusions, readings=lambda settings, dataset, drawn=drawn: drawn)
