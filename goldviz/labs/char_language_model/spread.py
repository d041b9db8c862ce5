"""How wide signals are behind each of many tanh layers: what Kaiming's gain keeps, and what it does not.

Document 002, 1.3.1, says that 5/3 keeps the outputs' variance at 1. A tanh's output has a smaller variance than that
always. A wide layer's sums are normal; with weights of spread g / sqrt(inputs) their variance is g² q, q the mean
square of the inputs, so q' = E tanh²(g sqrt(q) x), x standard normal. From 5/3 the standard deviation settles at 0.651.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy import ndarray

NODES = 80
"""Of Gauss and Hermite's rule, by which the mean is taken."""


def tanh_spread(gain: float, layers: int) -> Float[ndarray, " layer"]:
    """Standard deviations of the outputs of so many layers of one gain, on inputs of mean square 1.

    >>> [round(float(tanh_spread(gain, 60)[-1]), 3) for gain in (5 / 3, 1.0)]
    [0.651, 0.092]
    """
    return spreads_of([(gain**2, 0.0)] * layers)


def spreads_of(variances: Sequence[tuple[float, float]]) -> Float[ndarray, " layer"]:
    """The same of layers whose sums have the variance a q + b, (a, b) of each layer, on inputs of mean square 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    squares, square = [], 1.0
    for factor, offset in variances:
        square = float((weights * np.tanh(np.sqrt(factor * square + offset) * nodes) ** 2).sum())
        squares.append(square)
    return np.sqrt(squares)
