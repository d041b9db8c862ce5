"""What a run of the depth laboratory says about its two networks, in order and without contradiction.

A network that diverged, or has no gradient at all, gets no other verdict: the cause comes first. An exploding
gradient is not also called vanishing, one that vanishes is not called too slow, and a network whose steps are too
long, or whose gradient explodes, is not told to train for longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, conclude
from goldviz.labs.depth_gradients.findings import gradient, training
from goldviz.labs.depth_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.depth_gradients.settings import DepthGradients

RULES = (
    gradient.DIVERGED,
    gradient.NO_GRADIENT,
    training.TOO_LONG,
    gradient.EXPLODING,
    gradient.VANISHING,
    training.USELESS_NETWORK,
    training.SATURATED_UNITS,
    training.DEAD_UNITS,
    training.TOO_SHORT,
    gradient.KEPT,
)


def findings_of(settings: DepthGradients, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a depth run, most serious first, at most five."""
    names = dataset["network"].values if "network" in dataset.coords else ()
    return conclude(RULES, [Reading.of(dataset, str(name), settings.depth) for name in names], settings, dataset)
