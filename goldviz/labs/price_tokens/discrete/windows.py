"""The returns that a token stands for: the last ones of every day, and their summary."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

LEAST_RMS = 1e-3
"""Of the sample's: the logarithm of a window that never moved is that of this share."""


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
