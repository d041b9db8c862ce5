"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

STEPS_BACK = 10


@measure()
def off_autograd(*runs: Run) -> float:
    """The largest difference of eq. 16-20's gradients to autograd's, as a share of the largest entry."""
    return max(float(run.attrs["difference"]) for run in runs)


@measure()
def forget_open(run: Run) -> float:
    """How far the forget gates are open, mean over units and steps."""
    return float(run["opening"].sel(valve="forget").mean())


@measure("log10")
def cell_path_left(run: Run) -> float:
    """log10 of the product of a unit's forget gates over the whole sequence, the median over the units."""
    openings = run["opening"].sel(valve="forget").transpose("step", ...).values
    with np.errstate(divide="ignore"):
        return float(np.median(np.log10(openings).sum(axis=0)))


@measure("log10")
def min_gru_left(run: Run) -> float:
    """log10 of the product of a minGRU's kept shares 1 - z over the whole sequence, root mean square over units."""
    return float(run["gates_left"].sel(path="min_gru")[0])


@measure()
def left_after_ten(run: Run) -> float:
    """The norm of dL/dc_t ten steps back over that at the last step, all paths together."""
    norms = run["cell"].values
    return float(norms[-1 - STEPS_BACK] / norms[-1])


@measure()
def entering(open_gate: Run, shut_gate: Run) -> float:
    """How much gradient enters the cell at the last step with the output gate shut, as a share of that without."""
    return float(shut_gate["cell"][-1] / open_gate["cell"][-1])
