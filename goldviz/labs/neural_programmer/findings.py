"""What a run of *Neural programmer* says: whether its programs are right, and right for the right reason."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.answers import NEARLY_ALL, of_answers
from goldviz.diagnostics.findings.line import above, at_least
from goldviz.labs.neural_programmer.measures import Reading

UNSEEN = "256 unseen questions"

RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    *of_answers(
        "right",
        "questions",
        explanation="At each step only the operation and the column of the largest weight are carried out.",
        asked=UNSEEN,
    ),
    Rule(
        "lucky_answers",
        "warning",
        "Wrong programs give right answers",
        line=above("lucky", 0.02, "{at:percent} of the questions, right on their table and wrong on another"),
        number="{lucky:percent} of the questions",
        explanation="Only answers are told, not programs.",
        asked="each program on four more tables",
    ),
    Rule(
        "undecided",
        "warning",
        "Soft answers are far from the programs'",
        line=above("gap", 0.1, "{at}, the mean distance of soft and hard answers"),
        number="{gap:.2f}",
        explanation="The weights still mix operations or columns.",
        asked=UNSEEN,
        of_training=True,
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(
    RULES,
    Reading.of_all,
    learned=at_least("right", NEARLY_ALL, "{at:percent} of questions"),
)
