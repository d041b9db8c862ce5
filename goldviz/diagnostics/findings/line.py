"""A line: what a reading is compared with, and the same number in words, so that the two cannot drift apart.

>>> line = above("norm", 1000, "a norm above {at}") | where("rising", "a loss that rises")
>>> line.words
'a norm above 1,000, or a loss that rises'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np

from goldviz.diagnostics.findings.finding import Verdicts
from goldviz.diagnostics.findings.words import Later, Printed


@dataclass(frozen=True)
class Line:
    """Which seeds of a reading are over it, and where it is, in words. Two lines are joined by ``|`` and ``&``.

    Words may name measures of the reading, ``{majority:percent}``: a finding fills them in. ``limits`` are the numbers
    that it compares each measure with; the ``measure`` that it compares first is over it where it ``rises``, or falls.
    ``spares`` says which seeds it leaves out, whatever their numbers.
    """

    over: Callable[[Any], Verdicts]
    words: str
    limits: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    measure: str = ""
    rises: bool = True
    spares: Callable[[Any], Verdicts] | None = None

    def __or__(self, other: Line) -> Line:
        """Over either of two."""
        return self._with(other, "or", lambda n: np.asarray(self.over(n) | other.over(n)))

    def __and__(self, other: Line) -> Line:
        """Over both of two."""
        return self._with(other, "and", lambda n: np.asarray(self.over(n) & other.over(n)))

    def _with(self, other: Line, word: str, over: Callable[[Any], Verdicts]) -> Line:
        words = f"{self.words}, {word} {other.words}"
        names = dict.fromkeys((*self.limits, *other.limits))
        limits = {name: (*self.limits.get(name, ()), *other.limits.get(name, ())) for name in names}
        return replace(self, over=over, words=words, limits=limits)


def above(measure: str, at: float, words: str) -> Line:
    """Over the line are seeds whose ``measure``, an attribute of the reading, is above ``at``; a dot leads to parts.

    ``words`` print the number where they say ``{at}``; see :class:`~goldviz.diagnostics.findings.words.Printed`
    for ``{at:percent}`` and its like.
    """
    return _beside(measure, at, words, lambda value: value > at)


def below(measure: str, at: float, words: str) -> Line:
    """Like :func:`above`, for what is below ``at``."""
    return _beside(measure, at, words, lambda value: value < at, rises=False)


def at_least(measure: str, at: float, words: str) -> Line:
    """Like :func:`above`, with ``at`` itself over the line."""
    return _beside(measure, at, words, lambda value: value >= at)


def at_most(measure: str, at: float, words: str) -> Line:
    """Like :func:`below`, with ``at`` itself over the line."""
    return _beside(measure, at, words, lambda value: value <= at, rises=False)


def _beside(measure: str, at: float, words: str, over: Callable[[Any], Any], *, rises: bool = True) -> Line:
    said = words.format_map(Later(at=Printed(at)))
    return Line(lambda n: np.asarray(over(attrgetter(measure)(n))), said, {measure: (at,)}, measure, rises)


def where(verdict: str, words: str, at: float = float("nan")) -> Line:
    """Over the line are seeds whose ``verdict``, an attribute of the reading, is true.

    A reading that compares with a number of its own hands that constant over as ``at``, for the words.
    """
    said = words.format_map(Later(at=Printed(at)))
    return Line(
        lambda n: np.asarray(attrgetter(verdict)(n), dtype=bool), said, {verdict: (at,)} if np.isfinite(at) else {}
    )
