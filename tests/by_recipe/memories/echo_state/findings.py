"""What a run of *Echo-state network* says."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.line import above
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import measure
from tests.by_recipe.memories.echo_state.settings import STYLES, EchoState

LABELS = {name: style.label for name, style in STYLES.items()}


class Reading(TrainingReading):
    """What was recorded of one reservoir, for each seed."""

    labels = LABELS
    declared = EchoState
    capacity = measure(at_last("memory", "look", "lag", by=lambda shares: shares.sum(0)))
    """How many earlier inputs the state tells in all (Jaeger 2001)."""


RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    Rule(
        "remembers",
        "good",
        "{Subject} remember{s|} earlier inputs",
        line=above("capacity", 1, "{at} input in all"),
        number="{capacity:.1f} of 25 inputs in all",
        explanation="It cannot be more than there are units.",
        asked="the last stretch",
    ),
)
findings_of = Conclusions(RULES, Reading.of_all)
