"""The figures of the laboratory *Continuous depth*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.continuous_depth.settings.ContinuousDepth` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it.
"""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.limits import log10
from goldviz.figures.reading import absence, networks
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.continuous_depth.figures.network import network
from goldviz.labs.continuous_depth.figures.paths import carried, decision
from goldviz.labs.continuous_depth.figures.quantities import DEPTH_NETWORKS, KINDS, figure, shared_limits
from goldviz.labs.continuous_depth.figures.solver import adjoint, euler_steps, tolerance
from goldviz.labs.continuous_depth.figures.training import evaluations, field, loss

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    carried,
    loss,
    decision,
    evaluations,
    euler_steps,
    field,
    adjoint,
    tolerance,
    network,
)


def picture(ds: Run) -> str:
    """The home page's picture: the distance from the flow over the number of Euler steps, on log scales."""
    label = "Distance between a residual network and the flow, which shrinks as its blocks grow in number."
    if absence(ds, "error_by_blocks"):
        return polyline_svg([], label=label)
    errors = log10(ds["error_by_blocks"])
    curves = []
    for name in networks(ds):
        style = DEPTH_NETWORKS[name]
        curves.append(Curve(style.label, np.asarray(errors.sel(network=name)), style.colour, style.dash))
    return polyline_svg(curves, label=label, axes=("blocks, log scale", "distance, log scale"))
