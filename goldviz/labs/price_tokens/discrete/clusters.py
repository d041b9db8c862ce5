"""Windows of returns, their summaries, and clusters of these: k-means and Gaussian mixtures.

k-means minimises sum ||x - c||^2 (Lloyd 1982); a mixture maximises the likelihood by EM (Dempster, Laird and Rubin
1977). Both are scikit-learn's. Document 002, section 1.3.4, names them. Labels of two fits are matched: which of
the new ones means which of the old ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

from goldviz.labs.price_tokens.discrete.bins import Bins, NormalTokens, check_different

LEAST_RMS = 1e-3
"""Of the sample's: the logarithm of a window that never moved is that of this share."""
RESTARTS = 4
LEAST_VARIANCE = 1e-4
LEAST_SHARE = 0.02
"""A token's standard deviation is no less than this share of the sample's."""
Labelled = Callable[[Float[np.ndarray, " day"]], Int[np.ndarray, " day"]]
"""The token of each day of a series of returns, from that day and those before."""


def windows_of(returns: Float[np.ndarray, " day"], length: int) -> Float[np.ndarray, "day window"]:
    """The last ``length`` returns of every day, the newest last; zeros before the first.

    >>> windows_of(np.array([1.0, 2.0, 3.0]), 2).tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    """
    series = np.concatenate([np.zeros(length - 1), returns])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(series, length))


def summaries(returns: Float[np.ndarray, " day"], length: int, unit: float) -> Float[np.ndarray, "day summary"]:
    """Of every window its sum over the root of its sum of squares, and the log of its root mean square in ``unit``.

    The first says which way the window went, the second how far it moved. Windows that begin before the first return
    are of what there is.
    """
    lengths = np.minimum(np.arange(1, len(returns) + 1), length)
    windows = windows_of(returns / unit, length)
    size = np.maximum(np.sqrt(np.square(windows).sum(axis=1) / lengths), LEAST_RMS)
    return np.stack([windows.sum(axis=1) / (size * np.sqrt(lengths)), np.log(size)], axis=1)


@dataclass(frozen=True)
class Clusters(NormalTokens):
    """Tokens of windows; a token says of the newest return that it is normal, with what was learnt from its days."""

    label: Labelled
    means: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]

    def tokens(self, returns: Float[np.ndarray, " day"]) -> Int[np.ndarray, " day"]:
        """The token of the window that ends on each day."""
        return np.asarray(self.label(returns), np.int64)


def k_means(returns: Float[np.ndarray, " day"], count: int, window: int, seed: int) -> Bins | Clusters:
    """k-means of windows. Of single returns it makes bins, whose edges lie midway between neighbouring centres."""
    from sklearn.cluster import KMeans  # Importing it takes longer than most fits.

    check_different(returns, count)
    unit = float(returns.std())
    clusters = KMeans(count, n_init=RESTARTS, random_state=seed).fit(_seen(returns, window, unit))
    if window == 1:
        centres = np.sort(clusters.cluster_centers_[:, 0]) * unit
        return Bins.at((centres[1:] + centres[:-1]) / 2, returns)
    return described(lambda series: clusters.predict(_seen(series, window, unit)), returns, count)


def gaussian_mixture(returns: Float[np.ndarray, " day"], count: int, window: int, seed: int) -> Clusters:
    """A Gaussian mixture of windows; the token is the likeliest component."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    check_different(returns, count)
    unit = float(returns.std())
    model = GaussianMixture(count, random_state=seed, reg_covar=LEAST_VARIANCE, init_params="k-means++")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # What it came to is judged by its forecasts.
        mixture = model.fit(_seen(returns, window, unit))
    return described(lambda series: mixture.predict(_seen(series, window, unit)), returns, count)


def described(label: Labelled, returns: Float[np.ndarray, " day"], count: int) -> Clusters:
    """Tokens with the mean and the standard deviation of the returns on their days.

    A token that no day has, or one day alone, takes those of all days.
    """
    own, unit = label(returns), float(returns.std())
    means, deviations = np.full(count, returns.mean()), np.full(count, unit)
    for token in range(count):
        days = returns[own == token]
        if len(days) > 1:
            means[token], deviations[token] = days.mean(), max(float(days.std()), LEAST_SHARE * unit)
    return Clusters(label, means, deviations)


def _seen(returns: Float[np.ndarray, " day"], window: int, unit: float) -> Float[np.ndarray, "day summary"]:
    return returns[:, None] / unit if window == 1 else summaries(returns, window, unit)


def shared_days(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"], count: int) -> Int[np.ndarray, "old new"]:
    """On how many days each old token meets each new one."""
    days = np.zeros((count, count), np.int64)
    np.add.at(days, (old, new), 1)
    return days


def matched(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"], count: int) -> list[int]:
    """For each old token the new one that stands for it, so that as many days as possible agree (Kuhn 1955).

    >>> matched(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1]), 3)
    [2, 0, 1]
    """
    _, partners = linear_sum_assignment(-shared_days(old, new, count))
    return [int(one) for one in partners]


def agreement(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"]) -> float:
    """The share of days with the same label."""
    return float(np.mean(old == new))
