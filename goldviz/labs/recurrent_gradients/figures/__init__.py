"""The figures of the laboratory *Memory through time*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.recurrent_gradients.settings.RecurrentGradients` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it. A run that has just
begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import finite
from goldviz.figures.thumbnail import networks_svg, polyline_svg
from goldviz.labs.recurrent_gradients.figures.by_lag import by_lag
from goldviz.labs.recurrent_gradients.figures.gates import gates, recurrent_matrix, saturation
from goldviz.labs.recurrent_gradients.figures.network import network
from goldviz.labs.recurrent_gradients.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.recurrent_gradients.figures.time import (
    jacobian_by_lag,
    lag_contribution,
    state_gradient_map,
)
from goldviz.labs.recurrent_gradients.figures.training import accuracy, loss, update_to_data

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    jacobian_by_lag,
    loss,
    "state_gradient",
    state_gradient_map,
    lag_contribution,
    gates,
    by_lag,
    recurrent_matrix,
    saturation,
    "clipping",
    update_to_data,
    "gradient_to_data",
    accuracy,
    network,
)


def picture(ds: Run) -> str:
    """The home page's picture: the Jacobian product's norm by lag, log scale, at the last look."""
    label = "How much of a signal survives on a log scale, by the number of steps it travels through time."
    if "log_jacobian_norm" not in ds or ds["log_jacobian_norm"].size == 0:
        return polyline_svg([], label=label)
    return networks_svg(
        finite(ds["log_jacobian_norm"].isel(look=-1)).median("seed"),
        label=label,
        axes=("steps through time", "signal left, log scale"),
    )
