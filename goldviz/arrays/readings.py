"""How numbers and places are read: their words, unit, format and scale, said once for everything that shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from goldviz.arrays.labelled import Run

Scale = Literal["linear", "zero", "signed", "log", "powers", "exponents", "loss", "share", "free"]
"""How an axis of a quantity runs: over its values, with zero in view, as far below zero as above, by ratios, by the
powers of ten of what one figure shows (or of what are exponents of ten already), by ratios where losses differ much,
from none to all, or as Plotly would."""

Names = Mapping[int, str] | Callable[[Run], Mapping[int, str]]


class Described(Protocol):
    """What a laboratory declares of a variable."""

    @property
    def long_name(self) -> str:
        """What it is."""

    @property
    def units(self) -> str:
        """Its unit; "1" where it has none."""

    @property
    def label(self) -> str:
        """What figures call it, in few words."""

    @property
    def format(self) -> str:
        """How its numbers are written."""

    @property
    def scale(self) -> Scale:
        """How an axis of it runs."""


@dataclass(frozen=True)
class Coordinate:
    """What places along a dimension are called.

    ``label`` stands at an axis, ``place`` says one of them, such as ``"%{x} rows"`` (the dimension's own name, if
    empty), ``names`` are words for special places, and ``linked`` is the coordinate by which pages mark one place in
    several figures, where that is not its own.
    """

    label: str
    place: str = ""
    names: Names = field(default_factory=dict)
    linked: str = ""


@dataclass(frozen=True)
class Read:
    """How one quantity is read: ``format`` is d3's, as Plotly takes it."""

    label: str
    units: str = ""
    format: str = ".3~g"
    scale: Scale = "linear"

    @property
    def title(self) -> str:
        """Its label with its unit, as an axis says it."""
        return f"{self.label} ({self.units})" if self.units else self.label


@dataclass(frozen=True)
class Readings:
    """How the variables and coordinates of a laboratory are read; of anybody's dataset, as its attributes say."""

    variables: Mapping[str, Described | Read] = field(default_factory=dict)
    coordinates: Mapping[str, Coordinate] = field(default_factory=dict)

    def variable(self, name: str, ds: Run | None = None) -> Read:
        """How a variable is read; by its own attributes and its name where nobody declared it."""
        told = self.variables.get(name)
        if isinstance(told, Read):
            return told
        if told is not None:
            units = told.units if told.units != "1" else ""
            return Read(told.label or told.long_name, units, told.format, told.scale)
        attrs: Mapping[str, Any] = ds[name].attrs if ds is not None and name in ds else {}
        units = str(attrs.get("units", "1")).removeprefix("1")
        return Read(str(attrs.get("long_name") or in_words(name)), units)

    def coordinate(self, dim: str) -> Coordinate:
        """How a dimension is read; by its own name where nobody declared it."""
        return self.coordinates.get(dim) or Coordinate(in_words(dim))

    def noun(self, dim: str) -> str:
        """What one place along a dimension is called."""
        return (self.coordinate(dim).place or dim.replace("_", " ")).replace(" %{x}", "")


def in_words(name: str) -> str:
    """A name as words.

    >>> in_words("gradient_norm")
    'Gradient norm'
    """
    return name.replace("_", " ").capitalize()
