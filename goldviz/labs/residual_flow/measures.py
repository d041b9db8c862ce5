"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import each, measure
from goldviz.models.continuous.methods import FIXED, METHODS

TOLERANCE = 1e-4
"""The tolerance of dopri5 of which pages speak, one of those that are always computed."""


ORDERS = each(
    {**{name: METHODS[name].words for name in FIXED}, "euler": "residual"},
    "{}_order",
    "How fast {} steps approach the flow: minus the slope of log error over log blocks.",
    lambda run, solver: -run["slope"].sel(solver=solver),
)
network_right = measure(lambda run: run.attrs["network_right"])
"""The share of points on the right side by the network's steps."""
flow_right = measure(lambda run: run.attrs["flow_right"])
"""The share of points on the right side by its exact flow."""
answers_changed = measure(lambda run: network_right(run) - flow_right(run))
"""Share of points on the right side by the network's steps, less that by its exact flow."""
off_at_the_end = measure(lambda run: run["distance_largest"].values[-1])
"""How far the network's last state is from the flow's, the point that is farthest off."""
eigenvalue_of_a_step = measure(lambda run: run.attrs["fastest_rate"] * run.attrs["step"])
"""The size of the largest eigenvalue of df/dh along the flow, times the step."""
stretch_of_a_step = measure(lambda run: run.attrs["steepest_slope"] * run.attrs["step"])
"""The largest singular value of df/dh along the flow, times the step."""
depth_in_view = measure(lambda run: run.attrs["duration"] * run.attrs["view"] / 100)
"""The depth t that is in view."""


def blocks_in_view(run: Run) -> tuple[int, int]:
    """How many blocks are done at the depth in view, and the number of the one under way; 0 between two blocks."""
    at = run.attrs["view"] / 100 * run.attrs["blocks"]
    return int(at), int(at) + 1 if at - int(at) > 1e-9 else 0


def points_outside(run: Run) -> tuple[int, float]:
    """How many points of the network lie outside the picture, and how far the farthest is from its middle.

    That is 0 where there are none, and infinite where a point is no finite number.
    """
    points, (low, high) = run["network"].values, run["window"].transpose("end", "axis").values
    outside = points[~((points >= low) & (points <= high)).all(1)]
    distances = np.hypot(*(outside - (low + high) / 2).T)
    return len(outside), float(distances.max(initial=0.0)) if np.isfinite(distances).all() else np.inf


evaluations_asked = measure(lambda run: run["evaluations"].sel(asked=TOLERANCE), "evaluations")
"""How often dopri5 evaluates f at a tolerance of 1e-4; NaN where it does not arrive."""
error_asked = measure(lambda run: run["adaptive_error"].sel(asked=TOLERANCE))
"""How far off dopri5 ends at a tolerance of 1e-4, the point that is farthest off."""
