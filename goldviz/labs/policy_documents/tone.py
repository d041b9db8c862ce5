"""One number for the tone of a document: the probability of positive less that of negative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def tone_balance(
    probabilities: Float[np.ndarray, "document label"], labels: Sequence[str]
) -> Float[np.ndarray, " document"]:
    """P(positive) - P(negative), from -1 to 1; NaN where the model has no such labels.

    >>> tone_balance(np.array([[0.1, 0.2, 0.7]]), ["Negative", "Neutral", "Positive"]).round(6).tolist()
    [0.6]
    """
    names = [label.lower() for label in labels]
    if not {"positive", "negative"} <= set(names) or probabilities.shape[-1] != len(names):
        return np.full(len(probabilities), np.nan)
    wide = np.asarray(probabilities, np.float64)
    return wide[:, names.index("positive")] - wide[:, names.index("negative")]
