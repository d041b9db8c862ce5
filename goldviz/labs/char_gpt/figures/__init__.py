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
    network,
    # It goes under another name here.
    without=("gradient_norm",),
)
