"""What activations say of a network: their mean and spread, flat and dead units."""

from __future__ import annotations

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.gradients import spread
from goldviz.models.feedforward.activations import Activation

FLAT = 0.05
"""An activation sits on a flat part where phi' is below this share of its largest value."""


class ActivationStatistics(NamedTuple):
    """One number for each layer; see :func:`activation_statistics`."""

    mean: Float[Tensor, " layer"]
    std: Float[Tensor, " layer"]
    saturation: Float[Tensor, " layer"]
    dead_units: Float[Tensor, " layer"]


def activation_statistics(
    hidden: Float[Tensor, "layer sample unit"], sums: Float[Tensor, "layer sample unit"], activation: Activation
) -> ActivationStatistics:
    """Read each layer's hidden states h and the sums z under its nonlinearity phi.

    Mean and standard deviation are of h over all samples and units. ``saturation`` is the share of z at which
    |phi'(z)| < 0.05 max phi': |tanh| above 0.975, a sigmoid outside 0.013 to 0.987, ReLU at zero; LeakyReLU has no flat
    part unless its slope is below 0.05. ``dead_units`` is the share of units that are flat for every sample, so that no
    sample moves their weights.
    """
    values = hidden.flatten(1)
    flat = activation.derivative(sums).abs_().lt_(FLAT * activation.steepest)
    flat_share = flat.mean(dim=1)
    return ActivationStatistics(values.mean(1), spread(values), flat_share.mean(1), (flat_share == 1).float().mean(1))
