"""Figures as templates over a run's frames: what changes with the step in view is a row with the step first.

A figure is drawn once for all steps of a run. Whatever it shows of one step it hands over as :class:`AtStep`, a value
for each step along one growing dimension; arrays that hold the same for every step in view are drawn whole.
:func:`filled` puts the values of one step in their places, and ``assets/figure_fill.js`` does the same in the browser,
so that moving through training needs no server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

SMALL = 8
"""Arrays of up to so many numbers stay in the template's words; longer ones travel as bytes."""


@dataclass(frozen=True, eq=False)
class AtStep:
    """A value for each step along ``dim``: an array with the step first, or a list of words, numbers or lists."""

    dim: str
    values: NDArray[Any] | list[Any]

    def map(self, change: Callable[[Any], Any]) -> AtStep:
        """The same steps with every value changed."""
        return AtStep(self.dim, [change(value) for value in self.values])


@dataclass(frozen=True, eq=False)
class Line:
    """Words made of parts, some of them of the step in view; those that are not empty are joined by blanks."""

    parts: tuple[str | AtStep, ...]

    def map(self, change: Callable[[str], str]) -> Line:
        """The same line with the words of every part changed."""
        return Line(tuple(part.map(change) if isinstance(part, AtStep) else change(part) for part in self.parts))


Words: TypeAlias = "str | AtStep | Line"


def line(*parts: Words) -> Words:
    """The parts as one line; plain words where none is of a step."""
    flat: list[str | AtStep] = []
    for part in parts:
        flat += part.parts if isinstance(part, Line) else [part]
    kept = tuple(part for part in flat if not isinstance(part, str) or part)
    if all(isinstance(part, str) for part in kept):
        return " ".join(str(part) for part in kept)
    return Line(kept)


def changed(words: Words, change: Callable[[str], str]) -> Words:
    """Words, of a step or not, each changed."""
    return change(words) if isinstance(words, str) else words.map(change)


def filled(value: Any, place: Mapping[str, int]) -> Any:
    """A part of a figure with the values of one step: ``place`` says which one along each growing dimension."""
    if isinstance(value, AtStep):
        return value.values[place[value.dim]]
    if isinstance(value, Line):
        return " ".join(words for words in (filled(part, place) for part in value.parts) if words)
    if isinstance(value, dict):
        return {name: filled(one, place) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(one, place) for one in value]
    return value


@dataclass
class Template:
    """A figure in JSON's own words; ``{"$": i}`` stands for ``rows[i]``, ``{"$": [...]}`` for a line of parts."""

    figure: Any
    rows: list[AtStep | NDArray[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, figure: Mapping[str, Any], plain: Callable[[Any], Any]) -> Template:
        """Take rows out of a figure; ``plain`` gives everything else in JSON's words."""
        template = cls(None)
        template.figure = template._without_rows(figure, plain)
        return template

    @property
    def shape(self) -> list[tuple[Any, ...]]:
        """What has to stay the same for new steps to be appended: every row's kind."""
        return [_kind(row) for row in self.rows]

    def _without_rows(self, value: Any, plain: Callable[[Any], Any]) -> Any:
        if isinstance(value, Line):
            return {"$": [self._without_rows(part, plain) for part in value.parts]}
        if isinstance(value, AtStep) or (isinstance(value, np.ndarray) and _travels_as_bytes(value)):
            self.rows.append(value)
            return {"$": len(self.rows) - 1}
        if isinstance(value, dict):
            return {name: self._without_rows(one, plain) for name, one in value.items() if one is not None}
        if isinstance(value, (list, tuple)):
            return [self._without_rows(one, plain) for one in value]
        return plain(value)


def _travels_as_bytes(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "fiu" and values.size > SMALL


def _kind(row: AtStep | NDArray[Any]) -> tuple[Any, ...]:
    if isinstance(row, np.ndarray):
        return ("whole",)
    if isinstance(row.values, np.ndarray):
        return (row.dim, row.values.dtype.kind, row.values.shape[1:])
    return (row.dim, "words")


def appended(old: AtStep, new: AtStep) -> AtStep:
    """The steps of both, one after the other."""
    if isinstance(old.values, np.ndarray) and isinstance(new.values, np.ndarray):
        return AtStep(old.dim, np.concatenate([old.values, new.values]))
    return AtStep(old.dim, [*old.values, *new.values])


def spoken(words: Callable[..., str], dim: str, *values: Sequence[Any]) -> AtStep:
    """Words for each step along ``dim``, from what every one of ``values`` holds there."""
    return AtStep(dim, [words(*there) for there in zip(*values, strict=True)])
