"""Attention rollout: raw attention followed from layer to layer down to the input (Abnar and Zuidema 2020, section 3).

It treats what a token holds as passed on unchanged in shares, half through the residual path. Values, norms and the
feed-forward networks play no part, so it is a summary of the weights and no proof of what the model used.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from goldviz.diagnostics.text.reading import ReportSteps, TextReading


def mixed_attention(reading: TextReading, layer: int) -> Float[np.ndarray, "query key"]:
    """A_bar = (A + I) / 2 in float64, with A the mean over the heads of ``layer``; its rows sum to 1.

    Raises IndexError for a layer that the model does not have.
    """
    weights: np.ndarray = reading.attention(layer).weights[0].mean(0).double().cpu().numpy()
    # The softmax in float32 leaves sums that are off by 1e-7, which a product over layers would add up.
    weights /= 2 * weights.sum(1, keepdims=True)
    np.fill_diagonal(weights, weights.diagonal() + 0.5)
    return weights


def rollout(reading: TextReading, report: ReportSteps | None = None) -> Float[np.ndarray, "layer query input"]:
    """A~_l = A_bar_l A~_(l-1) with A~_0 = I, for all layers, in float64 (25 MB for 12 layers at 512 pieces).

    Row i of layer l says how the token i after that layer is made up of the input's tokens, and sums to 1.
    """
    layers, pieces = reading.model.encoder.shape.layers, len(reading.pieces)
    rolled = np.empty((layers, pieces, pieces))
    for layer in range(layers):
        mixed = mixed_attention(reading, layer)
        rolled[layer] = mixed @ rolled[layer - 1] if layer else mixed
        if report is not None:
            report(layer + 1, layers)
    return rolled
