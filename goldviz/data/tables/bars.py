"""Open, high, low and close told by their numbers: in no row is anything above the high or below the low.

So they are known in any language and without a header. The open is told from the close by the row before: markets
open near where they closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 200
"""Rows among which a high and a low are looked for; all rows are asked of what was found."""

WIDEST_BAR = 0.35
"""The median of (high - low) over the size of the prices; a volume above a price is further from it."""

LEAST_CROSSING = 0.03
"""The least share of rows in which the close is above the open, and in which it is below: rates of several terms, each
above the other, are no bars."""

CLEARLY_NEARER = 0.8
"""The open is so much nearer to the close before it, on average, than the close is to the open before."""


@dataclass(frozen=True)
class Bars:
    """The columns of one market's bars; ``certain`` where the open is clearly told from the close."""

    open: int
    high: int
    low: int
    close: int
    others: tuple[int, ...] = ()
    """Further columns that lie between the low and the high, such as an average."""
    certain: bool = True

    @property
    def columns(self) -> tuple[int, ...]:
        """All of them."""
        return (self.open, self.high, self.low, self.close, *self.others)


def bars_in(values: Mapping[int, NDArray[np.float64]], order: NDArray[np.int64]) -> list[Bars]:
    """The bars among columns of numbers, whose rows are in the ``order`` of time; narrowest first.

    >>> close = 100 + np.array([0.0, 2, 1, 3, 2, 4, 3, 1, 2, 0])
    >>> before = np.r_[100, close[:-1]]
    >>> high, low = np.maximum(close, before) + 1, np.minimum(close, before) - 1
    >>> bars_in({3: before, 5: low, 6: close, 7: high}, np.arange(10))
    [Bars(open=3, high=7, low=5, close=6, others=(), certain=True)]
    """
    # A cell such as 1e999 is refused later; here it is a gap.
    left = {
        place: np.where(np.isfinite(column), column, np.nan) if np.isinf(column).any() else column
        for place, column in values.items()
    }
    all_columns = left

    # Asked once of each column: where all columns move alike, thousands of highs and lows have the same ones inside.
    @cache
    def crossing(place: int) -> frozenset[int]:
        own = all_columns[place][order]
        others = (other for other in all_columns if other != place)
        return frozenset(other for other in others if _cross(own, all_columns[other][order]))

    groups = []
    while (bars := _narrowest(left, order, crossing)) is not None:
        groups.append(bars)
        left = {place: column for place, column in left.items() if place not in bars.columns}
    return groups


def _narrowest(
    values: Mapping[int, NDArray[np.float64]], order: NDArray[np.int64], crossing: Callable[[int], frozenset[int]]
) -> Bars | None:
    places = list(values)
    if len(places) < 4:
        return None
    rows = order[np.linspace(0, len(order) - 1, min(MOST_ROWS, len(order))).astype(int)]
    sample = np.stack([values[place][rows] for place in places])
    sample = sample[:, ~np.isnan(sample).all(axis=0)]
    beyond = np.isnan(sample[:, None] - sample[None])
    above = ((sample[:, None] >= sample[None]) | beyond).all(axis=2)
    varies = np.nanmax(sample, axis=1, initial=-np.inf) > np.nanmin(sample, axis=1, initial=np.inf)
    candidates = []
    for high in np.flatnonzero(varies):
        for low in np.flatnonzero(above[high] & varies):
            between = above[high] & above[:, low] & varies
            inside = [int(column) for column in np.flatnonzero(between) if column not in (high, low)]
            width = np.nanmedian(np.abs(sample[high] - sample[low]))
            size = np.nanmedian(np.abs(sample[inside])) if inside else 0.0
            if len(inside) >= 2 and high != low and 0 < width <= WIDEST_BAR * size:
                candidates.append((width / size, int(high), int(low), inside))
    for _, top, bottom, between_them in sorted(candidates, key=lambda one: one[0]):
        inside_them = [places[one] for one in between_them]
        bars = _told(values, order, places[top], places[bottom], inside_them, crossing)
        if bars is not None:
            return bars
    return None


def _told(
    values: Mapping[int, NDArray[np.float64]],
    order: NDArray[np.int64],
    high: int,
    low: int,
    inside: list[int],
    crossing: Callable[[int], frozenset[int]],
) -> Bars | None:
    """Open and close among the columns inside, or None where these are no bars."""
    if all(crossing(place).isdisjoint(inside) for place in inside):
        return None
    sound = all(
        not ((values[place] > values[high]) | (values[place] < values[low])).any() for place in inside
    )  # a comparison with a gap is false
    if not sound:
        return None
    pairs = []
    for first in inside:
        for last in inside:
            if last not in crossing(first):
                continue
            one, other = values[first][order], values[last][order]
            gap = np.nanmean(np.abs(one[1:] - other[:-1]))
            across = np.nanmean(np.abs(other[1:] - one[:-1]))
            same = np.array_equal(one, other, equal_nan=True)
            pairs.append((0.0 if same else gap / across if across > 0 else 1.0, first, last))
    ratio, first, last = min(pairs)
    others = tuple(place for place in inside if place not in (first, last))
    return Bars(first, high, low, last, others, bool(ratio < CLEARLY_NEARER))


def _cross(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether either is above the other in some rows, or both are the same in all."""
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return False
    up, down = (one[both] > other[both]).mean(), (one[both] < other[both]).mean()
    return bool((up >= LEAST_CROSSING and down >= LEAST_CROSSING) or up == down == 0)
