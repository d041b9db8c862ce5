"""What a target's moves are called, in which unit they are told, and what recorded numbers of them are.

Every text about a target takes its words from here: a market seen in log returns moves by percent, one seen in changes
by its own unit, and where levels are forecast there is no move at all. Scores of the size of moves say little beside
days on end on which a target does not move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run

SEEN_AS = {"log_return": "log return", "difference": "change", "level": "level"}
"""What a network sees of a channel, by the name of its transformation."""

UNNAMED_UNIT = "its own unit"
BASIS_POINTS = 1e4
LONG_STILL = 20
"""Days on end without a move from which they are told; EWMA's variance falls to a third in so many."""


@dataclass(frozen=True)
class Moves:
    """``factor`` brings recorded numbers into ``unit``, which is empty where nobody said what it is."""

    noun: str
    unit: str
    factor: float

    @classmethod
    def of(cls, transformation: str, unit: str) -> Moves:
        """The moves of a target that is seen so, its values being in ``unit``.

        What is seen as levels moves by changes.

        >>> Moves.of("log_return", "USD/oz").title, Moves.of("difference", "USD/barrel").title
        ('Log return (%)', 'Change (USD/barrel)')
        """
        if transformation == "log_return":
            return cls(SEEN_AS["log_return"], "%", 100.0)
        return cls(SEEN_AS["difference"], unit, 1.0)

    @classmethod
    def levels(cls, unit: str) -> Moves:
        """Levels in the place of moves, where they are what is forecast."""
        return cls(SEEN_AS["level"], unit, 1.0)

    @classmethod
    def of_run(cls, ds: Run, target: str = "return") -> Moves:
        """Those that a run's numbers are: moves, or levels where its ``target`` is 'level'.

        Runs from before the transformation was noted count as seen in log returns.
        """
        unit = str(ds.attrs.get("target_unit", ""))
        if target == "level":
            return cls.levels(unit)
        return cls.of(str(ds.attrs.get("target_transformation", "log_return")), unit)

    @property
    def plural(self) -> str:
        """The noun of several, as sentences have it: of log returns short.

        >>> Moves.of("log_return", "").plural, Moves.of("difference", "").plural
        ('returns', 'changes')
        """
        return "returns" if self.noun == SEEN_AS["log_return"] else f"{self.noun}s"

    @property
    def title(self) -> str:
        """An axis title, not escaped."""
        return f"{self.noun.capitalize()} ({self.unit or UNNAMED_UNIT})"

    @property
    def next(self) -> str:
        """An axis title of what is forecast, not escaped.

        >>> Moves.of("log_return", "").next, Moves("level", "", 1.0).next
        ('Next log return (%)', 'Next level (its own unit)')
        """
        return f"Next {self.noun} ({self.unit or UNNAMED_UNIT})"

    def called(self, words: str) -> str:
        """An axis title of some quantity in these units, not escaped."""
        return f"{words} ({self.unit or UNNAMED_UNIT})"

    @property
    def suffix(self) -> str:
        """What stands behind a number, with a blank before it; not escaped."""
        return f" {self.unit}" if self.unit else ""

    def shown(self, values: NDArray[Any]) -> NDArray[Any]:
        """Recorded numbers in the unit."""
        return np.asarray(self.factor * values)

    def said(self, value: float) -> str:
        """A recorded move with its sign and its unit, not escaped.

        >>> Moves.of("difference", "USD").said(-37.63)
        '−37.6 USD'
        """
        return f"{self.factor * value:+.3g}{self.suffix}".replace("-", "−")

    def size(self, value: float) -> str:
        """The size of recorded moves with its unit, not escaped.

        >>> Moves.of("log_return", "").size(0.0123)
        '1.23 %'
        """
        return f"{self.factor * value:.3g}{self.suffix}"

    def error(self, value: float) -> str:
        """A recorded error with its unit: of log returns in basis points, else as the values are.

        >>> Moves.of("log_return", "").error(0.0123), Moves.of("difference", "USD").error(1.2345)
        ('123.0 bp', '1.234 USD')
        """
        if self.noun == SEEN_AS["log_return"]:
            return f"{BASIS_POINTS * value:.1f} bp"
        return f"{value:,.4g}{self.suffix}"

    @property
    def recorded(self) -> str:
        """The unit of recorded numbers, as tables name it."""
        return self.noun if self.noun == SEEN_AS["log_return"] else self.unit or UNNAMED_UNIT


def recorded_units(moves: Moves, names: Iterable[str], levels: Iterable[str], unit: str) -> dict[str, str]:
    """The units of recorded variables: those of ``names`` are moves, those of ``levels`` in the target's own unit."""
    return dict.fromkeys(names, moves.recorded) | dict.fromkeys(levels, unit or UNNAMED_UNIT)


def longest_still(moves: NDArray[np.floating[Any]]) -> int:
    """How many days on end have a move of exactly zero, at most.

    >>> longest_still(np.array([0.1, 0.0, 0.0, 0.2, 0.0, np.nan]))
    2
    """
    places = np.flatnonzero(np.concatenate([[True], moves != 0, [True]]))
    return int(np.diff(places).max()) - 1


def still_in_words(target: str, moves: NDArray[np.floating[Any]], so: str) -> str:
    """A sentence on the longest stretch without a move, and one on what comes of it; empty where it is short.

    >>> still_in_words("Gold", np.zeros(30), "They lie inside every interval.")
    'Gold does not move for 30 days on end. They lie inside every interval.'
    """
    longest = longest_still(moves)
    return f"{target or 'The target'} does not move for {longest} days on end. {so}" if longest >= LONG_STILL else ""
