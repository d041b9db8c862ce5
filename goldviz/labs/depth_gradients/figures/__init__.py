"""The figures of the laboratory *Gradient flow in depth*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.depth_gradients.settings.DepthGradients` declares it. A run that has
just begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.limits import log10
from goldviz.figures.thumbnail import networks_svg, polyline_svg
from goldviz.labs.depth_gradients.figures.layers import (
    decay_rate,
    gradient_by_layer,
    gradient_factor,
    gradient_heat_map,
    state_change,
)
from goldviz.labs.depth_gradients.figures.network import network
from goldviz.labs.depth_gradients.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.depth_gradients.figures.training import loss, loss_by_depth

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    gradient_by_layer,
    gradient_heat_map,
    loss,
    loss_by_depth,
    decay_rate,
    gradient_factor,
    state_change,
    network,
)


def picture(ds: Run) -> str:
    """The home page's picture: the gradient's norm by layer, log scale, mean over the epochs."""
    label = "Gradient norm of each layer on a log scale, from the input on the left to the read-out on the right."
    if "gradient_norm" not in ds or ds["gradient_norm"].size == 0:
        return polyline_svg([], label=label)
    return networks_svg(
        log10(ds["gradient_norm"].mean("epoch")).median("seed"), label=label, axes=("layer", "gradient, log scale")
    )
