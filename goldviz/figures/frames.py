"""Figures as templates over a run's frames: what changes with the step in view is a row with the step first.

A figure is drawn once for all steps of a run. Whatever it shows of one step it hands over as :class:`AtStep`, a value
for each step along one growing dimension; arrays that hold the same for every step in view are drawn whole.
:func:`filled` puts the values of one step in their places, and ``assets/figure_fill.js`` does the same in the browser,
so that moving through training needs no server.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

SMALL = 8
"""Arrays of up to so many numbers stay in the template's words; longer ones travel as bytes.

To say where bytes stand takes about 75 characters: words are the shorter for some six numbers of full length.
"""

SINGLE = 2.0**-23
"""How much of a number single precision may take away: more than it does, but of numbers below 1e-38, as of a gradient
that vanished, and above 3e38."""


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
    nonempty = tuple(part for part in flat if not isinstance(part, str) or part)
    if all(isinstance(part, str) for part in nonempty):
        return " ".join(str(part) for part in nonempty)
    return Line(nonempty)


def changed(words: Words, change: Callable[[str], str]) -> Words:
    """Words, of a step or not, each changed."""
    return change(words) if isinstance(words, str) else words.map(change)


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """What a value becomes, or the value at each step."""
    return value.map(change) if isinstance(value, AtStep) else change(value)


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
    """A figure as JSON; ``{"$": i}`` stands for ``rows[i]``, ``{"$": [...]}`` for a line of parts."""

    text: str
    rows: list[AtStep | NDArray[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, figure: Mapping[str, Any], plain: Callable[[Any], Any]) -> Template:
        """Take rows out of a figure; ``plain`` gives everything that JSON does not know in its words."""
        template = cls("")

        def leaf(value: Any) -> Any:
            if isinstance(value, Line):
                return {"$": value.parts}
            if isinstance(value, AtStep) or (isinstance(value, np.ndarray) and _travels_as_bytes(value)):
                template.rows.append(value)
                return {"$": len(template.rows) - 1}
            return plain(value)

        template.text = json.dumps(figure, default=leaf, separators=(",", ":"))
        if "NaN" in template.text or "Infinity" in template.text:
            # Among numbers that are not in an array; JSON has no word for them. A title that says so costs time alone.
            template.text = json.dumps(plain(json.loads(template.text)), allow_nan=False, separators=(",", ":"))
        return template

    @property
    def figure(self) -> Any:
        """The figure in JSON's own words."""
        return json.loads(self.text)

    @property
    def shape(self) -> list[tuple[Any, ...]]:
        """What has to stay the same for new steps to be appended: every row's kind."""
        return [_kind(row) for row in self.rows]


def _travels_as_bytes(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "fiu" and values.size > SMALL


def _kind(row: AtStep | NDArray[Any]) -> tuple[Any, ...]:
    if isinstance(row, np.ndarray):
        return ("whole",)
    if isinstance(row.values, np.ndarray):
        return (row.dim, row.values.dtype.kind, row.values.shape[1:])
    return (row.dim, "words")


def appended(old: AtStep, new: AtStep) -> AtStep:
    """The steps of both, one after the other; both arrays or both lists, or the figure would be drawn anew."""
    if isinstance(old.values, np.ndarray) and isinstance(new.values, np.ndarray):
        return AtStep(old.dim, np.concatenate([old.values, new.values]))
    return AtStep(old.dim, [*old.values, *new.values])


def spoken(words: Callable[..., str], dim: str, *values: Sequence[Any] | NDArray[Any]) -> AtStep:
    """Words for each step along ``dim``, from what every one of ``values`` holds there."""
    return AtStep(dim, [words(*there) for there in zip(*values, strict=True)])


def together(dim: str, figures: Sequence[Mapping[str, Any]]) -> Template:
    """One template of a figure's JSON at every step along ``dim``: what differs between steps becomes a row.

    Axes and the like that are in some layouts only are null at the other steps; the theme's look is left out.
    """
    layouts = [figure["layout"] for figure in figures]
    names = dict.fromkeys(name for layout in layouts for name in layout if name != "template")
    layout = {name: _joined(dim, [layout.get(name) for layout in layouts]) for name in names}
    data = _joined(dim, [figure["data"] for figure in figures])
    return Template.of({"data": data, "layout": layout}, lambda plain: plain)


def _joined(dim: str, values: list[Any]) -> Any:
    """What a part of a figure's JSON is at all steps: the part itself, parts of it that are rows, or one row."""
    first, *others = values
    if all(value == first for value in others):
        return _with_arrays(first)
    arrays = [array for array in map(_array, values) if array is not None]
    if arrays:
        alike = len(arrays) == len(values) and all(array.shape == arrays[0].shape for array in arrays)
        return AtStep(dim, _narrowed(np.stack(arrays)) if alike else values)
    if isinstance(first, dict) and all(isinstance(value, dict) and value.keys() == first.keys() for value in others):
        return {name: _joined(dim, [value[name] for value in values]) for name in first}
    if isinstance(first, list) and all(isinstance(value, list) and len(value) == len(first) for value in others):
        return [_joined(dim, list(parts)) for parts in zip(*values, strict=True)]
    return AtStep(dim, values)


def _with_arrays(value: Any) -> Any:
    """A part of a figure's JSON, its longer arrays as numbers and not as text."""
    array = _array(value)
    if array is not None:
        return array if _travels_as_bytes(array) else value
    if isinstance(value, dict):
        return {name: _with_arrays(one) for name, one in value.items()}
    return [_with_arrays(one) for one in value] if isinstance(value, list) else value


def _array(value: Any) -> NDArray[Any] | None:
    if not isinstance(value, dict) or "bdata" not in value:
        return None
    numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
    return numbers.reshape([int(side) for side in value["shape"].split(",")]) if "shape" in value else numbers


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The same in single precision, where that changes no more than the seventh digit."""
    if values.dtype != np.float64:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        close = np.abs(single - values) <= SINGLE * np.abs(values)
    return single if (close | ~np.isfinite(values)).all() else values
