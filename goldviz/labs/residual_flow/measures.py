"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import Measure, combined, measure

TOLERANCE = 1e-4
"""The tolerance of dopri5 of which pages speak, one of those that are always computed."""


def order(solver: str, words: str) -> Measure:
    """The measured order of a solver, by its name in the run; ``words`` are what its steps are called."""
    description = f"How fast {words} steps approach the flow: minus the slope of log error over log blocks."
    return Measure(f"{solver}_order", description, "", lambda run: -float(run["slope"].sel(solver=solver)))


euler_order = order("euler", "residual")
midpoint_order = order("midpoint", "midpoint")
rk4_order = order("rk4", "RK4")


@measure()
def network_right(run: Run) -> float:
    """The share of points on the right side by the network's steps."""
    return float(run.attrs["network_right"])


@measure()
def flow_right(run: Run) -> float:
    """The share of points on the right side by its exact flow."""
    return float(run.attrs["flow_right"])


@combined()
def answers_changed(run: Run) -> float:
    """Share of points on the right side by the network's steps, less that by its exact flow."""
    return network_right(run) - flow_right(run)


@measure()
def off_at_the_end(run: Run) -> float:
    """How far the network's last state is from the flow's, the point that is farthest off."""
    return float(run["distance_largest"].values[-1])


@measure()
def eigenvalue_of_a_step(run: Run) -> float:
    """The size of the largest eigenvalue of df/dh along the flow, times the step."""
    return float(run.attrs["fastest_rate"] * run.attrs["step"])


@measure()
def stretch_of_a_step(run: Run) -> float:
    """The largest singular value of df/dh along the flow, times the step."""
    return float(run.attrs["steepest_slope"] * run.attrs["step"])


@measure()
def depth_in_view(run: Run) -> float:
    """The depth t that is in view."""
    return float(run.attrs["duration"] * run.attrs["view"] / 100)


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


@measure("evaluations")
def evaluations_asked(run: Run) -> float:
    """How often dopri5 evaluates f at a tolerance of 1e-4; NaN where it does not arrive."""
    return _at_usual_tolerance(run, "evaluations")


@measure()
def error_asked(run: Run) -> float:
    """How far off dopri5 ends at a tolerance of 1e-4, the point that is farthest off."""
    return _at_usual_tolerance(run, "adaptive_error")


def _at_usual_tolerance(run: Run, name: str) -> float:
    return float(run[name].sel(asked=TOLERANCE))
