"""One network of a run of *Adaptive computation time* as plain arrays, and the numbers that cards and claims tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from goldviz.diagnostics.findings import Floats
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import combined
from goldviz.labs.adaptive_computation.prices import STYLES
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {name: style.label for name, style in STYLES.items()}


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is of unseen inputs at the last
    look."""

    labels: ClassVar[Mapping[str, str]] = LABELS
    declared: ClassVar[Any] = AdaptiveComputation
    accuracy: Floats = at_last("accuracy", "look")
    """The share of inputs with every bit right."""
    ponder: Floats = at_last("ponder", "look")
    """The mean number of steps of thought."""
    correlation: Floats = at_last("correlation", "look")
    """The correlation of steps of thought and difficulty."""
    cut: Floats = at_last("step_share", "look", "ponder_step", by=lambda shares: shares[-1])
    """The share of inputs that think as long as they may."""
    at_once: Floats = at_last("step_share", "look", "ponder_step", by=lambda shares: shares[0])
    """The share of inputs that stop at the first step."""


MEASURES = Reading.measures()
ACCURACY, PONDER, CORRELATION = (MEASURES[f"tau.{name}"] for name in ("accuracy", "ponder", "correlation"))
FREE_ACCURACY, FREE_PONDER = MEASURES["free.accuracy"], MEASURES["free.ponder"]


@combined()
def steps_saved(run: Run) -> float:
    """How many steps of thought the network that pays nothing takes more than the one that pays tau."""
    return FREE_PONDER(run) - PONDER(run)


@combined()
def accuracy_kept(run: Run) -> float:
    """How much more often the network that pays tau is right than the one that pays nothing."""
    return ACCURACY(run) - FREE_ACCURACY(run)
