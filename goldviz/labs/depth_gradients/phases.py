"""Where theory expects a deep network to become trainable: the depth that a signal survives at a gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

SCALES = 6.0
"""Depth scales up to which networks trained (Schoenholz et al. 2017, section 5)."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(101)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
ALIKE: Mapping[str, Any] = {
    "activation": "tanh", "initialisation": "xavier", "normalisation": "none", "dropout": 0.0, "noise": 0.0,
}  # fmt: skip
"""The settings that the theory is of: with them weights have the variance gain² over fan-in, and biases are zero."""


def depth_scale(gain: float) -> float:
    """Over how many layers the correlation of two inputs changes by a factor e in a wide tanh network without biases.

    Below gain 1 every signal shrinks by gain² a layer, ξ = -1 / ln gain². Above, lengths come to q = gain² E tanh²(√q
    z), and correlations vanish by gain² (E sech²(√q z))² a layer (Poole et al. 2016; Schoenholz et al. 2017, eq. 9).
    Infinite at gain 1, order's border to chaos.
    """
    factor = gain**2
    if gain > 1:
        q = _length(gain)
        slope = float(WEIGHTS @ (1 / np.cosh(math.sqrt(q) * NODES) ** 2))
        factor = gain**2 * slope**2
    return math.inf if factor >= 1 else -1 / math.log(factor)


def _length(gain: float) -> float:
    """The squared length of a unit's sum to which layers lead, by bisection: below it the map makes it longer."""
    low, high = 0.0, gain**2
    for _ in range(80):
        q = (low + high) / 2
        longer = gain**2 * float(WEIGHTS @ np.tanh(math.sqrt(q) * NODES) ** 2) > q
        low, high = (q, high) if longer else (low, q)
    return (low + high) / 2


def theory(settings: Mapping[str, Any], x: str, y: str) -> tuple[str, Callable[[float], float]] | None:
    """The line that theory draws over two settings of a sweep, with its words; None where it says nothing of them."""
    if (x, y) != ("gain", "depth") or any(settings.get(name) != value for name, value in ALIKE.items()):
        return None
    return "Theory: depth = 6 ξ (Schoenholz et al. 2017)", lambda gain: SCALES * depth_scale(gain)
