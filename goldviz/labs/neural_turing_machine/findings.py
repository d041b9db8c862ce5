"""What a run of *Neural Turing machine* says: who answers whole sequences, also longer ones, and where it reads."""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, Rule, networks, training
from goldviz.diagnostics.findings.finding import Severity
from goldviz.diagnostics.findings.line import at_least, at_most, below
from goldviz.labs.neural_turing_machine.measures import Reading

UNSEEN = "32 unseen sequences of each length"


def _severity(case: Case) -> Severity:
    return "bad" if "NTM" in case.names or len(case.names) == len(case.everything) else "warning"


RULES = (
    training.training_diverged(
        where_it_did="in {subject}",
        explanation="A long gradient through many time steps threw the weights away. Cap its norm, or take smaller "
        "steps.",
        advice=(),
    ),
    Rule(
        "learned",
        "good",
        "{Subject} answer{s|} whole sequences",
        line=at_least("whole", 0.99, "{at:percent} without a wrong bit, at the longest length in training"),
        number="{whole:percent} without a wrong bit",
        explanation="One wrong bit counts as a wrong sequence, so this is no luck.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
    ),
    Rule(
        "not_learned",
        _severity,
        "{Subject} do{es|} not answer whole sequences",
        line=below("whole", 0.5, "{at:percent} without a wrong bit, at the longest length in training"),
        number="{whole:percent} without a wrong bit, {bits:percent} of the bits",
        explanation="A coin has half of the bits right. With more of them some rows are remembered, but not all.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "longer",
        "good",
        "{Subject} go{es|} beyond {its|their} training",
        line=at_least("whole_twice", 0.5, "{at:percent} without a wrong bit, at twice the longest length in training"),
        number="{whole_twice:percent} without a wrong bit",
        explanation="What was learned is a way to go through the memory, and not sequences of certain lengths.",
        confidence=UNSEEN,
        silenced_by=("diverged", "not_learned"),
    ),
    Rule(
        "only_trained_lengths",
        "warning",
        "{Subject} know{s|} the lengths of {its|their} training alone",
        line=below("whole_twice", 0.5, "{at:percent} without a wrong bit, at twice the longest length in training"),
        number="{whole_twice:percent} without a wrong bit",
        explanation="Twice as long, most sequences have a wrong bit.",
        confidence=UNSEEN,
        silenced_by=("diverged", "not_learned"),
        at_end=True,
    ),
    Rule(
        "one_cell",
        "good",
        "Answers are read from one cell at a time",
        line=at_most("read_cells", 1.2, "an address spread over at most {at} cells, where answers are wanted"),
        number="{read_cells:.2f} cells",
        explanation="All cells are read by their weights, so that a gradient exists. After training one of them has "
        "nearly all of it.",
        confidence=UNSEEN,
        silenced_by=("diverged", "not_learned"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, lambda settings, run: [Reading.of(run, name, settings) for name in networks(run)])
