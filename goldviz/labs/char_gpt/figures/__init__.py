"""The figures of the laboratory *Character GPT*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.figures.by_kind import offered
from goldviz.figures.language_model import picture
from goldviz.labs.char_gpt.figures.inside import attention, position_loss, positions, stream
from goldviz.labs.char_gpt.figures.network import network
from goldviz.labs.char_gpt.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.char_gpt.figures.samples import samples
from goldviz.labs.char_gpt.figures.training import bits, certainty, generalisation, gradient, loss

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    loss,
    samples,
    bits,
    attention,
    position_loss,
    positions,
    stream,
    generalisation,
    certainty,
    gradient,
    "gradient_by_layer",
    "activations",
    "activation_distribution",
    "hidden_gradient_distribution",
    "weight_gradient_distribution",
    "update_to_data",
    "gradient_to_data",
    network,
    # The figure of gradients shows both.
    without=("gradient_norm", "learning_rate"),
)
