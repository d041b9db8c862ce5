"""Rules on masked words: guessed from their context or by frequency alone, learned by heart, forgotten again.

Document 001, section 4.2.2; Devlin et al. 2019. Each rule gives at most one finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.diagnostics.findings import Finding, majority, median, percent, remedy
from goldviz.labs.bert_pretraining.findings.steps import scaled, sureness, usual
from goldviz.labs.bert_pretraining.readings import PretrainingReading, quotient

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

CONTEXT = 0.8
"""An unseen loss below this share of word frequencies' loss counts as guessed from the context."""
FREQUENCIES = 0.95
FORGOTTEN = 1.25
BY_HEART = 1.15
WORSE_AGAIN = 1.05
WORSE_THAN_FREQUENCIES = 1.05
REHEARSAL = 0.5
"""The weight of masked words that is advised where fine-tuning forgets them (Radford et al. 2018)."""


def only_frequencies(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """On unseen texts, masked words are guessed about as well as by their frequency."""
    poor = reading.worth >= FREQUENCIES
    if not majority(poor) or majority(reading.worth > WORSE_THAN_FREQUENCIES):
        return None
    return Finding(
        kind="only_word_frequencies",
        title="It guesses masked words by their frequency alone",
        severity="bad",
        number=_against_frequencies(reading),
        threshold=f"{percent(FREQUENCIES)} to {percent(WORSE_THAN_FREQUENCIES)} of the loss of word frequencies",
        confidence=sureness(poor),
        explanation="Someone who never looks at the sentence, and names words as often as they occur, would score "
        f"about as well: {reading.unigram:.2f} nat. First frequencies are learned, then context (document 001, section "
        "4.2.2).",
        **remedy(
            settings,
            ("Hide 15 % of the pieces, so that context is left.", {"masked_share": min(0.15, settings.masked_share)}),
            ("Train three times as long.", {"pretraining_steps": min(50_000, settings.pretraining_steps * 3)}),
            _usual_steps(settings, "optimiser", "learning_rate"),
        ),
    )


def worse_than_frequencies(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """On unseen texts, masked words are guessed worse than by their frequency."""
    worse = reading.worth > WORSE_THAN_FREQUENCIES
    if not majority(worse):
        return None
    return Finding(
        kind="worse_than_word_frequencies",
        title="It guesses masked words worse than by their frequency",
        severity="bad",
        number=_against_frequencies(reading),
        threshold=f"{percent(WORSE_THAN_FREQUENCIES)} of the loss of word frequencies",
        confidence=sureness(worse),
        explanation="Someone who never looks at the sentence, and names words as often as they occur, would score "
        f"better: {reading.unigram:.2f} nat. Frequencies are the first thing to learn, so the steps were too few, too "
        "small, or so large that each undoes the last.",
        **remedy(
            settings,
            _usual_steps(settings, "optimiser", "learning_rate", "warm_up", "clip"),
            ("Train three times as long.", {"pretraining_steps": min(50_000, settings.pretraining_steps * 3)}),
        ),
    )


def _usual_steps(settings: BertPretraining, *names: str) -> tuple[str, dict[str, Any]]:
    """The advice to set what decides on the steps back to its defaults."""
    return "Let AdamW take steps of the usual size.", {name: usual(settings, name) for name in names}


def reads_context(reading: PretrainingReading) -> Finding | None:
    """On unseen texts, masked words are guessed much better than by their frequency."""
    good = reading.worth <= CONTEXT
    if not majority(good):
        return None
    choices = np.exp(np.array([median(reading.words_unseen), reading.unigram]))
    return Finding(
        kind="reads_context",
        title="It guesses masked words from their context",
        severity="good",
        number=_against_frequencies(reading),
        threshold=f"{percent(CONTEXT)} of the loss of word frequencies",
        confidence=sureness(good),
        explanation=f"At a mask it is torn between about {choices[0]:,.0f} pieces, where frequencies alone leave "
        f"{choices[1]:,.0f}. The texts come from one generator, so this says little about other texts.",
    )


def _against_frequencies(reading: PretrainingReading) -> str:
    own, worth = median(reading.words_unseen), median(reading.worth)
    return f"{own:.2f} nat on unseen texts, {percent(worth)} of the {reading.unigram:.2f} of word frequencies"


def words_by_heart(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The loss on unseen texts rises again while that in training goes on falling."""
    if len(reading.unseen_losses) < 3:
        return None
    gap = quotient(reading.words_unseen, reading.words_trained)
    over = (gap > BY_HEART) & (reading.words_unseen > WORSE_AGAIN * reading.unseen_losses.min(0))
    if not majority(over):
        return None
    return Finding(
        kind="words_by_heart",
        title="It learns its texts by heart",
        severity="warning",
        number=f"{median(reading.words_unseen):.2f} nat on unseen ones, {median(reading.words_trained):.2f} on its own",
        threshold="15 % apart, and 5 % above the best look",
        confidence=sureness(over),
        explanation="Every step hides other pieces, but the same few texts come back again and again. From some point "
        "on the network remembers them.",
        **remedy(
            settings,
            ("Read five times as many texts.", {"texts": min(40_000, settings.texts * 5)}),
            ("Stop at half of the steps.", {"pretraining_steps": max(1, settings.pretraining_steps // 2)}),
        ),
    )


def forgotten(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """Fine-tuning made the encoder worse at masked words."""
    growth = quotient(reading.words_now, reading.words_unseen)
    lost = growth > FORGOTTEN
    if not majority(lost):
        return None
    asked, rehearse = _rehearsal(settings)
    return Finding(
        kind="forgotten",
        title="Fine-tuning made it forget masked words",
        severity="warning",
        number=f"from {median(reading.words_unseen):.2f} to {median(reading.words_now):.2f} nat",
        threshold=f"{FORGOTTEN:g} times the loss at the end of pre-training",
        confidence=sureness(lost),
        explanation=f"Fine-tuning updates all parameters for the tone (document 001, section 4.2.2), and {asked}. "
        "That is no harm to the tone, but shows how far the encoder was moved.",
        **remedy(
            settings,
            rehearse,
            ("Freeze the encoder.", {"frozen": True}),
            ("Take a third of the learning rate.", {"fine_tuning_rate": scaled(settings.fine_tuning_rate, 1 / 3)}),
        ),
    )


def _rehearsal(settings: BertPretraining) -> tuple[str, tuple[str, dict[str, float]]]:
    """What fine-tuning asks of masked words, and the advice to ask for more."""
    if not settings.rehearsal:
        advice = "Rehearse: go on with masked words beside the tone."
        return "nothing asks for masked words any more", (advice, {"rehearsal": REHEARSAL})
    stronger = {"rehearsal": min(10.0, settings.rehearsal * 3)}
    asked = f"masked words weigh {settings.rehearsal:g} times as much as the tone"
    return asked, ("Rehearse with three times the weight.", stronger)
