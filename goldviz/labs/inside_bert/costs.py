"""About how long it takes to look into a text, so that a page can say so and choose how to wait."""

from __future__ import annotations

from goldviz.models.text.encoder import EncoderShape

OPERATIONS_A_SECOND = 3e10
"""Multiplications and additions of a forward pass on a few CPU cores, fitted low to encoders of 4 and 12 layers."""
SECONDS_A_LAYER = 4e-4
"""What a layer costs however short the text is."""
BACKWARD = 3.0
"""A forward and backward pass in forward passes."""


def forward_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long one forward pass over so many pieces takes, with all that is kept of it."""
    weights = 4 * shape.width**2 + 2 * shape.width * shape.inner
    operations = 2.0 * shape.layers * pieces * (weights + 2 * pieces * shape.width)
    return shape.layers * SECONDS_A_LAYER + operations / OPERATIONS_A_SECOND


def gradient_seconds(shape: EncoderShape, pieces: int, steps: int) -> float:
    """About how long integrated gradients with so many steps take."""
    return BACKWARD * steps * forward_seconds(shape, pieces)


def ablation_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to switch every head off in turn; layers below a head need not be walked again."""
    return 0.5 * (shape.layers + 1) * shape.heads * forward_seconds(shape, pieces)
