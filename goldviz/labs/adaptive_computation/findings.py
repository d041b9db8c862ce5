"""What a run of *Adaptive computation time* says: who is right, and whether time goes where it is needed."""

from __future__ import annotations

from goldviz.diagnostics.findings import Case, Conclusions, Rule, median, networks, training
from goldviz.diagnostics.findings.line import above, at_least, below
from goldviz.labs.adaptive_computation.measures import Reading

UNSEEN = "512 unseen inputs"


def _what_time_is_for(case: Case) -> str:
    if case.settings.task == "stop":
        return "Each bit takes a step to read, so a longer input needs longer thought."
    return "The whole input is there at every step, so that few steps may do for the hardest."


def _correlation(n: Reading) -> str:
    return f"{median(n.correlation):.2f}".replace("-", "−")


RULES = (
    training.training_diverged(
        where_it_did="in {subject} network{|s}",
        explanation="The state is read by the same cell at every step of thought. Once its matrix is too large, states "
        "and gradients grow with every step.",
        advice=(),
    ),
    Rule(
        "stops_at_once",
        "bad",
        "{Subject} network{|s} stop{s|} at the first step",
        line=at_least("at_once", 0.95, "{at:percent} of the inputs, where a first step is all"),
        number="{at_once:percent} of the inputs",
        explanation="The halting neuron fires at once. One step of the cell is all that an answer gets, and no input "
        "gets more than another.",
        confidence=UNSEEN,
        only=lambda n, settings: settings.most > 1,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "cut_off",
        "warning",
        "{Subject} network{|s} think{s|} as long as {it|they} may",
        line=above("cut", 0.5, "{at:percent} of the inputs"),
        number="{cut:percent} of the inputs take {settings.most} steps",
        explanation="Not the halting neuron ends these thoughts but the setting *Most*. How long they would go on "
        "cannot be told.",
        confidence=UNSEEN,
        only=lambda n, settings: settings.most > 1,
        silenced_by=("diverged", "stops_at_once"),
        at_end=True,
    ),
    Rule(
        "learned",
        "good",
        "{Subject} network{|s} {is|are} right on nearly all inputs",
        line=at_least("accuracy", 0.99, "{at:percent} with every bit right"),
        number="{accuracy:percent} right in {ponder:.1f} steps",
        explanation="These inputs were not trained on. Where inputs are few in all, most of them were.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
    ),
    Rule(
        "not_learned",
        "bad",
        "{Subject} network{|s} {is|are} often wrong",
        line=below("accuracy", 0.75, "{at:percent} with every bit right"),
        number="{accuracy:percent} right in {ponder:.1f} steps",
        explanation="What such a network does with its time tells little of the task.",
        confidence=UNSEEN,
        silenced_by=("diverged",),
        at_end=True,
    ),
    Rule(
        "longer_where_harder",
        "good",
        "{Subject} network{|s} think{s|} longer where it is harder",
        line=at_least("correlation", 0.7, "a correlation of steps and difficulty of {at}"),
        number=_correlation,
        explanation=_what_time_is_for,
        confidence=UNSEEN,
        silenced_by=("diverged", "stops_at_once", "not_learned"),
    ),
    Rule(
        "not_longer_where_harder",
        "warning",
        "{Subject} network{|s} do{es|} not think longer where it is harder",
        line=below("correlation", 0.3, "a correlation of steps and difficulty of {at}"),
        number=_correlation,
        explanation=_what_time_is_for,
        confidence=UNSEEN,
        silenced_by=("diverged", "stops_at_once", "not_learned"),
        at_end=True,
    ),
)
"""In the order in which they are judged."""

findings_of = Conclusions(RULES, lambda settings, run: [Reading.of(run, name, settings) for name in networks(run)])
