"""A model's score against the simplest forecast, and when it counts as better or as worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIGNIFICANT = 0.05
"""The p-value below which Diebold and Mariano's test confirms an interval."""


@dataclass(frozen=True)
class Result:
    """A model's score against the simplest forecast, with its 95 % interval and the Diebold-Mariano test's p-value.

    Interval and p-value are NaN until the run has ended.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan

    def times(self, factor: float) -> Result:
        """The same in another unit."""
        return Result(factor * self.value, factor * self.low, factor * self.high, self.p)

    @property
    def sure(self) -> bool:
        """Whether there is an interval."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def better(self) -> bool:
        """Whether all of the interval is above zero, and the test, where there is one, confirms it."""
        return self.sure and self.low > 0 and not self.disputed

    @property
    def worse(self) -> bool:
        """Whether all of the interval is below zero, and the test, where there is one, confirms it."""
        return self.sure and self.high < 0 and not self.disputed

    @property
    def disputed(self) -> bool:
        """Whether one of interval and test speaks for a difference, and the other does not."""
        apart = self.low > 0 or self.high < 0
        return bool(self.sure and np.isfinite(self.p) and apart != (self.p < SIGNIFICANT))

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    @property
    def unproved(self) -> bool:
        """Whether the interval is there, and nothing better is proved."""
        return self.sure and not self.better

    @property
    def undecided(self) -> bool:
        """Whether the interval is there, and neither better nor worse is proved."""
        return self.unproved and not self.worse


def judged(result: Result, words: tuple[str, str, str], score: str) -> str:
    """The verdict on a result: which of better, worse and neither is proved, with its score in words.

    >>> judged(Result(0.1, 0.05, 0.15, 0.01), ("Better", "Worse", "No skill"), "0.10")
    'Better: 0.10'
    >>> judged(Result(0.1, 0.05, 0.15, 0.2), ("Better", "Worse", "No skill"), "0.10")
    'No skill: 0.10 (interval and test disagree)'
    """
    better, worse, neither = words
    sentence = better if result.better else worse if result.worse else neither
    return f"{sentence}: {score}{' (interval and test disagree)' if result.disputed else ''}"
