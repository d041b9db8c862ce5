"""Bins: the line of numbers cut into intervals, each of them a token; and tokens of which each is a normal.

Document 002, sections 1.3.4 and 2.4, names bounds, rounding and clusters and gives no formulas. What a token says about
the number that it stands for is goldviz's choice: uniform inside a bin, exponential beyond the outermost edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy import special

Numbers = Float[np.ndarray, "*any"]
BASIS_POINT = 1e-4
OUTER_SHARE = 0.005
"""Bins of equal width reach from this quantile to its mirror; what lies beyond belongs to the two tails."""


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


@dataclass(frozen=True)
class Bins:
    """Tokens 0 to K-1 from the lowest to the highest interval; ``edges`` (K-1,) part them, each ascending.

    ``excess`` are the mean distances of what was learnt from beyond the lowest and beyond the highest edge: the scales
    of the tails.
    """

    edges: Float[np.ndarray, " edge"]
    excess: tuple[float, float]

    @classmethod
    def at(cls, edges: Float[np.ndarray, " edge"], sample: Float[np.ndarray, " day"]) -> Bins:
        """Bins with these edges, their tails as wide as the sample's."""
        below, above = edges[0] - sample[sample < edges[0]], sample[sample >= edges[-1]] - edges[-1]
        usual = float(sample.std())
        return cls(edges, (_mean_distance(below, usual), _mean_distance(above, usual)))

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return len(self.edges) + 1

    def tokens(self, values: Float[np.ndarray, " day"]) -> Int[np.ndarray, " day"]:
        """The bin of each value; a value on an edge belongs to the bin above.

        >>> Bins(np.array([-1.0, 1.0]), (1.0, 1.0)).tokens(np.array([-3.0, -1.0, 0.0, 1.0])).tolist()
        [0, 1, 1, 2]
        """
        return np.asarray(np.searchsorted(self.edges, values, side="right"))

    def log_densities(self, values: Float[np.ndarray, " day"]) -> Float[np.ndarray, "day token"]:
        """log f_k(x): minus the log of the bin's width inside of it, minus infinity outside.

        Beyond the outermost edge the density is exp(-d / s) / s at the distance d, with s the mean excess. So the loss
        of the value is that of the token plus the log of the bin's width: losses of different bins can be compared.
        """
        own, densities = self.tokens(values), np.full((len(values), self.count), -np.inf)
        inside = np.append(np.append(np.nan, -np.log(np.diff(self.edges))), np.nan)[own]
        low = -(self.edges[0] - values) / self.excess[0] - np.log(self.excess[0])
        high = -(values - self.edges[-1]) / self.excess[1] - np.log(self.excess[1])
        density = np.where(own == 0, low, np.where(own == self.count - 1, high, inside))
        densities[np.arange(len(values)), own] = density
        return densities

    def cumulative(self, values: Float[np.ndarray, " value"]) -> Float[np.ndarray, "value token"]:
        """The probability of at most each value, given each token."""
        x = values[:, None]
        inside = (x - self.edges[:-1]) / np.diff(self.edges)
        low = np.exp(-np.maximum(self.edges[0] - x, 0) / self.excess[0])
        high = 1 - np.exp(-np.maximum(x - self.edges[-1], 0) / self.excess[1])
        return np.asarray(np.clip(np.concatenate([low, inside, high], axis=1), 0.0, 1.0))


def equal_width_bins(sample: Float[np.ndarray, " day"], count: int) -> Bins:
    """Bins of equal width over the middle 99 % of a sample, and a tail on each side.

    Raises ``ValueError`` where the sample has fewer different values than bins are asked for.
    """
    check_different(sample, count)
    low, high = np.quantile(sample, [OUTER_SHARE, 1 - OUTER_SHARE])
    edges = np.linspace(low, high, count - 1) if count > 2 else np.array([(low + high) / 2])
    return Bins.at(edges, sample)


def basis_point_bins(sample: Float[np.ndarray, " day"], count: int, width: float) -> Bins:
    """Bins of ``width`` basis points (0.0001) around zero, whatever the sample is: only the tails are learned from it.

    Document 002, section 2.4: a number is bounded to a plausible range and rounded. Raises ``ValueError`` as
    :func:`equal_width_bins` does.

    >>> basis_point_bins(np.array([-0.02, -0.001, 0.0, 0.003]), 4, 25.0).edges.tolist()
    [-0.0025, 0.0, 0.0025]
    """
    check_different(sample, count)
    return Bins.at((np.arange(1, count) - count / 2) * width * BASIS_POINT, sample)


def quantile_bins(sample: Float[np.ndarray, " day"], count: int) -> Bins:
    """Bins that hold equally many of a sample each.

    Raises ``ValueError`` where the sample has fewer different values than bins are asked for, or so many equal ones
    that two edges fall together.

    >>> quantile_bins(np.arange(8.0), 4).edges.tolist()
    [1.75, 3.5, 5.25]
    """
    check_different(sample, count)
    edges = np.quantile(sample, np.arange(1, count) / count)
    if len(np.unique(edges)) < len(edges):
        raise ValueError(
            f"So many days have the same return that {count} bins cannot hold equally many each; take fewer tokens"
        )
    return Bins.at(edges, sample)


def check_different(sample: Float[np.ndarray, " day"], count: int) -> None:
    """Raise ``ValueError`` where a sample has fewer different values than tokens are asked for."""
    different = len(np.unique(sample))
    if different < count:
        raise ValueError(f"{count} tokens need as many different returns to be learned from; there are {different}")


def _mean_distance(distances: Float[np.ndarray, " beyond"], usual: float) -> float:
    return float(distances.mean()) if len(distances) and distances.mean() > 0 else usual
