"""What a run of *Attention between networks* says: who answers, who loses long ones, and what a dark cell means."""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, Rule, networks, training
from goldviz.diagnostics.findings.finding import Severity
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.attention_interface.measures import LABELS, Reading
from goldviz.labs.attention_interface.settings import AttentionInterface

UNSEEN = "unseen sentences of each length"


def _severity(case: Case) -> Severity:
    return "bad" if len(case.names) == len(case.everything) else "warning"


def _why_long_ones_are_lost(case: Case) -> str:
    if case.names <= {"GRU without attention"}:
        return "All that was read has to fit into one vector. The longer the sentence, the more of it is lost."
    return "A fault anywhere makes an answer wrong, and a longer one has more places for it."


def _attends(n: Reading, settings: AttentionInterface) -> bool:
    return n.name == LABELS["attention"]


RULES = (
    training.training_diverged(
        where_it_did="in {subject}",
        explanation="A gradient goes back through all that was written and read. One step that is too long can end in "
        "no number.",
        advice=(),
    ),
    Rule(
        "answers",
        "good",
        "{Subject} answer{s|} without a fault",
        line=at_least("right", 0.98, "{at:percent} of unseen sentences, of the lengths in training"),
        number="{right:percent} of the answers",
        explanation="One wrong word counts as a wrong answer. These sentences were not trained on.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
    ),
    Rule(
        "often_wrong",
        _severity,
        "{Subject} {is|are} often wrong",
        line=below("right", 0.5, "{at:percent} of unseen sentences, of the lengths in training"),
        number="{right:percent} of the answers are right",
        explanation="One wrong word counts as a wrong answer, so most words may be right all the same.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "loses_long_ones",
        "warning",
        "{Subject} lose{s|} long sentences",
        line=below("longest_right", 0.5, "{at:percent} of the longest in training")
        & at_least("shortest_right", 0.5, "{at:percent} of the shortest"),
        number="{longest_right:percent} of the longest, {shortest_right:percent} of the shortest",
        explanation=_why_long_ones_are_lost,
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "beside_the_word",
        "warning",
        "The darkest cell is mostly beside the word",
        line=above("beside", 0.5, "{at:percent} of the words, exactly one place beside"),
        number="{beside:percent} of the words, {on_word:percent} on the word itself",
        explanation="A state holds its word and what was read around it, so the state beside can serve as well. Dark "
        "is no proof that two words correspond.",
        confidence=UNSEEN,
        only=_attends,
        silenced_by=("diverged", "often_wrong"),
        at_end=True,
    ),
    Rule(
        "on_the_word",
        "good",
        "The darkest cell is nearly always on the word",
        line=at_least("on_word", 0.9, "{at:percent} of the words"),
        number="{on_word:percent} of the words",
        explanation="Here attention is an alignment. Other tasks, and other seeds, may put it one place beside.",
        confidence=UNSEEN,
        only=_attends,
        silenced_by=("diverged", "often_wrong", "beside_the_word"),
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, lambda settings, run: [Reading.of(run, name, settings) for name in networks(run)])
