"""What a run of *Attention against recurrence* says: who finds the symbol, and from how far."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.attention_against_recurrence.measures import Reading

UNSEEN = "32 unseen sequences of each group"
ANYWHERE = at_least("everywhere", 0.9, "{at:percent} right at every distance")

RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    Rule(
        "finds_it_anywhere",
        "good",
        "{Subject} find{s|} the symbol from any distance",
        line=ANYWHERE,
        number="{everywhere:percent} right at the distance where it is lowest",
        explanation="Guessing is right on one answer in eight.",
        asked=UNSEEN,
    ),
    Rule(
        "guesses",
        "bad",
        "{Subject} {is|are} hardly better than guessing",
        line=below("accuracy", 0.3, "{at:percent} right in all")
        & below("near", 0.5, "{at:percent} where it is nearest"),
        number="{accuracy:percent} right in all",
        explanation="Guessing is right on one answer in eight.",
        asked=UNSEEN,
        at_end=True,
    ),
    Rule(
        "loses_far_ones",
        "warning",
        "{Subject} lose{s|} what lies far back",
        line=at_least("near", 0.5, "{at:percent} right where it is nearest")
        & below("far", 0.5, "less where it is farthest"),
        number="{near:percent} right where it is nearest, {far:percent} where it is farthest",
        asked=UNSEEN,
        silenced_by=("finds_it_anywhere",),
        at_end=True,
    ),
    Rule(
        "told_little_at_first",
        "warning",
        "Untrained, {subject} hear{s|} little from far back",
        line=above("faded_at_first", 100, "a gradient {at} times smaller than at the nearest input"),
        of_training=True,
        number="{faded_at_first:times} times smaller {settings.distance} steps back",
        explanation="Training begins with what arrives (document 001, eq. 6-9).",
        asked=UNSEEN,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all, learned=ANYWHERE)
