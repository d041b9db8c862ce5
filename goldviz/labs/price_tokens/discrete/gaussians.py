"""Gaussian densities of several tokens at once."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special


def log_densities_of(
    values: Float[np.ndarray, " day"], means: Float[np.ndarray, " token"], deviations: Float[np.ndarray, " token"]
) -> Float[np.ndarray, "day token"]:
    """log N(x; mean_k, deviation_k^2) of every value for every token.

    >>> log_densities_of(np.zeros(1), np.zeros(1), np.ones(1)).round(4).tolist()
    [[-0.9189]]
    """
    distance = (values[:, None] - means) / deviations
    return np.asarray(-np.square(distance) / 2 - np.log(deviations) - np.log(2 * np.pi) / 2)


def probabilities_up_to(
    values: Float[np.ndarray, " value"], means: Float[np.ndarray, " token"], deviations: Float[np.ndarray, " token"]
) -> Float[np.ndarray, "value token"]:
    """The probability of at most each value, for every token."""
    return np.asarray(special.ndtr((values[:, None] - means) / deviations))
