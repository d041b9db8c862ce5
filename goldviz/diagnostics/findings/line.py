"""A line: what a reading is compared with, and the same number in words, so that the two cannot drift apart.

>>> line = above("norm", 1000, "a norm above {at}") | where("rising", "a loss that rises")
>>> line.words
'a norm above 1,000, or a loss that rises'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from goldviz.diagnostics.findings.finding import Verdicts
from goldviz.diagnostics.findings.words import Later, Printed


@dataclass(frozen=True)
class Line:
    """Which seeds of a reading are over it, and where it is, in words. Two lines are joined by ``|`` and ``&``.

    Words may name measures of the reading, ``{majority:percent}``: a finding fills them in.
    """

    over: Callable[[Any], Verdicts]
    words: str

    def __or__(self, other: Line) -> Line:
        """Over either of two."""
        return Line(lambda n: np.asarray(self.over(n) | other.over(n)), f"{self.words}, or {other.words}")

    def __and__(self, other: Line) -> Line:
        """Over both of two."""
        return Line(lambda n: np.asarray(self.over(n) & other.over(n)), f"{self.words}, and {other.words}")


def above(measure: str, at: float, words: str) -> Line:
    """Over the line are seeds whose ``measure``, an attribute of the reading, is above ``at``; a dot leads to parts.

    ``words`` print the number where they say ``{at}``; see :class:`~goldviz.diagnostics.findings.words.Printed`
    for ``{at:percent}`` and its like.
    """
    return Line(lambda n: np.asarray(attrgetter(measure)(n) > at), words.format_map(Later(at=Printed(at))))


def below(measure: str, at: float, words: str) -> Line:
    """Like :func:`above`, for what is below ``at``."""
    return Line(lambda n: np.asarray(attrgetter(measure)(n) < at), words.format_map(Later(at=Printed(at))))


def at_least(measure: str, at: float, words: str) -> Line:
    """Like :func:`above`, with ``at`` itself over the line."""
    return Line(lambda n: np.asarray(attrgetter(measure)(n) >= at), words.format_map(Later(at=Printed(at))))


def at_most(measure: str, at: float, words: str) -> Line:
    """Like :func:`below`, with ``at`` itself over the line."""
    return Line(lambda n: np.asarray(attrgetter(measure)(n) <= at), words.format_map(Later(at=Printed(at))))


def where(verdict: str, words: str, at: float = float("nan")) -> Line:
    """Over the line are seeds whose ``verdict``, an attribute of the reading, is true.

    A reading that compares with a number of its own hands that constant over as ``at``, for the words.
    """
    return Line(lambda n: np.asarray(attrgetter(verdict)(n), dtype=bool), words.format_map(Later(at=Printed(at))))
