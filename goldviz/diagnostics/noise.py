"""Is it noise? How sure a mean, a share and a difference of two groups are, and how many seeds a question needs.

Groups are paired by seed where they share seeds: what a seed does to both, such as its data, is then no noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SURE = 0.95
POWER = 0.8
"""Of as many repeated experiments, the share that would see a difference that is there."""
MOST_SEEDS = 10_000
LEAST = 2
"""Numbers from which a spread is known."""


def student(freedom: float, share: float = SURE) -> float:
    """How many standard errors the middle ``share`` of Student's t reaches from 0."""
    from scipy import special  # Importing it takes longer than the rest of a watched script's start.

    return float(special.stdtrit(freedom, (1 + share) / 2))


def mean_interval(values: Sequence[float] | Floats, others: bool = False) -> tuple[float, float]:
    """The 95 % interval of the mean that many numbers like these would have, or, with ``others``, of as many new ones.

    t s / √n on both sides, times √2 for the mean of as many others, which has its own spread. NaN where fewer than
    two numbers are given, or one is not finite.

    >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    numbers = np.asarray(values, dtype=np.float64)
    count = len(numbers)
    if count < LEAST or not np.isfinite(numbers).all():
        return math.nan, math.nan
    reach = student(count - 1) * float(numbers.std(ddof=1)) * math.sqrt((2 if others else 1) / count)
    return float(numbers.mean()) - reach, float(numbers.mean()) + reach


def wilson_interval(right: float, count: int, share: float = SURE) -> tuple[float, float]:
    """Interval for a share of ``right`` out of ``counted`` (Wilson 1927); NaN where nothing was counted.

    It stays between 0 and 1 and holds for independent events; what happens on neighbouring days rarely is quite.

    >>> [round(end, 3) for end in wilson_interval(52, 100)]
    [0.423, 0.615]
    """
    if count == 0:
        return np.nan, np.nan
    z = student(math.inf, share)
    rate, weight = right / count, z**2 / count
    centre = (rate + weight / 2) / (1 + weight)
    half = math.sqrt(rate * (1 - rate) * weight + weight**2 / 4) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class _Error:
    """The spread of a difference of single numbers, how often it was seen, and with how much freedom."""

    spread: float
    count: int
    freedom: float

    @property
    def reach(self) -> float:
        return student(self.freedom) * self.spread / math.sqrt(self.count)


@dataclass(frozen=True)
class Difference:
    """By how much one group's mean is above another's, with its 95 % interval.

    ``pairs`` is how many seeds both have, 0 where the groups are not paired; ``missing`` are seeds that only one has;
    ``left_out`` counts numbers that are none. ``spread`` is that of a difference of two single numbers, NaN where it is
    not known, and ``worth`` the difference that the question is about.
    """

    difference: float
    low: float
    high: float
    counts: tuple[int, int]
    pairs: int
    missing: tuple[Any, ...] = ()
    left_out: int = 0
    spread: float = math.nan
    worth: float = math.nan

    @cached_property
    def seeds_needed(self) -> int | None:
        """So many seeds of each group show a difference of ``worth`` in four experiments of five; None for too many."""
        return seeds_for(self.worth, self.spread, bool(self.pairs))

    @property
    def is_noise(self) -> bool:
        """Whether it may be noise: the interval holds 0, or nothing is known."""
        return not (self.low > 0 or self.high < 0)

    @property
    def sentence(self) -> str:
        """The difference, its interval, and what follows from it."""
        how = f"paired over {self.pairs} seeds" if self.pairs else f"{self.counts[0]} and {self.counts[1]} seeds"
        out = f" {self.left_out} that gave no number left out." if self.left_out else ""
        if not math.isfinite(self.low):
            return f"Nothing can be said of {how}: each side needs two numbers at least.{out}"
        found = f"The difference is {self.difference:.3g} (95 % interval {self.low:.3g} to {self.high:.3g}, {how})."
        if not self.is_noise:
            return f"{found} It is more than the seeds' noise.{out}"
        need = (
            f"about {self.seeds_needed:,} seeds on each side would tell, in four cases of five"
            if self.seeds_needed is not None
            else f"even {MOST_SEEDS:,} seeds would not tell"
        )
        return f"{found} It may be noise: for a difference as large as this, {need}.{out}"


def difference(one: Any, other: Any, *, worth: float | None = None) -> Difference:
    """By how much ``one`` is above ``other``: numbers over seeds, as labelled arrays, mappings or plain sequences.

    Where both say their seeds and share two or more, the differences of single seeds are judged by Student's t; else
    the two means by Welch's. The seeds that are needed are for a difference of ``worth``, of the size that was
    found unless you say. Raises ``ValueError`` for what is no row of numbers.
    """
    first, second = _by_seed(one), _by_seed(other)
    own, theirs = _finite(first), _finite(second)
    shared = [seed for seed in own if seed in theirs and not isinstance(seed, _Place)]
    paired = len(shared) >= LEAST
    error: _Error | None
    if paired:
        differences = np.array([own[seed] - theirs[seed] for seed in shared])
        found, error = float(differences.mean()), _Error(float(differences.std(ddof=1)), len(shared), len(shared) - 1)
    else:
        found, error = _welch(np.array([*own.values()]), np.array([*theirs.values()]))
    reach = error.reach if error is not None else math.inf
    named = [seed for seed in {**first, **second} if not isinstance(seed, _Place)]
    return Difference(
        found,
        found - reach,
        found + reach,
        (len(own), len(theirs)),
        pairs=len(shared) if paired else 0,
        missing=tuple(seed for seed in named if (seed in first) != (seed in second)),
        left_out=len(first) - len(own) + len(second) - len(theirs),
        spread=error.spread if error is not None else math.nan,
        worth=abs(found if worth is None else worth),
    )


def seeds_for(worth: float, spread: float, paired: bool) -> int | None:
    """How many seeds on each side show a difference of ``worth`` in four experiments of five; None for too many.

    ``spread`` is the standard deviation of the difference of single numbers, one of each side.
    """
    if math.isnan(spread):
        return None

    def shows(count: int) -> bool:
        freedom = (count - 1) * (1 if paired else 2)
        # Of Student's t both the level and the power, as sample sizes are reckoned in tables (Zar 1999, eq. 7.7).
        return (student(freedom) + student(freedom, 2 * POWER - 1)) * spread / math.sqrt(count) <= worth

    low, high = LEAST, MOST_SEEDS
    if not shows(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle + 1, high)
    return low


def _welch(one: Floats, other: Floats) -> tuple[float, _Error | None]:
    if not (one.size and other.size):
        return math.nan, None
    found = float(one.mean() - other.mean())
    if min(one.size, other.size) < LEAST:
        return found, None
    parts = one.var(ddof=1) / one.size, other.var(ddof=1) / other.size
    error = float(sum(parts))
    count = min(one.size, other.size)
    whole = parts[0] ** 2 / (one.size - 1) + parts[1] ** 2 / (other.size - 1)
    freedom = error**2 / float(whole) if whole > 0 else float(one.size + other.size - 2)
    return found, _Error(math.sqrt(error * count), count, freedom)


class _Place(int):
    """The place of a number whose seed nobody said."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def _by_seed(values: Any) -> dict[Any, float]:
    if isinstance(values, Mapping):
        return {seed: float(value) for seed, value in values.items()}
    numbers = np.asarray(getattr(values, "values", values), dtype=np.float64).squeeze()
    if numbers.ndim > 1:
        raise ValueError(f"The numbers have the shape {numbers.shape}; allowed is one for each seed. Choose by ds.sel.")
    numbers = numbers.ravel()
    if "seed" in getattr(values, "dims", ()):
        return dict(zip(np.atleast_1d(values["seed"].values).tolist(), numbers.tolist(), strict=True))
    return {_Place(place): value for place, value in enumerate(numbers.tolist())}


def _finite(values: Mapping[Any, float]) -> dict[Any, float]:
    return {seed: value for seed, value in values.items() if math.isfinite(value)}
