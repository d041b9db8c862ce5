"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

STEPS_BACK = 10


off_autograd = measure(lambda *runs: max(float(run.attrs["difference"]) for run in runs))
"""The largest difference of eq. 16-20's gradients to autograd's, as a share of the largest entry."""
forget_open = measure(lambda run: run["opening"].sel(valve="forget").mean())
"""How far the forget gates are open, mean over units and steps."""


@partial(measure, unit="log10")
def cell_path_left(run: Run) -> float:
    """log10 of the product of a unit's forget gates over the whole sequence, the median over the units."""
    openings = run["opening"].sel(valve="forget").transpose("step", ...).values
    with np.errstate(divide="ignore"):
        return float(np.median(np.log10(openings).sum(axis=0)))


min_gru_left = measure(lambda run: run["gates_left"].sel(path="min_gru")[0], "log10")
"""log10 of the product of a minGRU's kept shares 1 - z over the whole sequence, root mean square over units."""


@measure
def left_after_ten(run: Run) -> float:
    """The norm of dL/dc_t ten steps back over that at the last step, all paths together."""
    norms = run["cell"].values
    return float(norms[-1 - STEPS_BACK] / norms[-1])


entering = measure(lambda open_gate, shut_gate: shut_gate["cell"][-1] / open_gate["cell"][-1])
"""How much gradient enters the cell at the last step with the output gate shut, as a share of that without."""
