"""Rules on masked words, guessed from context or by frequency, learned by heart, forgotten, and on attention heads.

Document 001, section 4.2.2; Devlin et al. 2019.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Candidate,
    Case,
    Rule,
    Verdicts,
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
from goldviz.diagnostics.findings.words import counted, quantity
from goldviz.labs.bert_pretraining.findings.steps import FASTER, SLOWER, adamw, down_to_usual, has_read, longer
from goldviz.labs.bert_pretraining.measures import EVEN, FALLING, NEIGHBOUR, SPECIAL, WORSE_AGAIN, PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

WORSE = 1.05
BY_HEART_FROM = 1.15
REHEARSAL = 0.5
"""The weight of masked words that is advised where fine-tuning forgets them (Radford et al. 2018)."""

MANY_TIMES = 2.0
"""From here on a share of a loss is told as a multiple."""
LESS_HIDDEN: Candidate = ("Hide 15 % of the pieces, so that context is left.", {"masked_share": LoweredTo(0.15)})
ONE_SENTENCE = "one sentence, first seed: a head may do otherwise in another"
ALIKE = at_least(
    "heads.even_share",
    0.25,
    f"{percent(EVEN)} of the {{heads.bits:.1f}} bits of even attention, in the "
    "probe sentence, and {at:part} of the heads",
)


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
        advice=lambda case: [LESS_HIDDEN, *_beyond_frequencies(case)],
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


def _seeds(case: Case) -> str:
    return f"mean over unseen texts, {'median of the seeds' if case.reading.seeds > 1 else 'one seed'}"


def _part(heads: Verdicts) -> str:
    return f"{'one' if heads.sum() == 1 else quantity(float(heads.mean()))} head{'' if heads.sum() == 1 else 's'}"


def _fewer(settings: BertPretraining) -> Candidate:
    heads = max(1, settings.heads // 2)
    fits = "heads" not in settings.without_effect() and settings.width % heads == 0
    return "Take half as many heads.", {"heads": heads} if fits else {}


def _nearest(n: PretrainingReading) -> str:
    share, words, others = n.heads.nearest
    return f"{words}: {percent(share)} of its attention{f', and {others} more' if others else ''}"


HEADS = (
    Rule(
        "even_heads",
        "warning",
        lambda case: f"After pre-training, {_part(case.reading.heads.even)} look everywhere alike",
        line=ALIKE,
        number=lambda n: counted(n.heads.even, "heads"),
        confidence=ONE_SENTENCE,
        explanation="Such a head passes on the mean of the sentence.",
        advice=longer,
        only=has_read,
    ),
    Rule(
        "special_heads",
        "warning",
        lambda case: f"{_part(case.reading.heads.idle).capitalize()} look at [CLS] and [SEP] alone",
        line=at_least(
            "heads.idle_share",
            0.5,
            f"{percent(SPECIAL)} of the attention on unseen texts, and {{at:part}} of the heads",
        ),
        number=lambda n: counted(n.heads.idle, "heads"),
        confidence=_seeds,
        explanation="A head that finds nothing may park its weight there (Clark et al. 2019).",
        advice=[_fewer],
        only=has_read,
    ),
)

NEIGHBOURS = Rule(
    "neighbour_heads",
    "good",
    lambda case: (
        "Heads look at their neighbours" if len(case.reading.heads.beside) > 1 else "A head looks at its neighbour"
    ),
    line=where(
        "heads.ordered", "{at:part} of the attention on one place beside the piece, in the probe sentence", at=NEIGHBOUR
    ),
    number=_nearest,
    confidence=ONE_SENTENCE,
    explanation="Position embeddings alone tell of order (document 001, section 4.2.1).",
    only=has_read,
)
