"""What the figures of *Character language models* have limits for, and what several of them read off a run."""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr

from goldviz.figures import limits, plot
from goldviz.figures.diagram import Colour, colour_quantities
from goldviz.figures.layers import LayerAxis, layer_quantities
from goldviz.figures.limits import Quantity, Reading, Values, decades, ends_of, log_of, padded

IMPOSSIBLE = 1e-4
"""Probabilities below are drawn as this one."""


def of_losses(*names: str) -> Reading:
    """The finite values of several losses."""

    def read(ds: xr.Dataset) -> Values:
        found = [ds[name].values.ravel() for name in names if name in ds]
        values = np.concatenate([np.array([]), *found])
        return np.asarray(values[np.isfinite(values)])

    return read


def _of_spreads(ds: xr.Dataset) -> Values:
    found = [ds[name].values.ravel() for name in ("activation_std", "expected_std") if name in ds]
    return np.concatenate([np.array([0.0]), *found])


COLOURS = (
    Colour("gradient_norm", "Gradient norm of the weights"),
    Colour("hidden_gradient_norm", "Gradient norm of the layer's output"),
    Colour("activation_std", "Spread of the activations"),
    Colour("update_to_data", "Update beside the weights"),
    Colour("gradient_to_data", "Gradient beside the weights"),
    Colour("saturation", "Saturated activations", "share"),
    Colour("dead_units", "Dead units", "share"),
)
"""What may colour the network's diagram."""

QUANTITIES = {
    **layer_quantities(
        layer=LayerAxis.of_names("layer"),
        hidden=LayerAxis(ends_of("hidden"), title="Hidden layer", noun="hidden layer"),
    ),
    "loss": Quantity(of_losses("loss", "dev_loss", "uniform_loss")),
    "dev_loss": Quantity(of_losses("train_loss", "dev_loss", "bigram_loss"), padded),
    "batch_statistics_loss": Quantity(of_losses("dev_loss", "batch_statistics_loss"), padded),
    "running_gap": Quantity(log_of("running_gap"), decades),
    "divergence": Quantity(log_of("divergence"), decades),
    "activation_std": Quantity(_of_spreads, padded),
    "step": Quantity(ends_of("step")),
    "look": Quantity(ends_of("look")),
    "close_look": Quantity(ends_of("close_look")),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
