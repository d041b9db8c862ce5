"""Rules on the second phase: the tone from context or from words alone, and what pre-training was worth.

Document 001, section 4.2.2.
"""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Candidate, Case, Line, Rule, above, majority, median, percent, where
from goldviz.diagnostics.findings.advice import Suited, Times
from goldviz.diagnostics.findings.rule import sureness
from goldviz.labs.bert_pretraining.findings.steps import adamw, down_to_usual, longer, usual
from goldviz.labs.bert_pretraining.measures import CARRIED, LEAST_TEXTS, MARGIN, PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

ABOVE_BAG = "{at:points} above the bag of words"
ABOVE_MAJORITY = "the majority's {baseline:percent} and {at:points} more"
BESIDE_BAG = "{new:percent} right on new patterns, bag of words {bag:percent}"

UNFREEZE = ("Let fine-tuning update the encoder.", {"frozen": False})
UNFREEZE_TOO = ("Let fine-tuning update the encoder as well.", {"frozen": False})
MORE_LABELS: Candidate = ("Label five times as many texts.", {"labelled": Times(5)})
READ_FIRST: Candidate = (
    "Read masked words first.",
    {"pretraining_steps": lambda settings: settings.pretraining_steps or usual("pretraining_steps", settings)},
)


def _shared_sureness(case: Case) -> str:
    """Seeds that agree say nothing of chance in the texts, which they share."""
    return f"{sureness(case)}; their unseen texts are the same"


def _tuned(n: PretrainingReading, settings: BertPretraining) -> bool:
    return settings.fine_tuning_steps > 0


def _frozen(n: PretrainingReading, settings: BertPretraining) -> bool:
    return settings.fine_tuning_steps > 0 and settings.frozen and isfinite(median(n.known))


def _to_learn(case: Case) -> list[Candidate | Suited]:
    """Words first where they were not learned: fine-tuning cannot read states that say nothing."""
    if any(case.crossed[kind] for kind in ("worse_than_word_frequencies", "only_word_frequencies")):
        return [adamw, down_to_usual, UNFREEZE]
    return [READ_FIRST, UNFREEZE, ("Fine-tune three times as long.", {"fine_tuning_steps": Times(3)})]


def _of_random_weights(case: Case) -> str:
    random_encoder = case.settings.frozen and not case.settings.pretraining_steps
    return "The frozen encoder has random weights." if random_encoder else ""


def _below_words(case: Case) -> bool:
    return majority(case.reading.below_words)


def _what_gains(case: Case) -> str:
    if case.settings.pretraining_steps:
        return "It gains by word order, or by words that it knows from pre-training."
    return "It has read nothing but the labelled texts, so it gains by how their words go together."


def _without_pretraining(case: Case) -> list[Candidate]:
    words = "Fine-tune without pre-training: what then stays above the bag is word order, not known words."
    return [(words, {"pretraining_steps": 0, "frozen": False})] if case.settings.pretraining_steps else []


def _bag_beside(case: Case) -> str:
    bag = case.reading.hardest.bag
    return f"The bag of words is right in {percent(bag)}." if isfinite(bag) else ""


def _read_on(n: PretrainingReading, settings: BertPretraining) -> bool:
    both_phases = settings.fine_tuning_steps > 0 and settings.pretraining_steps > 0
    return both_phases and settings.compare_start and isfinite(median(n.moved_on_new))


AFTER_PRETRAINING = where("carried", f"{ABOVE_MAJORITY}, after pre-training", at=CARRIED)

judged = partial(Rule, confidence=_shared_sureness, at_end=True)
learned = partial(judged, only=_tuned, silenced_by=("tone_not_learned",))
read_on = partial(
    judged,
    only=_read_on,
    number="{new:percent} right on new patterns, {start_new:percent} without the reading",
    explanation="Both were fine-tuned on the same labels in the same order (document 001, section 4.2.3).",
)

