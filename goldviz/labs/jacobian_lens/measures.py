"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.measure import combined, measure

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


FORGOTTEN = -2.0
"""log10 of a hundredth."""
SAME = 1e-9
"""Powers of ten by which a norm may be above a spectral radius that it equals."""


@measure("steps")
def longest_lag(run: Run) -> float:
    """From the step in view to the last one."""
    return float(run["lag"][-1])


@measure("log10")
def left_at_the_end(run: Run) -> float:
    """log10 of ||dh_T/dh_k||, the norm of the whole product from the step k in view."""
    return float(run["singular_value"][-1, 0])


@combined()
def left_a_step(run: Run) -> float:
    """The factor by which a step multiplies that product's norm, the geometric mean over the steps."""
    return float(10 ** (left_at_the_end(run) / longest_lag(run)))


@measure("log10")
def bound_at_the_end(run: Run) -> float:
    """log10 of the bound of eq. 9 for the whole product, with 1 for the largest slope."""
    return float(run["bound"][-1])


@measure("log10")
def bound_by_slope_at_the_end(run: Run) -> float:
    """log10 of the bound of eq. 9 for the whole product, with the largest slope of its steps."""
    return float(run["bound_by_slope"][-1])


@measure("steps")
def parting_lag(run: Run) -> float:
    """The lag from which the bound is ten times the asymptote; infinite where they never part."""
    apart = math.log10(run.attrs["spectral_norm"] / run.attrs["spectral_radius"])
    return math.ceil(1 / apart) if apart > SAME else math.inf


@measure()
def passed_on(run: Run) -> float:
    """What a unit hands on by itself at a step, mean over units and steps: slope, forget gate or kept share."""
    return float(run["passed"].mean())


@measure()
def saturated(run: Run) -> float:
    """The share of units with |h| above 0.97, mean over the steps."""
    return float(run["saturated"].mean())


@measure("log10")
def highest(run: Run) -> float:
    """log10 of the largest ||dh_t/dh_k|| of all steps t from the step k in view."""
    return float(run["singular_value"][:, 0].max())


@measure("log10")
def over_the_bound(*runs: Run) -> float:
    """The most by which log10 of a product's norm is above its bound, over all lags."""
    return max(float((run["singular_value"][1:, 0] - run["bound"][1:]).max()) for run in runs)


@measure("log10")
def cell_path_left(run: Run) -> float:
    """log10 of what the cell path alone leaves from the step in view, the root mean square over units."""
    return float(run["cell_path"][-1, run.attrs["start"]])


@measure()
def cell_path_kept(run: Run) -> float:
    """The factor by which a step multiplies the cell path, from the root mean square over units."""
    return _factor(run, "cell_path")


@measure("log10")
def gates_off_product(run: Run) -> float:
    """How far the product of gates is from the product of Jacobians, the most over all lags, in powers of ten."""
    start = run.attrs["start"]
    return float(np.abs(run["gate_path"].values - run["norm"].values[start:, start]).max())


@measure("steps")
def forgotten_by(run: Run) -> float:
    """The first lag at which no unit keeps a hundredth by its gates alone; infinite where one does to the end."""
    below = (run["gate_product"].values < FORGOTTEN).all(axis=1)
    return float(run["lag"].values[below.argmax()]) if below.any() else math.inf


@measure()
def state_kept(run: Run) -> float:
    """The factor by which a step multiplies a change of the state, from the root mean square over directions."""
    return _factor(run, "norm")


def _factor(run: Run, name: str) -> float:
    start = run.attrs["start"]
    norms = run[name].values[start:, start]
    return float(10 ** ((norms[-1] - norms[0]) / (len(norms) - 1)))
