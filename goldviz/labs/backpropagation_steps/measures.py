"""What the page and the claims read off a network's numbers."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.measure import measure

nudge_beside_delta = measure(
    lambda *runs: max(
        float(np.abs(run["delta_nudge"] - run["delta"]).max() / np.abs(run["delta"]).max()) for run in runs
    )
)
"""The most by which the change of the loss over a nudge of z is off δ, as a share of the largest δ."""


def dead_slopes(ds: Run) -> tuple[int, int]:
    """How many slopes φ'(z) of neurons and samples there are, and how many of them are exactly 0."""
    return int(ds["slope"].notnull().sum()), int((ds["slope"] == 0).sum())


smallest_slope = measure(lambda ds: ds["slope"].min())
"""The smallest slope φ'(z) of any neuron and sample."""


def weights_without_news(ds: Run) -> tuple[int, int]:
    """How many weights there are, and how many start at a silent neuron or lead into a dead one.

    A neuron is silent where x = 0, and dead where δ = 0. Both are said of one sample: a weight hears nothing where in
    every sample one of the two holds.
    """
    silent, there = _hear_nothing(ds)
    return int(there.sum()), int((silent & there).sum())


@measure
def share_without_news(ds: Run) -> float:
    """The share of weights that start at a silent neuron or lead into a dead one."""
    count, silent = weights_without_news(ds)
    return silent / count


@measure
def largest_gradient_without_news(ds: Run) -> float:
    """The largest |dL/dW| of weights that start at a silent neuron or lead into a dead one; 0 where there are none."""
    silent, there = _hear_nothing(ds)
    gradients = np.abs(ds["weight_gradient"].values[(silent & there).values])
    return float(gradients.max(initial=0.0))


def _hear_nothing(ds: Run) -> tuple[Array, Array]:
    """Which weights (layer, unit, before) hear nothing of the data, and which there are."""
    before = ds["x"].isel(level=slice(0, -1)).rename(level="layer", unit="before").assign_coords(layer=ds["layer"])
    receives_gradient = (before != 0) & (ds["delta"] != 0)
    return (~receives_gradient.any("sample")).transpose("layer", "unit", "before"), ds["weight"].notnull()
