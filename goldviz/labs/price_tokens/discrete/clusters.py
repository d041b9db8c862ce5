"""Clusters of windows of returns: k-means and Gaussian mixtures.

k-means minimises sum ||x - c||^2 (Lloyd 1982); a mixture maximises the likelihood by EM (Dempster, Laird and Rubin
1977). Both are scikit-learn's. Document 002, section 1.3.4, names them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from goldviz.labs.price_tokens.discrete.bins import Bins, check_different
from goldviz.labs.price_tokens.discrete.gaussians import NormalTokens
from goldviz.labs.price_tokens.discrete.windows import summaries

RESTARTS = 4
LEAST_VARIANCE = 1e-4
LEAST_SHARE = 0.02
"""A token's standard deviation is no less than this share of the sample's."""

Labelled = Callable[[Float[np.ndarray, " day"]], Int[np.ndarray, " day"]]
"""The token of each day of a series of returns, from that day and those before."""


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
