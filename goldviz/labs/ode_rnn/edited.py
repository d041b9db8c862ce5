"""A run's probe sequence, of which a visitor may move an observation in time or value, leave one out, put all back."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

FEWEST = 2
"""Observations that are always shown."""
NUMBER = r"-?\d{1,6}(?:\.\d{1,9})?(?:e-\d{1,3}|e[+]?\d{1,2})?"
CHANGE = re.compile(rf"(?P<moved>\d{{1,4}})_(?P<time>{NUMBER})_(?P<value>{NUMBER})?|x(?P<out>\d{{1,4}})")
CLOSEST = 1e-3
"""Observations keep so far from their neighbours, as a share of the time from the first to the last."""
BEYOND = 0.2
"""How far an observation may be moved beyond the first and the last, as a share of the time between them."""

LARGEST = 1e6
"""The largest magnitude of a value that somebody gives an observation."""
ROUNDING = 1e-5
"""Of a link's numbers, which have six digits."""


@dataclass(frozen=True)
class EditedSeries:
    """``times`` (observations,) ascend; ``values`` (observations, channels) are None where nothing was observed.

    ``left_out`` are the numbers, from 0, of observations that the network is not shown. No observation may come before
    or after the ``edges``: the network's field is solved over all the time between them.
    """

    times: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]
    left_out: frozenset[int] = frozenset()
    edges: tuple[float, float] = (-math.inf, math.inf)

    @classmethod
    def of(cls, times: NDArray[np.floating], values: NDArray[np.floating]) -> Self:
        """A sequence as it was recorded, NaN where nothing was observed."""
        rows = (tuple(None if np.isnan(value) else float(value) for value in row) for row in values)
        first, last = float(times[0]), float(times[-1])
        edges = (first - BEYOND * (last - first), last + BEYOND * (last - first))
        return cls(tuple(map(float, times)), tuple(rows), edges=edges)

    def room(self, number: int) -> tuple[float, float]:
        """The earliest and the latest time that an observation may have without passing another.

        >>> EditedSeries((0.0, 1.0, 2.0), ((0.0,), (1.0,), (0.0,))).room(1)
        (0.002, 1.998)
        """
        span = self.times[-1] - self.times[0]
        margin = CLOSEST * span
        before = self.times[number - 1] + margin if number else self.times[0] - BEYOND * span
        after = self.times[number + 1] - margin if number + 1 < len(self.times) else self.times[-1] + BEYOND * span
        return max(before, self.edges[0]), min(after, self.edges[1])

    def moved(self, number: int, time: float, value: float | None, channel: int = 0) -> EditedSeries:
        """An observation at another time, as near to it as its neighbours allow, with another value."""
        earliest, latest = self.room(number)
        times, values = list(self.times), [list(row) for row in self.values]
        times[number] = min(max(time, earliest), latest)
        values[number][channel] = None if value is None else min(max(value, -LARGEST), LARGEST)
        return replace(self, times=tuple(times), values=tuple(map(tuple, values)))

    def without(self, numbers: frozenset[int]) -> EditedSeries:
        """The same sequence with these observations left out, and no others."""
        return replace(self, left_out=numbers)

    def kept(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times and values of the observations that the network is shown, NaN where nothing was observed."""
        places = [number for number in range(len(self.times)) if number not in self.left_out]
        return np.array(self.times)[places], np.array(self.values, np.float64)[places]

    def changes(self, original: EditedSeries) -> str:
        """What differs from the recorded sequence, for a link: ``3_0.52_1.1`` moved the third observation to this time
        and value, ``x5`` left the fifth out.

        >>> recorded = EditedSeries((0.0, 1.0, 2.0), ((0.0,), (1.0,), (0.0,)))
        >>> recorded.moved(1, 1.5, -2.0).without(frozenset({2})).changes(recorded)
        '2_1.5_-2,x3'
        """
        moves = [
            f"{number}_{time:.6g}_{'' if row[0] is None else f'{row[0]:.6g}'}"
            for number, (time, row) in enumerate(zip(self.times, self.values, strict=True), start=1)
            if (time, row) != (original.times[number - 1], original.values[number - 1])
        ]
        return ",".join([*moves, *(f"x{number + 1}" for number in sorted(self.left_out))])

    def with_changes(self, text: str) -> EditedSeries:
        """This sequence with the changes of a link.

        Raises:
            ValueError: the text says no such changes, in a sentence.
        """
        times, values, left_out = list(self.times), list(self.values), set()
        for part in filter(None, text.split(",")):
            match = CHANGE.fullmatch(part)
            number = int(match["moved"] or match["out"]) - 1 if match else -1
            if match is None or not 0 <= number < len(times):
                raise ValueError(f"In the link: edits are {text[:40]!r}; allowed is such as 3_0.52_1.1 or x5.")
            if match["out"]:
                left_out.add(number)
                continue
            times[number] = self._held(float(match["time"]))
            first, *others = values[number]
            if abs(float(match["value"] or 0)) > LARGEST:
                raise ValueError(
                    f"In the link: edits have the value {float(match['value']):.6g}; allowed is from -1e6 to 1e6."
                )
            values[number] = (float(match["value"]) if first is not None and match["value"] else first, *others)
        if any(after <= before for before, after in pairwise(times)):
            raise ValueError(f"In the link: edits are {text[:40]!r}; no observation may pass another.")
        if len(left_out) > len(times) - FEWEST:
            raise ValueError(
                f"In the link: edits leave out {len(left_out)} of {len(times)} observations; {FEWEST} must stay."
            )
        return replace(self, times=tuple(times), values=tuple(values), left_out=frozenset(left_out))

    def _held(self, time: float) -> float:
        """A link's time, which is rounded, between the edges; raises ValueError for one beyond them."""
        earliest, latest = self.edges
        time_within = min(max(time, earliest), latest)
        if abs(time_within - time) > ROUNDING * max(1.0, abs(time)):
            raise ValueError(
                f"In the link: edits have the time {time:.6g}; allowed is from {earliest:.4g} to {latest:.4g}."
            )
        return time_within

    def handles(self, channel: int = 0) -> list[int]:
        """The numbers of the observations that can be dragged: those shown, with a value in this channel."""
        return [
            number
            for number in range(len(self.times))
            if number not in self.left_out and self.values[number][channel] is not None
        ]


def probe_of(ds: Run) -> EditedSeries | None:
    """The sequence as it was recorded; None where there are no weights to follow it with."""
    if "weights" not in ds or "probe_time" not in ds or not ds.sizes.get("look", 0):
        return None
    return EditedSeries.of(ds["probe_time"].values, ds["probe_value"].values)


def looks_of(ds: Run) -> list[int]:
    """The steps of all looks."""
    return [int(step) for step in ds["look"].values]


def look_at(ds: Run, step: int | None) -> int:
    """The number of the last look at or before the step in view."""
    looks = looks_of(ds)
    return len(looks) - 1 if step is None else max(0, int(np.searchsorted(looks, step, side="right")) - 1)


def weights_at(ds: Run, look: int) -> NDArray[Any]:
    """The ODE-RNN's weights at a look, of the first seed."""
    weights: NDArray[Any] = ds["weights"].isel(look=look).values
    return weights
