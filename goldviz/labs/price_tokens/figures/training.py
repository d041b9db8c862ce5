"""How the models of the next token learn."""

from __future__ import annotations

import numpy as np

from goldviz.figures.draft import Figure
from goldviz.figures.fits import losses_of_fits
from goldviz.figures.plot import Plot
from goldviz.labs.price_tokens.figures.quantities import KINDS, figure


@figure(
    "Does it learn, or learn by heart?",
    needs=("loss", "validation_loss", "token_name"),
    kinds=KINDS,
    shows="Training and validation loss, and the epochs that forecast.",
)
def loss(plot: Plot) -> Figure:
    """The loss of the next token over the epochs, in nats; ln K is that of saying all alike."""
    count = plot.ds.sizes["token_name"]
    return losses_of_fits(plot, f"All {count} alike: {np.log(count):.3f} nat.", title="Loss (nat)")
