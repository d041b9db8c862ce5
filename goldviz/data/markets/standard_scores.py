"""Values in standard deviations from the mean of the rows that may be learned from; what is missing stays missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

FARTHEST = 10.0
"""Values farther out than so many standard deviations are read as this far out: what they mean, no network learned."""


class ChannelMoments(NamedTuple):
    """Mean and standard deviation of each channel's observations; NaN for a channel without two different ones."""

    mean: Float[np.ndarray, " channels"]
    spread: Float[np.ndarray, " channels"]

    @classmethod
    def of(cls, values: Float[np.ndarray, "rows channels"]) -> ChannelMoments:
        """Those of the values that are not NaN.

        >>> ChannelMoments.of(np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0]]))
        ChannelMoments(mean=array([ 2., nan]), spread=array([ 1., nan]))
        """
        present = np.isfinite(values)
        count = np.where(present.any(axis=0), present.sum(axis=0), np.nan)
        mean = np.where(present, values, 0.0).sum(axis=0) / count
        spread = np.sqrt(np.where(present, np.square(values - mean), 0.0).sum(axis=0) / count)
        # Equal numbers have a mean that differs from them by rounding.
        varies = spread > 1e-12 * np.abs(mean)
        return cls(np.where(varies, mean, np.nan), np.where(varies, spread, np.nan))


def standard_scores(values: Float[np.ndarray, "rows channels"], learnt: slice) -> Float[np.ndarray, "rows channels"]:
    """By the moments of the rows ``learnt``; a channel that does not vary there is missing everywhere."""
    moments = ChannelMoments.of(values[learnt])
    return np.asarray(np.clip((values - moments.mean) / moments.spread, -FARTHEST, FARTHEST))
