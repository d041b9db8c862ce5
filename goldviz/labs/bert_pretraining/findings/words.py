"""Rules on masked words: guessed from their context or by frequency alone, learned by heart, forgotten again.

Document 001, section 4.2.2; Devlin et al. 2019.
"""

from __future__ import annotations

import math

from goldviz.diagnostics.findings import (
    Candidate,
    Case,
    Rule,
    above,
    at_least,
    at_most,
    majority,
    median,
    percent,
    times,
    where,
)
from goldviz.diagnostics.findings.advice import LoweredTo, Scaled, Suited, Times
from goldviz.labs.bert_pretraining.findings.steps import FASTER, SLOWER, adamw, down_to_usual, has_read, longer
from goldviz.labs.bert_pretraining.measures import FALLING, WORSE_AGAIN, PretrainingReading

WORSE = 1.05
BY_HEART_FROM = 1.15
REHEARSAL = 0.5
"""The weight of masked words that is advised where fine-tuning forgets them (Radford et al. 2018)."""

MANY_TIMES = 2.0
"""From here on a share of a loss is told as a multiple."""
LESS_HIDDEN: Candidate = ("Hide 15 % of the pieces, so that context is left.", {"masked_share": LoweredTo(0.15)})


def _against_frequencies(n: PretrainingReading) -> str:
    """A loss beside word frequencies' one: a multiple where a percentage would be beyond sense."""
    share = median(n.worth)
    if not math.isfinite(share):
        return f"a loss beyond all numbers on unseen texts, {n.unigram:.2f} nat by word frequencies"
    beside = f"{times(share)} times" if share >= MANY_TIMES else f"{percent(share)} of"
    return f"{median(n.words_unseen):.2f} nat on unseen texts, {beside} the {n.unigram:.2f} of word frequencies"


def _beyond_frequencies(case: Case) -> list[Candidate | Suited]:
    """What the cause that was found asks for; without one, usual steps and more of them."""
    if case.also("learning_rate_too_large"):
        return [down_to_usual, SLOWER]
    if case.also("learning_rate_too_small"):
        return [FASTER, adamw]
    more = [] if majority(case.reading.settled) else longer(case)
    return [adamw, down_to_usual, *more]


def _context_first(case: Case) -> list[Candidate | Suited]:
    return [LESS_HIDDEN, *_beyond_frequencies(case)]


def _how_it_stands(case: Case) -> str:
    if majority(case.reading.still_falling):
        return "Its loss was still falling at the end."
    if majority(case.reading.settled):
        return f"Its loss did not fall by {percent(1 - FALLING)} in the second half: more of the same may not help."
    return ""


def _what_asks_for_words(case: Case) -> str:
    if case.settings.rehearsal:
        return "In fine-tuning masked words weigh {settings.rehearsal:g} times as much as the tone."
    return "In fine-tuning nothing asks for masked words any more."


def _to_remember(case: Case) -> list[Candidate]:
    rehearse: Candidate = (
        ("Rehearse with three times the weight.", {"rehearsal": Times(3)})
        if case.settings.rehearsal
        else ("Rehearse: go on with masked words beside the tone.", {"rehearsal": REHEARSAL})
    )
    slower = ("Take a third of the learning rate.", {"fine_tuning_rate": Scaled(1 / 3)})
    return [rehearse, ("Freeze the encoder.", {"frozen": True}), slower]


FREQUENCIES = (
    Rule(
        "worse_than_word_frequencies",
        "bad",
        "It guesses masked words worse than by their frequency",
        line=above("worth", WORSE, "{at:percent} of the loss of word frequencies"),
        number=_against_frequencies,
        explanation=_how_it_stands,
        advice=_beyond_frequencies,
        only=has_read,
    ),
    Rule(
        "only_word_frequencies",
        "bad",
        "It guesses masked words by their frequency alone",
        line=at_least("worth", 0.95, f"{{at:percent}} to {percent(WORSE)} of the loss of word frequencies"),
        number=_against_frequencies,
        explanation=_how_it_stands,
        advice=_context_first,
        only=has_read,
        silenced_by=("worse_than_word_frequencies",),
    ),
)

BY_HEART = Rule(
    "words_by_heart",
    "warning",
    "It learns its texts by heart",
    line=above("unseen_gap", BY_HEART_FROM, f"{percent(BY_HEART_FROM - 1)} apart")
    & where("worse_again", f"{percent(WORSE_AGAIN - 1)} above the best look"),
    number="{words_unseen:.2f} nat on unseen ones, {words_trained:.2f} on its own",
    advice=[
        ("Read five times as many texts.", {"texts": Times(5)}),
        ("Stop at half of the steps.", {"pretraining_steps": lambda settings: max(1, settings.pretraining_steps // 2)}),
    ],
    only=has_read,
    silenced_by=("worse_than_word_frequencies", "only_word_frequencies"),
)

FORGOTTEN = Rule(
    "forgotten",
    "warning",
    "Fine-tuning made it forget masked words",
    line=above("forgetting", 1.25, "{at} times the loss at the end of pre-training"),
    number="from {words_unseen:.2f} to {words_now:.2f} nat",
    explanation=_what_asks_for_words,
    advice=_to_remember,
    only=lambda n, settings: settings.fine_tuning_steps > 0 and not settings.frozen,
    at_end=True,
    silenced_by=("worse_than_word_frequencies", "only_word_frequencies"),
)

FROM_CONTEXT = at_most("worth", 0.8, "{at:percent} of the loss of word frequencies")
READS_CONTEXT = Rule(
    "reads_context",
    "good",
    "It guesses masked words from their context",
    line=FROM_CONTEXT,
    number=_against_frequencies,
    explanation="At a mask it is torn between about {choices:,.0f} pieces, where frequencies alone leave "
    "{choices_by_frequency:,.0f}.",
    only=has_read,
)
