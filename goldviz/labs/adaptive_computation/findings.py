"""What a run of *Adaptive computation time* says: who is right, and whether time goes where it is needed."""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, Rule, training
from goldviz.diagnostics.findings.answers import NEARLY_ALL, of_answers
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.adaptive_computation.measures import Reading

COIN = 0.5
"""The share of answers of one bit that a coin gets right."""
UNSEEN = "512 unseen inputs"


def _what_time_is_for(case: Case) -> str:
    return "Each bit takes a step to read." if case.settings.task == "stop" else ""


RULES = (
    training.training_diverged(where_it_did="in {subject} network{|s}"),
    Rule(
        "stops_at_once",
        "bad",
        "{Subject} network{|s} stop{s|} at the first step",
        line=at_least("at_once", 0.95, "{at:percent} of the inputs, where a first step is all"),
        number="{at_once:percent} of the inputs",
        explanation="One step of the cell is all that an answer gets.",
        asked=UNSEEN,
        only=lambda n, settings: settings.most > 1,
        of_training=True,
        at_end=True,
    ),
    Rule(
        "cut_off",
        "warning",
        "{Subject} network{|s} think{s|} as long as {it|they} may",
        line=above("cut", 0.5, "{at:percent} of the inputs"),
        number="{cut:percent} of the inputs take {settings.most} steps",
        asked=UNSEEN,
        only=lambda n, settings: settings.most > 1,
        silenced_by=("stops_at_once",),
        at_end=True,
    ),
    Rule(
        "guesses",
        "bad",
        "{Subject} network{|s} {is|are} hardly better than a coin",
        line=below("accuracy", COIN + 0.2 * (1 - COIN), "{at:percent} of inputs; a coin is right on half of them"),
        number="{accuracy:percent} with every bit right",
        asked=UNSEEN,
        only=lambda n, settings: settings.task != "addition",
        at_end=True,
    ),
    *of_answers(
        "accuracy",
        "inputs",
        subject="{Subject} network{|s}",
        number="{accuracy:percent} with every bit right, in {ponder:.1f} steps",
        asked=UNSEEN,
        silenced_by=("guesses",),
    ),
    Rule(
        "longer_where_harder",
        "good",
        "{Subject} network{|s} think{s|} longer where it is harder",
        line=at_least("correlation", 0.7, "a correlation of steps and difficulty of {at}"),
        number="{correlation:.2f}",
        explanation=_what_time_is_for,
        asked=UNSEEN,
        silenced_by=("stops_at_once", "guesses", "most_wrong"),
    ),
    Rule(
        "not_longer_where_harder",
        "warning",
        "{Subject} network{|s} do{es|} not think longer where it is harder",
        line=below("correlation", 0.3, "a correlation of steps and difficulty of {at}"),
        number="{correlation:.2f}",
        explanation=_what_time_is_for,
        asked=UNSEEN,
        silenced_by=("stops_at_once", "guesses", "most_wrong"),
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(
    RULES,
    Reading.of_all,
    learned=at_least("accuracy", NEARLY_ALL, "{at:percent} of inputs"),
)
