"""What a run of *Neural Turing machine* says: who answers whole sequences, also longer ones, and where it reads."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.answers import of_answers
from goldviz.diagnostics.findings.line import at_least, at_most, below
from goldviz.labs.neural_turing_machine.measures import Reading

UNSEEN = "32 unseen sequences of each length"


RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    *of_answers(
        "whole",
        "sequences",
        where="at the longest length in training",
        number="{whole:percent} without a wrong bit, {bits:percent} of the bits right",
        asked=UNSEEN,
    ),
    Rule(
        "longer",
        "good",
        "{Subject} go{es|} beyond {its|their} training",
        line=at_least("whole_twice", 0.5, "{at:percent} without a wrong bit, at twice the longest length in training"),
        number="{whole_twice:percent} without a wrong bit",
        asked=UNSEEN,
        silenced_by=("most_wrong",),
    ),
    Rule(
        "only_trained_lengths",
        "warning",
        "{Subject} know{s|} the lengths of {its|their} training alone",
        line=below("whole_twice", 0.5, "{at:percent} without a wrong bit, at twice the longest length in training"),
        number="{whole_twice:percent} without a wrong bit",
        asked=UNSEEN,
        silenced_by=("most_wrong",),
        at_end=True,
    ),
    Rule(
        "one_cell",
        "good",
        "Answers are read from one cell at a time",
        line=at_most("read_cells", 1.2, "an address spread over at most {at} cells, where answers are wanted"),
        number="{read_cells:.2f} cells",
        asked=UNSEEN,
        silenced_by=("most_wrong",),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all)
