"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


FORGOTTEN = -2.0
"""log10 of a hundredth."""
SAME = 1e-9
"""Powers of ten by which a norm may be above a spectral radius that it equals."""
longest_lag = measure(lambda run: run["lag"][-1], "steps")
"""From the step in view to the last one."""
left_at_the_end = measure(lambda run: run["singular_value"][-1, 0], "log10")
"""log10 of ||dh_T/dh_k||, the norm of the whole product from the step k in view."""
left_a_step = measure(lambda run: 10 ** (left_at_the_end(run) / longest_lag(run)))
"""The factor by which a step multiplies that product's norm, the geometric mean over the steps."""
bound_at_the_end = measure(lambda run: run["bound"][-1], "log10")
"""log10 of the bound of eq. 9 for the whole product, with 1 for the largest slope."""
bound_by_slope_at_the_end = measure(lambda run: run["bound_by_slope"][-1], "log10")
"""log10 of the bound of eq. 9 for the whole product, with the largest slope of its steps."""


@partial(measure, unit="steps")
def parting_lag(run: Run) -> float:
    """The lag from which the bound is ten times the asymptote; infinite where they never part."""
    apart = math.log10(run.attrs["spectral_norm"] / run.attrs["spectral_radius"])
    return math.ceil(1 / apart) if apart > SAME else math.inf


passed_on = measure(lambda run: run["passed"].mean())
"""What a unit hands on by itself at a step, mean over units and steps: slope, forget gate or kept share."""
saturated = measure(lambda run: run["saturated"].mean())
"""The share of units with |h| above 0.97, mean over the steps."""
highest = measure(lambda run: run["singular_value"][:, 0].max(), "log10")
"""log10 of the largest ||dh_t/dh_k|| of all steps t from the step k in view."""
over_the_bound = measure(
    lambda *runs: max(float((run["singular_value"][1:, 0] - run["bound"][1:]).max()) for run in runs), "log10"
)
"""The most by which log10 of a product's norm is above its bound, over all lags."""
cell_path_left = measure(lambda run: run["cell_path"][-1, run.attrs["start"]], "log10")
"""log10 of what the cell path alone leaves from the step in view, the root mean square over units."""
cell_path_kept = measure(lambda run: _factor(run, "cell_path"))
"""The factor by which a step multiplies the cell path, from the root mean square over units."""


@partial(measure, unit="log10")
def gates_off_product(run: Run) -> float:
    """How far the product of gates is from the product of Jacobians, the most over all lags, in powers of ten."""
    start = run.attrs["start"]
    return float(np.abs(run["gate_path"].values - run["norm"].values[start:, start]).max())


@partial(measure, unit="steps")
def forgotten_by(run: Run) -> float:
    """The first lag at which no unit keeps a hundredth by its gates alone; infinite where one does to the end."""
    below = (run["gate_product"].values < FORGOTTEN).all(axis=1)
    return float(run["lag"].values[below.argmax()]) if below.any() else math.inf


state_kept = measure(lambda run: _factor(run, "norm"))
"""The factor by which a step multiplies a change of the state, from the root mean square over directions."""


def _factor(run: Run, name: str) -> float:
    start = run.attrs["start"]
    norms = run[name].values[start:, start]
    return float(10 ** ((norms[-1] - norms[0]) / (len(norms) - 1)))
