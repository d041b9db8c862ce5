"""What laboratories of language models read off their runs alike, and the rules that they share.

A model guesses the next token of a text. Its losses are in nats a token; counted pairs are what it has to beat.
"""

from __future__ import annotations

from typing import Any

from goldviz.diagnostics.findings.advice import SLOWER
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.line import above, below
from goldviz.diagnostics.findings.measures import median, share
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.findings.rule import Case, Rule
from goldviz.diagnostics.findings.training import Advice, steps_too_long, steps_too_short
from goldviz.diagnostics.measure import measure

BY_HEART = 0.3
BETTER = 0.05
"""Nats below the loss of counted pairs, from which on a model has found more than they say.

On 32 stretches of 32 characters the difference has a standard error of 0.02, each of the two losses one of 0.12.
"""

PAST_PAIRS = above("over_pairs", BETTER, "a dev loss {at:.2f} nat below that of counted pairs")
"""A model past this line has learned what its task asks first; nobody knows the lowest loss of a text."""


class Guesses(TrainingReading):
    """What was recorded of a language model's guesses, for each seed; NaN where nothing was."""

    train = measure(at_last("train_loss", "close_look"), "nat")
    """The loss on training text at the last close look."""
    dev = measure(at_last("dev_loss", "close_look"), "nat")
    """The dev loss at the last close look."""
    lowest = measure(recorded("dev_loss", "close_look", by=lambda losses: losses.min(axis=0)), "nat")
    """The lowest dev loss of all close looks."""
    letters = measure(recorded("unigram_dev_loss"), "nat")
    """The dev loss of guessing by single tokens."""
    pairs = measure(recorded("bigram_dev_loss"), "nat")
    """The dev loss of guessing by counted pairs."""
    uniform = measure(recorded("uniform_loss"), "nat")
    """The loss of guessing all alike."""
    gap = measure(lambda n: n.dev - n.train, "nat")
    """How far the dev loss is above that on training text, in nats."""
    lost = measure(lambda n: n.dev - n.lowest, "nat")
    """How far the dev loss has climbed again from its lowest, in nats."""
    over_pairs = measure(lambda n: n.pairs - n.dev, "nat")
    """How far the dev loss is below that of counted pairs, in nats."""
    worth = measure(lambda n: share(n.dev, n.letters))
    """The dev loss as a share of that of single tokens."""


def guesses_overshoot(advice: Advice = (SLOWER,), **own: Any) -> Rule:
    """Steps are too long for a model that does not just learn its text by heart."""
    return steps_too_long(
        title="The learning rate is too large for {subject}",
        advice=advice,
        silenced_by=("by_heart",),
        **own,
    )


def guesses_too_slowly(advice: Advice, **own: Any) -> Rule:
    """Steps are too short."""
    return steps_too_short(
        title="The learning rate is too small for {subject}",
        explanation="",
        advice=advice,
        silenced_by=("by_heart", "learning_rate_too_large"),
        **own,
    )


def learned_by_heart(what: str, advice: Advice, **own: Any) -> Rule:
    """The model knows ``what`` it learned from much better than the rest."""

    def why(case: Case) -> str:
        climb = median(case.readings[0].lost)
        return f"The dev loss has climbed by {climb:.2f} nat from its lowest." if climb > 0.02 else ""

    return Rule(
        "by_heart",
        "bad",
        f"{{Subject}} learn{{s|}} {what} by heart",
        line=above("gap", BY_HEART, "a dev loss {at:.1f} nat above the training loss"),
        number="{gap:.2f} nat above the training loss",
        explanation=why,
        advice=advice,
        **own,
    )


def no_better_than_pairs(counting: str, **own: Any) -> Rule:
    """The model guesses hardly or no better than counted pairs, when its run is over.

    ``counting`` says why it should.
    """

    def title(case: Case) -> str:
        # The loss may be below that of counted pairs after all, by too little to count.
        how = "hardly" if all(median(n.over_pairs) > 0 for n in case.readings) else "no"
        return f"{{Subject}} guess{{es|}} {how} better than counted pairs"

    return Rule(
        "no_better_than_pairs",
        "warning",
        title,
        line=below("over_pairs", BETTER, "a dev loss {at:.2f} nat below that of counted pairs"),
        number="{dev:.3f} nat against {pairs:.3f}",
        explanation=counting,
        silenced_by=("by_heart",),
        at_end=True,
        **own,
    )


def beats_pairs(**own: Any) -> Rule:
    """The model guesses better than counted pairs."""
    return Rule(
        "beats_pairs",
        "good",
        "{Subject} guess{es|} better than counted pairs",
        line=PAST_PAIRS,
        number="{dev:.3f} nat against {pairs:.3f}",
        **own,
    )
