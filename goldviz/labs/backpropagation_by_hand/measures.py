"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import Measure, combined, measure

PARTS = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")
"""The network's parameters, each with a sum over time."""


@measure()
def off_autograd(*runs: Run) -> float:
    """The largest difference of the recursion's five gradients to autograd's."""
    return max(float(off) for run in runs for off in run.attrs["difference"].values())


@measure()
def off_with_direct(run: Run) -> float:
    """How far eq. 6 is from autograd with the direct derivative of each loss, as a share of the gradient."""
    return float(run.attrs["off_with_direct"])


@measure()
def off_with_total(run: Run) -> float:
    """How far eq. 6 is from autograd with the total derivative of each loss, as a share of the gradient."""
    return float(run.attrs["off_with_total"])


def pull(run: Run, source: str, step: int) -> float:
    """How long the part of dL/dh is that comes from the step's own answer, or from the step after."""
    return float(np.linalg.norm(run[source].sel(step=step).values))


@measure()
def turned(run: Run) -> float:
    """1 - cosine between the gradient before and after clipping."""
    return 1.0 - float(run.attrs["cosine"])


@measure()
def clipped_norm(run: Run) -> float:
    """The gradient's norm after clipping."""
    return float(run.attrs["norm_after"])


@measure()
def off_the_norm(run: Run) -> float:
    """How far the gradient's norm after clipping is from C, which is 1 where that is told."""
    return abs(clipped_norm(run) - 1)


@measure("nat")
def change_of_loss(run: Run) -> float:
    """The loss after one step less that before it."""
    return float(run.attrs["loss_after"] - run.attrs["loss_before"])


@combined()
def made_worse(run: Run) -> float:
    """1 where the loss is higher after one step."""
    return float(change_of_loss(run) > 0)


def _norm(part: str, way: str, by: str) -> Measure:
    words = f"The norm of dL/d{part} by {by}."
    return Measure(f"{part}.norm_{way}", words, "", lambda run: float(np.linalg.norm(run[f"{part}_{way}"].values)))


BY_HAND = {part: _norm(part, "gradient", "the recursion") for part in PARTS}
BY_AUTOGRAD = {part: _norm(part, "autograd", "autograd") for part in PARTS}
