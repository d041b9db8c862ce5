"""Attention rollout: raw attention followed from layer to layer down to the input (Abnar and Zuidema 2020, section 3).

It treats what a token holds as passed on unchanged in shares, half through the residual path. Values, norms and the
feed-forward networks play no part, so it is a summary of the weights and no proof of what the model used.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from goldviz.labs.inside_bert.reading import TextReading


def mixed_attention(reading: TextReading, layer: int) -> Float[np.ndarray, "query key"]:
    """A_bar = (A + I) / 2 in float64, with A the mean over the heads of ``layer``; its rows sum to 1.

    Raises IndexError for a layer that the model does not have.
    """
    weights: np.ndarray = reading.attention(layer).weights[0].mean(0).double().cpu().numpy()
    # The softmax in float32 leaves sums that are off by 1e-7, which a product over layers would add up.
    weights /= 2 * weights.sum(1, keepdims=True)
    np.fill_diagonal(weights, weights.diagonal() + 0.5)
    return weights
