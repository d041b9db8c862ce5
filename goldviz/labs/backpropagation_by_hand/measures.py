"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import each, measure

PARTS = ("W_ax", "W_aa", "b_a", "W_ya", "b_y")
"""The network's parameters, each with a sum over time."""
off_autograd = measure(lambda *runs: max(float(off) for run in runs for off in run.attrs["difference"].values()))
"""The largest difference of the recursion's five gradients to autograd's."""
off_with_direct = measure(lambda run: run.attrs["off_with_direct"])
"""How far eq. 6 is from autograd with the direct derivative of each loss, as a share of the gradient."""
off_with_total = measure(lambda run: run.attrs["off_with_total"])
"""How far eq. 6 is from autograd with the total derivative of each loss, as a share of the gradient."""


def pull(run: Run, source: str, step: int) -> float:
    """How long the part of dL/dh is that comes from the step's own answer, or from the step after."""
    return float(np.linalg.norm(run[source].sel(step=step).values))


turned = measure(lambda run: 1.0 - float(run.attrs["cosine"]))
"""1 - cosine between the gradient before and after clipping."""
clipped_norm = measure(lambda run: run.attrs["norm_after"])
"""The gradient's norm after clipping."""
off_the_norm = measure(lambda run: abs(clipped_norm(run) - 1))
"""How far the gradient's norm after clipping is from C, which is 1 where that is told."""
change_of_loss = measure(lambda run: run.attrs["loss_after"] - run.attrs["loss_before"], "nat")
"""The loss after one step less that before it."""
made_worse = measure(lambda run: change_of_loss(run) > 0)
"""1 where the loss is higher after one step."""


BY_HAND = each(
    {part: part for part in PARTS},
    "{}.norm_gradient",
    "The norm of dL/d{} by the recursion.",
    lambda run, part: np.linalg.norm(run[f"{part}_gradient"].values),
)
BY_AUTOGRAD = each(
    {part: part for part in PARTS},
    "{}.norm_autograd",
    "The norm of dL/d{} by autograd.",
    lambda run, part: np.linalg.norm(run[f"{part}_autograd"].values),
)
