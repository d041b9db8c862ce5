"""What the figures of *Memory through time* read off a run beyond its variables."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.limits import Values, values_of
from goldviz.figures.plot import Now
from goldviz.figures.reading import finite, networks
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


def jacobian_norms(ds: Run) -> Values:
    """What the axis of Jacobian products reaches over: the bound only as far as it stays near them."""
    norms = _finite_values(ds, "log_jacobian_norm", "log_cell_path")
    if not norms.size:
        return norms
    bound = _finite_values(ds, "log_bound")
    visible = bound[(bound <= norms.max() + BOUND_ROOM) & (bound >= norms.min() - BOUND_ROOM)]
    return np.concatenate([norms, visible, [0.0, FADED]])


def whole_decades(low: float, high: float) -> tuple[float, float]:
    """Limits at whole powers of ten, with room."""
    return (float(np.floor(low - 0.2)), float(np.ceil(high + 0.2)))


def matrix_measures(ds: Run) -> Values:
    """Spectral radii and norms of W, and the 1 at which its powers keep their size."""
    return np.append(values_of("spectral_radius", "spectral_norm")(ds), 1.0)


def contribution_share(ds: Run | Now) -> Array:
    """Each lag's share of the summed norms of eq. 6's contributions; NaN where their sum is zero or not finite."""
    norms = finite(ds["lag_contribution"].astype(np.float64))
    total = norms.sum("lag")
    return norms / total.where(total > 0)
