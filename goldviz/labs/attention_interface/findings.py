"""What a run of *Attention between networks* says: who answers, who loses long ones, and what a large weight means."""

from __future__ import annotations

from goldviz.diagnostics.findings import Conclusions, Rule, training
from goldviz.diagnostics.findings.answers import of_answers
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.attention_interface.measures import LABELS, Reading
from goldviz.labs.attention_interface.settings import AttentionInterface

UNSEEN = "unseen sentences of each length"
ONE_WORD = "One wrong word counts as a wrong answer."


def _attends(n: Reading, settings: AttentionInterface) -> bool:
    return n.name == LABELS["attention"]


RULES = (
    training.training_diverged(where_it_did="in {subject}"),
    *of_answers("right", "sentences", where="of the lengths in training", explanation=ONE_WORD, asked=UNSEEN),
    Rule(
        "loses_long_ones",
        "warning",
        "{Subject} lose{s|} long sentences",
        line=below("longest_right", 0.5, "{at:percent} of the longest in training")
        & at_least("shortest_right", 0.5, "{at:percent} of the shortest"),
        number="{longest_right:percent} of the longest, {shortest_right:percent} of the shortest",
        asked=UNSEEN,
        at_end=True,
    ),
    Rule(
        "beside_the_word",
        "warning",
        "The largest weight is mostly beside the word",
        line=above("beside", 0.5, "{at:percent} of the words, exactly one place beside"),
        number="{beside:percent} of the words, {on_word:percent} on the word itself",
        explanation="A large weight is no proof that two words correspond.",
        asked=UNSEEN,
        only=_attends,
        silenced_by=("most_wrong",),
        at_end=True,
    ),
    Rule(
        "on_the_word",
        "good",
        "The largest weight is nearly always on the word",
        line=at_least("on_word", 0.9, "{at:percent} of the words"),
        number="{on_word:percent} of the words",
        asked=UNSEEN,
        only=_attends,
        silenced_by=("most_wrong", "beside_the_word"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, Reading.of_all)
