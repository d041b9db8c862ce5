"""What the figures of *Memory through time* have limits for, and the readings that need more than a variable."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import Colour, Reading, colour_quantities
from goldviz.figures.layers import LayerAxis
from goldviz.figures.limits import Quantity, Values, decades, ends_of, log_of, magnitudes, padded, places, values_of
from goldviz.figures.reading import finite, networks
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.models.recurrent.cells import CELLS

FADED = -2.0
"""log10 of the share below which a signal counts as gone: a hundredth."""

GATES = {name: cell.gates for name, cell in CELLS.items() if cell.gates}
"""The gates of each network that has any (document 001, eq. 10-12, 21-22)."""

BOUND_ROOM = 4.0
"""Decades beyond the measured norms up to which the axis follows the bound, which may grow without end."""


def fading_lag(logarithms: Array) -> Array:
    """The first lag at which a Jacobian norm (log10, dimension ``lag``) is below a hundredth; NaN if it never is.

    Minus infinity, a product that is exactly zero, counts as below; NaN does not.
    """
    below = logarithms < FADED
    first = below["lag"].isel(lag=below.argmax("lag"))
    return first.where(below.any("lag")).drop_vars("lag", errors="ignore")


def gates_of(ds: Run) -> list[tuple[str, str]]:
    """The (network, gate) pairs of a run, network by network."""
    gates = {str(gate) for gate in ds["gate"].values}
    return [(n, gate) for n in networks(ds) for gate in GATES.get(n, ()) if gate in gates]


def _finite_values(ds: Run, *names: str) -> Values:
    values = values_of(*names)(ds)
    return np.asarray(values[np.isfinite(values)])


def _of_jacobian(ds: Run) -> Values:
    norms = _finite_values(ds, "log_jacobian_norm", "log_cell_path")
    if not norms.size:
        return norms
    bound = _finite_values(ds, "log_bound")
    visible = bound[(bound <= norms.max() + BOUND_ROOM) & (bound >= norms.min() - BOUND_ROOM)]
    return np.concatenate([norms, visible, [0.0, FADED]])


def _whole_decades(low: float, high: float) -> tuple[float, float]:
    return (float(np.floor(low - 0.2)), float(np.ceil(high + 0.2)))


def _of_loss_by_lag(ds: Run) -> Values:
    return values_of("loss_by_lag", "memoryless_loss_by_lag")(ds) if "loss_by_lag" in ds else np.array([])


def _of_matrix(ds: Run) -> Values:
    return np.append(values_of("spectral_radius", "spectral_norm")(ds), 1.0)


def contribution_share(ds: Run | plot.Now) -> Array:
    """Each lag's share of the summed norms of eq. 6's contributions; NaN where their sum is zero or not finite."""
    norms = finite(ds["lag_contribution"].astype(np.float64))
    total = norms.sum("lag")
    return norms / total.where(total > 0)


COLOURS = (
    Colour("signal", "What a step back leaves of a signal", "log10", readings=(Reading("log_jacobian_norm"),)),
    Colour(
        "gate_opening",
        "How far gates are open",
        "share",
        readings=(Reading("gate_opening", lambda opening: opening.mean("time")),),
    ),
    Colour(
        "stuck",
        "Stuck gates, saturated state",
        "share",
        readings=(
            Reading("gate_saturation"),
            Reading("state_saturation", lambda share: share.expand_dims(cell=["state"])),
        ),
    ),
    Colour("state_gradient_norm", "Gradient norm of the state"),
    Colour(
        "update_to_data",
        "Update beside the weights",
        readings=(
            Reading("update_to_data_by_layer"),
            Reading("update_to_data", lambda ratio: ratio.expand_dims(layer=["recurrent weights"])),
        ),
    ),
    Colour("gradient_to_data", "Gradient beside the weights"),
)
"""What may colour the cells' diagram."""

KINDS = RecurrentGradients.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "log_jacobian_norm": Quantity(_of_jacobian, _whole_decades),
    **magnitudes("lag_contribution"),
    "update_to_data": Quantity(lambda ds: np.append(log_of("update_to_data")(ds), -3.0), decades),
    "loss_by_lag": Quantity(_of_loss_by_lag),
    "matrix": Quantity(_of_matrix, padded),
    **places("lag", "task_lag"),
    "time": LayerAxis(ends_of("time"), title="Time step t", noun="time step"),
    "moment": LayerAxis(ends_of("moment"), title="Time step t", noun="time", linked="time"),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
