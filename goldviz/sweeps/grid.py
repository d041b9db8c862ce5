"""Which runs a sweep has: every combination of some settings' values, and every seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from goldviz.declare import registry
from goldviz.declare.plain_values import plain
from goldviz.declare.settings import Experiment, Settings, SettingsError, facts, label, schemas

MOST_CELLS = 10_000
SEED = "seed"


class Cell(NamedTuple):
    """One run of a sweep: its place along every axis, the seed's last, and its settings, or why they are refused."""

    place: tuple[int, ...]
    settings: Experiment | None
    refused: str = ""


@dataclass(frozen=True)
class Grid:
    """Values of settings by their names, in the order of the axes; all else is as ``fixed`` says, or by default."""

    kind: type[Experiment]
    fixed: Mapping[str, Any]
    axes: Mapping[str, tuple[Any, ...]]
    seeds: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values there are along each axis, seeds last."""
        return (*map(len, self.axes.values()), len(self.seeds))

    def __len__(self) -> int:
        return prod(self.shape)

    def at(self, place: tuple[int, ...]) -> Cell:
        """The cell at a place along every axis."""
        *settings, seed = place
        chosen = {name: values[at] for (name, values), at in zip(self.axes.items(), settings, strict=True)}
        try:
            return Cell(place, self.kind.checked({**self.fixed, **chosen, "seeds": (self.seeds[seed],)}))
        except SettingsError as error:
            return Cell(place, None, str(error))

    @cached_property
    def cells(self) -> list[Cell]:
        """All of them, seed by seed of one setting after another."""
        return [self.at(place) for place in product(*map(range, self.shape))]

    def some(self, count: int) -> list[Cell]:
        """So many cells at most, far apart, for what is estimated of all."""
        places = np.unique(np.linspace(0, len(self) - 1, min(count, len(self))).astype(np.int64))
        return [self.at(tuple(int(one) for one in np.unravel_index(place, self.shape))) for place in places]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)


def grid_of(experiment: str | Experiment, seeds: Any, settings: Mapping[str, Any]) -> Grid:
    """The grid of what a caller names: lists are axes, single values are fixed; what is named twice is there once.

    Raises :class:`SettingsError` for a setting that there is not, a value that is not allowed, and an empty list.
    """
    start = experiment if isinstance(experiment, Experiment) else None
    kind = type(start) if start is not None else registry.experiment(str(experiment))
    told = {name: plain(value) for name, value in settings.items()}
    for name in told:
        _check_name(kind, name)
    axes = {name: _values(kind, name, value) for name, value in told.items() if _is_axis(kind, name, value)}
    fixed = {name: _value(kind, name, value) for name, value in told.items() if name not in axes}
    begun = {} if start is None else {name: value for name, value in start.model_dump().items() if name != "seeds"}
    return Grid(kind, {**begun, **fixed}, axes, _seeds(kind, seeds))


def _check_name(kind: type[Settings], name: str) -> None:
    if name == "seeds" or name in kind.model_fields:
        return
    near = get_close_matches(name, kind.model_fields, 1)
    told = kind.retired.get(name, f"{kind.name} has no setting {name[:60]!r}.")
    raise SettingsError({name: f"{told[:-1]}; did you mean {near[0]!r}?" if near and told[-1] == "." else told})


def _is_axis(kind: type[Settings], name: str, value: Any) -> bool:
    """Whether several values are meant: of a setting that is a list itself, a list of lists."""
    listed = schemas(kind)[name].get("type") == "array"
    return isinstance(value, list) and (not listed or any(isinstance(one, list) for one in value))


def _values(kind: type[Settings], name: str, values: list[Any]) -> tuple[Any, ...]:
    if not values:
        raise SettingsError({name: f"{label(name)} has no value; a sweep needs at least one."})
    return tuple(dict.fromkeys(_value(kind, name, one) for one in values))


def _value(kind: type[Settings], name: str, value: Any) -> Any:
    """A value as the setting has it. Whether it goes with the others is another question, asked of each cell."""
    try:
        kind.checked({name: value})
    except SettingsError as error:
        if name in error.sentences:
            raise SettingsError({name: error.sentences[name]}) from None
    field = kind.model_fields[name]
    meant: Any = field.annotation if not field.metadata else Annotated[field.annotation, *field.metadata]
    return TypeAdapter(meant).validate_python(value)


def _seeds(kind: type[Settings], seeds: Any) -> tuple[int, ...]:
    told = plain(seeds)
    several = told if isinstance(told, list) else [told]
    if not several:
        raise SettingsError({"seeds": "A sweep has no seed; it needs at least one."})
    for one in several:
        kind.checked({"seeds": (one,)})
    return tuple(dict.fromkeys(int(one) for one in several))


def by_ratio(kind: type[Settings], name: str) -> bool:
    """Whether a setting is read by ratio: its knob is one of powers of ten."""
    return bool(facts(kind, name)["logarithmic"])


def spaced(kind: type[Settings], name: str, low: float, high: float, count: int) -> list[Any]:
    """So many values from ``low`` to ``high``: in equal ratios where the setting is read by ratio, else in equal steps.

    Those of a whole setting are whole, so that there may be fewer. Raises :class:`SettingsError` for ends that allow
    no ratio.
    """
    ratios = by_ratio(kind, name)
    if ratios and not (low > 0 and high > 0):
        raise SettingsError(
            {name: f"{label(name)} is read by ratio; allowed is a range above 0, not {low:g} to {high:g}."}
        )
    values = (np.geomspace if ratios else np.linspace)(low, high, count)
    if schemas(kind)[name].get("type") == "integer":
        return list(dict.fromkeys(int(one) for one in np.rint(values)))
    # Twelve digits tell values apart and leave out what rounding adds to a plain one.
    return [float(f"{one:.12g}") for one in values]
