"""Numbers of a script's own, such as its accuracy, kept with their step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MOST_SCALARS, LONGEST = 16, 60
"""Names that a run may have, and characters of one."""


class Scalars:
    """The numbers that a script told of the step in view; each name keeps its place in a run's rows."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._row: dict[str, float] = {}
        self._step = self._written = 0

    @property
    def labels(self) -> list[str]:
        """The names by their place, and empty ones for places that are left."""
        return self.names + [""] * (MOST_SCALARS - len(self.names))

    def go_on(self, labels: Sequence[Any], step: int) -> None:
        """Take up the places that names had in a run, of which this many steps are written."""
        self.names, self._written = [str(name) for name in labels if name], step

    def take(self, told: Mapping[str, Any], step: int) -> dict[str, str]:
        """Keep what was told at a step, and return a sentence for each name that cannot be kept."""
        wrong = {}
        for name, value in told.items():
            number = as_number(value)
            if not 0 < len(name) <= LONGEST:
                wrong[name] = f"The name {name[:LONGEST]!r} is not kept; allowed are 1 to {LONGEST} characters."
            elif number is None:
                wrong[name] = f"{name} is a {type(value).__name__}; allowed is a number or a tensor of one element."
            elif name not in self.names and len(self.names) == MOST_SCALARS:
                wrong[name] = f"{name} is not kept; allowed are {MOST_SCALARS} names in a run."
            else:
                # What was read meanwhile is written: a run has one row a step.
                self._step = max(step, 1, self._written + 1)
                self._row[name] = number
                self.names += [name] if name not in self.names else []
        return wrong

    def row(self, until: float = math.inf) -> tuple[int, np.ndarray] | None:
        """The step that was told of and its numbers by place; None where nothing is new of steps ``until`` this one."""
        if not self._row or self._step > until:
            return None
        numbers = [self._row.get(name, math.nan) for name in self.labels]
        self._row, self._written = {}, self._step
        with np.errstate(over="ignore"):
            return self._step, np.asarray(numbers, dtype=np.float32)


def as_number(value: Any) -> float | None:
    """A number or a tensor's one element, infinite where it is not finite; None for what is no number."""
    try:
        number = None if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    return math.inf if number is not None and math.isnan(number) else number
