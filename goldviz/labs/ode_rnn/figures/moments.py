"""Moments along *ODE-RNN*'s probe sequence: which are drawn, where it jumps, and lines with the jumps between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_MOMENTS = 1400
"""Moments drawn at most in all panels of a figure of the probe; more would not be told apart."""


def jump_places(moments: NDArray[Any]) -> NDArray[np.intp]:
    """Indices of the moments just before a jump: the next one has the same time.

    >>> jump_places(np.array([0.0, 0.0, 0.5, 1.0, 1.0]))
    array([0, 3])
    """
    return np.flatnonzero(np.diff(moments) == 0)


def drawn_moments(moments: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Indices of the moments to draw: both sides of every jump and the last one, and of the rest as many as fit.

    >>> drawn_moments(np.array([0.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1.0]), most=5)
    array([0, 1, 4, 5, 6])
    """
    sides = np.zeros(len(moments), dtype=bool)
    cuts = jump_places(moments)
    sides[cuts] = sides[cuts + 1] = sides[-1] = True
    rest = np.flatnonzero(~sides)
    stride = max(1, -(-len(rest) // max(1, most - int(sides.sum()))))
    sides[rest[stride - 1 :: stride]] = True
    return np.flatnonzero(sides)


def lifted(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Values along the moments (last axis) with NaN inside each jump, where a line is to be lifted.

    >>> lifted(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1., nan,  2.,  3.], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return np.insert(np.asarray(values, dtype=np.float32), cuts + 1, np.nan, axis=-1)


def uprights(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The two sides of every jump and a NaN after them, along the last axis: what a line of jumps is drawn from.

    >>> uprights(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1.,  2., nan], dtype=float32)
    """
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        before, after = values[..., cuts], values[..., cuts + 1]
        sides = np.stack([before, after, np.full(before.shape, np.nan)], axis=-1).astype(np.float32)
        return sides.reshape(*before.shape[:-1], 3 * len(cuts))
