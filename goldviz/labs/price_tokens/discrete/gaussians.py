"""Tokens that say of the next move that it is normal."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special

Numbers = Float[np.ndarray, "*any"]


def log_normal(values: Numbers, means: Numbers, deviations: Numbers) -> Numbers:
    """log N(x; mean, deviation^2), of shapes that fit.

    >>> log_normal(np.zeros(1), np.zeros(1), np.ones(1)).round(4).tolist()
    [-0.9189]
    """
    distance = (values - means) / deviations
    return np.asarray(-np.square(distance) / 2 - np.log(deviations) - np.log(2 * np.pi) / 2)


class NormalTokens:
    """A mean and a standard deviation of the next move for each token."""

    means: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return len(self.means)

    def log_densities(self, values: Float[np.ndarray, " day"]) -> Float[np.ndarray, "day token"]:
        """log N(x; mean, deviation^2) of each token."""
        return log_normal(values[:, None], self.means, self.deviations)

    def cumulative(self, values: Float[np.ndarray, " value"]) -> Float[np.ndarray, "value token"]:
        """The probability of at most each value, given each token."""
        return np.asarray(special.ndtr((values[:, None] - self.means) / self.deviations))
