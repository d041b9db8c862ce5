"""A sequence of observations that a visitor may change: move one in time or value, leave one out, put all back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

CLOSEST = 1e-3
"""Observations keep so far from their neighbours, as a share of the time from the first to the last."""


@dataclass(frozen=True)
class EditedSeries:
    """``times`` (observations,) ascend; ``values`` (observations, channels) are None where nothing was observed.

    ``left_out`` are the numbers, from 0, of observations that the network is not shown.
    """

    times: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]
    left_out: frozenset[int] = frozenset()

    @classmethod
    def of(cls, times: NDArray[np.floating], values: NDArray[np.floating]) -> Self:
        """A sequence as it was recorded, NaN where nothing was observed."""
        rows = (tuple(None if np.isnan(value) else float(value) for value in row) for row in values)
        return cls(tuple(map(float, times)), tuple(rows))

    def room(self, number: int) -> tuple[float, float]:
        """The earliest and the latest time that an observation may have without passing another.

        >>> EditedSeries((0.0, 1.0, 2.0), ((0.0,), (1.0,), (0.0,))).room(1)
        (0.002, 1.998)
        """
        span = self.times[-1] - self.times[0]
        margin = CLOSEST * span
        before = self.times[number - 1] + margin if number else self.times[0] - 0.2 * span
        after = self.times[number + 1] - margin if number + 1 < len(self.times) else self.times[-1] + 0.2 * span
        return before, after

    def moved(self, number: int, time: float, value: float | None, channel: int = 0) -> EditedSeries:
        """An observation at another time, as near to it as its neighbours allow, with another value."""
        earliest, latest = self.room(number)
        times, values = list(self.times), [list(row) for row in self.values]
        times[number] = min(max(time, earliest), latest)
        values[number][channel] = value
        return replace(self, times=tuple(times), values=tuple(map(tuple, values)))

    def without(self, numbers: frozenset[int]) -> EditedSeries:
        """The same sequence with these observations left out, and no others."""
        return replace(self, left_out=numbers)

    def kept(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times and values of the observations that the network is shown, NaN where nothing was observed."""
        shown = [number for number in range(len(self.times)) if number not in self.left_out]
        return np.array(self.times)[shown], np.array(self.values, np.float64)[shown]

    def handles(self, channel: int = 0) -> list[int]:
        """The numbers of the observations that can be dragged: those shown, with a value in this channel."""
        return [
            number
            for number in range(len(self.times))
            if number not in self.left_out and self.values[number][channel] is not None
        ]