RULES = (
    judged(
        "tone_not_learned",
        "bad",
        "The tone was not learned",
        line=where("unlearned", ABOVE_MAJORITY, at=MARGIN),
        number="{known:percent} right",
        explanation=_of_random_weights,
        advice=_to_learn,
        only=_tuned,
    ),
    learned(
        "tone_from_words",
        lambda case: "bad" if _below_words(case) else "warning",
        lambda case: (
            "On new patterns counting words judges the tone better"
            if _below_words(case)
            else "On new patterns it is not clearly better than counting words"
        ),
        line=where("level_with_words", ABOVE_BAG, at=MARGIN),
        number=BESIDE_BAG,
        explanation="A bag of words does not know what stands where.",
        advice=lambda case: [READ_FIRST, UNFREEZE, MORE_LABELS, *longer(case)],
    ),
    learned(
        "labels_by_heart",
        "warning",
        "It knows its labelled texts by heart",
        line=above("tied_to_labels", 0.15, "{at:points} apart")
        & above("tone_trained", 0.9, "{at:percent} right in training"),
        number="{tone_trained:percent} right in training, {known:percent} on unseen texts like these",
        explanation=lambda case: f"It learned from {case.reading.labelled or case.settings.labelled:,} labelled texts.",
        advice=[READ_FIRST, MORE_LABELS],
    ),
    learned(
        "patterns_only",
        "warning",
        "It knows its patterns better than the tone",
        line=above("tied_to_patterns", 0.15, "{at:points} apart"),
        number="{known:percent} right on known patterns, {new:percent} on new ones",
        explanation="New patterns are in no labelled text.",
        advice=[READ_FIRST, MORE_LABELS],
    ),
    learned(
        "hard_kind",
        "warning",
        "Texts of the kind “{hardest.name}” are judged worst",
        confidence=lambda case: f"{_shared_sureness(case)}, {case.reading.hardest.texts} of this kind",
        line=above("hardest.behind", 0.2, f"{{at:points}} below all kinds, with at least {LEAST_TEXTS} texts"),
        number=lambda n: f"{percent(median(n.hardest.right))} right, all kinds {percent(median(n.hardest.overall))}",
        explanation=_bag_beside,
    ),
    learned(
        "tone_from_context",
        "good",
        "On new patterns it judges the tone from more than counted words",
        line=where("beyond_words", ABOVE_BAG, at=MARGIN),
        number=BESIDE_BAG,
        explanation=_what_gains,
        advice=_without_pretraining,
    ),
    judged(
        "pretraining_paid_off",
        "good",
        "Masked words alone taught it something about tone",
        line=where("carried", ABOVE_MAJORITY, at=CARRIED),
        number="{known:percent} right with the encoder frozen",
        explanation="Fine-tuning trained the classifier only (document 001, section 4.2.2).",
        advice=[UNFREEZE_TOO],
        only=lambda n, settings: _frozen(n, settings) and settings.pretraining_steps > 0,
        silenced_by=("tone_not_learned",),
    ),
    judged(
        "frozen_holds_back",
        "warning",
        "The frozen encoder tells little of the tone",
        line=Line(lambda n: ~AFTER_PRETRAINING.over(n), AFTER_PRETRAINING.words),
        number="{known:percent} right",
        explanation=_of_random_weights,
        advice=[READ_FIRST, UNFREEZE_TOO],
        only=_frozen,
        silenced_by=("tone_not_learned", "pretraining_paid_off"),
    ),
    read_on(
        "reading_raised_tone",
        "good",
        "Reading raised the tone's score",
        line=where("raised_by_reading", "{at:points} above the start without reading", at=MARGIN),
    ),
    read_on(
        "reading_lowered_tone",
        "bad",
        "Reading lowered the tone's score",
        line=where("lowered_by_reading", "{at:points} below the start without reading", at=MARGIN),
    ),
    read_on(
        "reading_left_tone",
        "warning",
        "Reading left the tone's score as it was",
        line=where("unmoved_by_reading", "within {at:points} of the start without reading", at=MARGIN),
    ),
)
