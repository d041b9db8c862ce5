"""What training does epoch by epoch: losses of all refits, gradients and steps by layer."""

from __future__ import annotations

from goldviz.figures import fits, layers
from goldviz.labs.gold_forecast.figures.quantities import AT_FIRST_EPOCH, KINDS, figure, missing

loss = fits.loss_by_fit.of(
    figure,
    KINDS,
    name="loss",
    needs=(),
    instead=missing("loss", waiting=AT_FIRST_EPOCH),
    shows="Training and validation loss of every refit, and the epochs that forecast.",
)

gradient_by_layer = layers.gradient_by_layer.of(
    figure,
    KINDS,
    needs=(),
    instead=missing("gradient_norm", waiting=AT_FIRST_EPOCH),
    shows="The gradient's length by layer before clipping, in the last refit.",
)

update_to_data = layers.update_to_data.of(
    figure,
    KINDS,
    needs=(),
    instead=missing("update_to_data", waiting=AT_FIRST_EPOCH),
    shows="How large the steps are beside the weights, in the last refit.",
)
