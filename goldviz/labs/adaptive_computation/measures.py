"""One network of a run of *Adaptive computation time* as plain arrays, and the numbers that cards and claims tell."""

from __future__ import annotations

from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import measure
from goldviz.labs.adaptive_computation.settings import STYLES, AdaptiveComputation

LABELS = {name: style.label for name, style in STYLES.items()}


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is of unseen inputs at the last
    look."""

    labels = LABELS
    declared = AdaptiveComputation
    accuracy = measure(at_last("accuracy", "look"))
    """The share of inputs with every bit right."""
    ponder = measure(at_last("ponder", "look"))
    """The mean number of steps of thought."""
    correlation = measure(at_last("correlation", "look"))
    """The correlation of steps of thought and difficulty."""
    cut = measure(at_last("step_share", "look", "ponder_step", by=lambda shares: shares[-1]))
    """The share of inputs that think as long as they may."""
    at_once = measure(at_last("step_share", "look", "ponder_step", by=lambda shares: shares[0]))
    """The share of inputs that stop at the first step."""


steps_saved = measure(lambda run: Reading.ponder["free"](run) - Reading.ponder["tau"](run))
"""How many steps of thought the network that pays nothing takes more than the one that pays tau."""
accuracy_kept = measure(lambda run: Reading.accuracy["tau"](run) - Reading.accuracy["free"](run))
"""How much more often the network that pays tau is right than the one that pays nothing."""
