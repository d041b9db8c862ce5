"""What a run of *Translation with a Transformer* says: who answers, who loses long ones, and who writes worse alone."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.answers import of_answers
from goldviz.diagnostics.findings.line import above
from goldviz.labs.translation_transformer.measures import LABELS, Reading

UNSEEN = "unseen sequences"
ONE_WORD = "One wrong word counts as a wrong answer."


RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    *of_answers("right", "sequences", explanation=ONE_WORD, asked=UNSEEN),
    Rule(
        "worse_alone",
        "warning",
        "{Subject} write{s|} worse alone than when told",
        line=above("lost_freely", 0.1, "{at:percent} of the words"),
        number="{free_right:percent} of the words right alone, {told_right:percent} when told",
        explanation="Alone it reads its own words, in training the right ones.",
        asked=UNSEEN,
        at_end=True,
    ),
    Rule(
        "batch_takes_part",
        "warning",
        "{Subject} let{s|} other pairs of a batch take part",
        line=above("neighbour_effect", 0.01, "a logit by {at:.2f}"),
        number="a logit moves by {neighbour_effect:.2f}",
        explanation=lambda case: (
            "Mean and variance are taken over all words of a batch." if case.names == {LABELS["batch"]} else ""
        ),
        asked="one batch of unseen sequences",
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all)
