"""What a run of the recurrent laboratory says about its networks, in order and without contradiction.

A network that diverged gets no other verdict: the cause comes first. An exploding gradient is not also called
vanishing or kept, a network that has solved its task is not told that its signal fades or that its steps are too
small, and one whose steps are too large is not told to train for longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, conclude
from goldviz.labs.recurrent_gradients.findings import signal, training
from goldviz.labs.recurrent_gradients.readings import Reading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

RULES = (
    signal.DIVERGED,
    signal.EXPLODING,
    training.SOLVED,
    training.TOO_LONG,
    signal.VANISHING,
    training.LEARNED_NOTHING,
    signal.FORGETFUL,
    training.STUCK_GATES,
    training.FLAT_STATES,
    training.ALWAYS_CLIPPED,
    training.TOO_SHORT,
    signal.KEPT,
)


def findings_of(settings: RecurrentGradients, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a recurrent run, most serious first, at most five."""
    names = dataset["network"].values if "network" in dataset.coords else ()
    return conclude(RULES, [Reading.of(dataset, str(name)) for name in names], settings, dataset)
