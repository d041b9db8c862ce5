"""What a run of *Hopfield network* says."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule
from goldviz.diagnostics.findings.line import at_least, below
from goldviz.diagnostics.findings.recorded import NetworkReading, at_last
from goldviz.diagnostics.measure import measure
from tests.by_recipe.memories.hopfield.settings import STYLES, Hopfield

LABELS = {name: style.label for name, style in STYLES.items()}


class Reading(NetworkReading):
    """What was recorded of one rule, for each seed."""

    labels = LABELS
    declared = Hopfield
    overlap = measure(at_last("overlap", "step"))
    """The overlap of what is recalled with what was stored, at the end."""


RULES = (
    Rule(
        "full",
        "bad",
        "{Subject}'s memory is full",
        line=below("overlap", 0.9, "an overlap of {at} at the end"),
        number="overlap {overlap:.2f}",
        explanation="More patterns are stored than fit; they pull answers between them.",
        asked="every stored pattern",
    ),
    Rule(
        "holds_all",
        "good",
        "{Subject} hold{s|} all patterns",
        line=at_least("overlap", 0.9, "an overlap of {at} at the end"),
        number="overlap {overlap:.2f}",
        asked="every stored pattern",
    ),
)
findings_of = Conclusions(RULES, Reading.of_all)
