"""About how long it takes to look into a text, so that a page can say so and choose how to wait."""

from __future__ import annotations

from goldviz.labs.inside_bert.attention.flow import MOST_FLOW_WORK
from goldviz.models.text.encoder import EncoderShape

OPERATIONS_A_SECOND = 3e10
"""Multiplications and additions of a forward pass on a few CPU cores, fitted low to encoders of 4 and 12 layers."""
SECONDS_A_LAYER = 4e-4
"""What a layer costs however short the text is."""
SUMMARY_SECONDS = 1e-8
"""A weight of a head's map that goes into the head's numbers and its tile."""
FLOW_SECONDS = 3e-8
"""A path of a maximum flow through layers of pieces."""
NEIGHBOUR_SECONDS = 1e-9
"""A number of the table of embeddings that is compared with a piece's."""
BACKWARD = 3.0
"""A forward and backward pass in forward passes."""


def forward_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long one forward pass over so many pieces takes, with all that is kept of it."""
    weights = 4 * shape.width**2 + 2 * shape.width * shape.inner
    operations = 2.0 * shape.layers * pieces * (weights + 2 * pieces * shape.width)
    return shape.layers * SECONDS_A_LAYER + operations / OPERATIONS_A_SECOND


def reading_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long reading so many pieces takes: a forward pass, and a look at every head's map."""
    return forward_seconds(shape, pieces) + SUMMARY_SECONDS * shape.layers * shape.heads * pieces**2


def twice_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long reading them twice takes."""
    return 2 * reading_seconds(shape, pieces)


def layer_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to follow the pieces through one layer: it is walked with every part kept, and its
    feed-forward network once more."""
    return 2 * forward_seconds(shape, pieces) / shape.layers


def gradient_seconds(shape: EncoderShape, pieces: int, steps: int) -> float:
    """About how long integrated gradients with so many steps take."""
    return BACKWARD * steps * forward_seconds(shape, pieces)


def ablation_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to switch every head off in turn; layers below a head need not be walked again."""
    return 0.5 * (shape.layers + 1) * shape.heads * forward_seconds(shape, pieces)


def shares_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to share a query out by five measures: through the layers once, and a maximum flow."""
    work = ((shape.layers - 1) * pieces + 1) * pieces**2
    return forward_seconds(shape, pieces) + FLOW_SECONDS * min(work, MOST_FLOW_WORK)


def neighbour_seconds(shape: EncoderShape, _pieces: int) -> float:
    """About how long the search for a piece's neighbours takes, however long the text is."""
    return NEIGHBOUR_SECONDS * shape.vocabulary * shape.width


def order_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to read a text in two orders with positions and without, and as one sentence."""
    return 6 * forward_seconds(shape, pieces)


def everything_seconds(shape: EncoderShape, pieces: int, steps: int) -> float:
    """About how long all that a report holds takes."""
    return 17 * forward_seconds(shape, pieces) + gradient_seconds(shape, pieces, steps)
