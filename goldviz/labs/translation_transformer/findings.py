"""What a run of *Translation with a Transformer* says: who answers, who loses long ones, and who writes worse alone."""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, Rule, networks, training
from goldviz.diagnostics.findings.finding import Severity
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.translation_transformer.measures import Reading

UNSEEN = "unseen sequences"


def _severity(case: Case) -> Severity:
    return "bad" if len(case.names) == len(case.everything) else "warning"


RULES = (
    training.training_diverged(
        where_it_did="in {subject}",
        explanation="The states of every word go through all blocks. One step that is too long can end in no number.",
        advice=(),
    ),
    Rule(
        "answers",
        "good",
        "{Subject} answer{s|} without a fault",
        line=at_least("right", 0.99, "{at:percent} of unseen sequences"),
        number="{right:percent} of the answers, after {steps_to_right:.0f} steps",
        explanation="One wrong word counts as a wrong answer. These sequences were not trained on.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
    ),
    Rule(
        "not_there_yet",
        "warning",
        "{Subject} {is|are} not there yet",
        line=below("right", 0.99, "{at:percent} of unseen sequences") & at_least("right", 0.5, "{at:percent} of them"),
        number="{right:percent} of the answers are right",
        explanation="One wrong word counts as a wrong answer. More steps may bring the rest.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "often_wrong",
        _severity,
        "{Subject} {is|are} often wrong",
        line=below("right", 0.5, "{at:percent} of unseen sequences"),
        number="{right:percent} of the answers are right",
        explanation="One wrong word counts as a wrong answer, so most words may be right all the same.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "worse_alone",
        "warning",
        "{Subject} write{s|} worse alone than when told",
        line=above("lost_freely", 0.1, "{at:percent} of the words"),
        number="{free_right:percent} of the words right alone, {told_right:percent} when told",
        explanation="In training the right words stand before each word. Alone it reads its own, and one fault draws "
        "others after it.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "batch_takes_part",
        "warning",
        "{Subject} let{s|} other pairs of a batch take part",
        line=above("neighbour_effect", 0.01, "a logit by {at:.2f}"),
        number="a logit moves by {neighbour_effect:.2f}",
        explanation="Mean and variance are taken over all words of a batch. Another sentence beside it changes them.",
        confidence="one batch of unseen sequences",
        silenced_by=("diverged",),
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, lambda settings, run: [Reading.of(run, name, settings) for name in networks(run)])
