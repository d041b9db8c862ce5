"""Rules on the second phase: the tone from context or from words alone, and what pre-training was worth.

Document 001, section 4.2.2. Each rule gives at most one finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, Verdicts, majority, median, percent, remedy
from goldviz.labs.bert_pretraining.findings.steps import sureness, usual
from goldviz.labs.bert_pretraining.readings import NEW_DRAWS, NEW_PATTERNS, PretrainingReading

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

MARGIN = 0.07
"""Two shares of 400 texts near a half differ so much by chance: two standard errors of their difference.

That takes their errors as independent. Errors on the same texts mostly go together, so the line is a careful one; texts
are not recorded one by one, which a paired test would need.
"""
ABOVE_BAG = f"{MARGIN * 100:.0f} points above the bag of words"
PATTERNS_ONLY = 0.15
BY_HEART = 0.15
HARD = 0.2
LEAST_TEXTS = 25
CARRIED = 0.15


def shared_sureness(seeds: Verdicts) -> str:
    """How sure a verdict on the tone is: seeds that agree say nothing of chance in the texts, which they share.

    >>> shared_sureness(np.array([True, True, False]))
    '2 of 3 seeds agree; their unseen texts are the same'
    """
    return f"{sureness(seeds)}; their unseen texts are the same"


def unlearned(reading: PretrainingReading) -> Verdicts:
    """Seeds that judge known patterns no better than whoever always names one tone."""
    return np.asarray(reading.tone[NEW_DRAWS] <= reading.majority[NEW_DRAWS] + MARGIN)


def beyond_words(reading: PretrainingReading) -> Verdicts:
    """Seeds that judge new patterns better than counted words do."""
    return np.asarray(reading.tone[NEW_PATTERNS] > reading.bag[NEW_PATTERNS] + MARGIN)


def tone_unlearned(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The tone was not learned at all."""
    poor = unlearned(reading)
    if not majority(poor):
        return None
    random = settings.frozen and not settings.pretraining_steps
    why = (
        "The frozen encoder has random weights, and [CLS] hardly tells one text from another."
        if random
        else "The classifier reads the state of [CLS] alone; so far that state says little about the tone."
    )
    return Finding(
        kind="tone_not_learned",
        title="The tone was not learned",
        severity="bad",
        number=f"{percent(median(reading.tone[NEW_DRAWS]))} right",
        threshold=f"the majority's {percent(reading.majority[NEW_DRAWS])} and {MARGIN * 100:.0f} points more",
        confidence=shared_sureness(poor),
        explanation=f"{why} On unseen texts of known patterns it does no better than naming one tone always.",
        **remedy(
            settings,
            *_read_first(settings),
            ("Let fine-tuning update the encoder.", {"frozen": False}),
            ("Fine-tune three times as long.", {"fine_tuning_steps": min(20_000, settings.fine_tuning_steps * 3)}),
        ),
    )


def _read_first(settings: BertPretraining) -> tuple[tuple[str, dict[str, int]], ...]:
    """The advice to pre-train, where there was no pre-training."""
    if settings.pretraining_steps:
        return ()
    return (("Read masked words first.", {"pretraining_steps": usual(settings, "pretraining_steps")}),)


def tone_from_context(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """On patterns that no labelled text has, the tone is judged better than by counting words.

    Pre-training may have read sentences of these patterns, without their tones, and words that the bag never counted.
    The paired run without pre-training tells that from word order.
    """
    good = beyond_words(reading)
    if not majority(good):
        return None
    paired = (
        "Fine-tune without pre-training: what then stays above the bag is word order, not known words.",
        {"pretraining_steps": 0, "frozen": False} if settings.pretraining_steps else {},
    )
    explanation = (
        "A bag of words counts the words of the labelled texts, whatever their order. The network, which has read much "
        "more, gains by word order, or by words that it knows from pre-training. No labelled text has these patterns; "
        "pre-training may have read some, without their tones."
        if settings.pretraining_steps
        else "A bag of words, trained on the same labelled texts, counts their words of two letters or more, whatever "
        "their order. The network has read nothing else either, so it gains by how words go together, their order "
        "above all, in patterns that no labelled text has."
    )
    return Finding(
        kind="tone_from_context",
        title="It judges the tone from more than counted words",
        severity="good",
        number=_beside(reading),
        threshold=ABOVE_BAG,
        confidence=shared_sureness(good),
        explanation=explanation,
        **remedy(settings, paired),
    )


def tone_from_words(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The tone is judged, but no better than by counting words."""
    below = reading.tone[NEW_PATTERNS] < reading.bag[NEW_PATTERNS] - MARGIN
    # NaN on either side is no verdict, so the comparison is not the negation of the one above.
    level = (reading.tone[NEW_PATTERNS] <= reading.bag[NEW_PATTERNS] + MARGIN) & ~unlearned(reading)
    if not majority(level):
        return None
    worse = majority(below)
    return Finding(
        kind="tone_from_words",
        title="Counting words judges the tone better" if worse else "It judges the tone no better than by counting",
        severity="bad" if worse else "warning",
        number=_beside(reading),
        threshold=ABOVE_BAG,
        confidence=shared_sureness(level),
        explanation="A bag of words does not know what stands where, nor a word that no labelled text has. To beat it, "
        "a network has to use word order (which noun falls, what a “not” belongs to), or words that it knows from "
        "pre-training. That takes more text read before, or more texts with a tone.",
        **remedy(
            settings,
            *_read_first(settings),
            ("Let fine-tuning update the encoder.", {"frozen": False}),
            ("Label five times as many texts.", {"labelled": min(10_000, settings.labelled * 5)}),
            ("Pre-train three times as long.", {"pretraining_steps": min(50_000, settings.pretraining_steps * 3)}),
        ),
    )


def _beside(reading: PretrainingReading) -> str:
    own, bag = median(reading.tone[NEW_PATTERNS]), reading.bag[NEW_PATTERNS]
    return f"{percent(own)} right on new patterns, bag of words {percent(bag)}"


def patterns_only(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """Known patterns are judged much better than new ones."""
    gap = reading.tone[NEW_DRAWS] - reading.tone[NEW_PATTERNS]
    wide = gap > PATTERNS_ONLY
    if not majority(wide):
        return None
    return Finding(
        kind="patterns_only",
        title="It knows its patterns better than the tone",
        severity="warning",
        number=f"{percent(median(reading.tone[NEW_DRAWS]))} right on known patterns, "
        f"{percent(median(reading.tone[NEW_PATTERNS]))} on new ones",
        threshold="15 points apart",
        confidence=shared_sureness(wide),
        explanation="New draws only put other words into patterns that labelled texts have. New patterns are those "
        "that no labelled text has, though pre-training may have read some without tones: what fails there was tied "
        "to the form, and may well fail on real statements, too.",
        **remedy(
            settings,
            ("Label five times as many texts.", {"labelled": min(10_000, settings.labelled * 5)}),
            ("Keep the encoder as pre-training left it.", {"frozen": True}),
        ),
    )


def labels_by_heart(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The labelled texts are judged much better than unseen texts of the same patterns."""
    gap = reading.tone_trained - reading.tone[NEW_DRAWS]
    wide = gap > BY_HEART
    if not majority(wide):
        return None
    return Finding(
        kind="labels_by_heart",
        title="It knows its labelled texts by heart",
        severity="warning",
        number=f"{percent(median(reading.tone_trained))} right in training, "
        f"{percent(median(reading.tone[NEW_DRAWS]))} on unseen texts of the same patterns",
        threshold="15 points apart",
        confidence=shared_sureness(wide),
        explanation=f"{settings.labelled:,} texts are few for so many parameters: each can be remembered by its words. "
        "Pre-training exists because texts without labels are plenty (document 001, section 4.2.2).",
        **remedy(
            settings,
            *_read_first(settings),
            ("Label five times as many texts.", {"labelled": min(10_000, settings.labelled * 5)}),
            ("Keep the encoder as pre-training left it.", {"frozen": True}),
        ),
    )


def hard_kind(reading: PretrainingReading) -> Finding | None:
    """One kind of text is judged much worse than all together."""
    if not len(reading.by_kind) or not len(reading.kind_count):
        return None
    counts = reading.kind_count[:, None]
    overall = (reading.by_kind * counts).sum(0) / counts.sum()
    behind = np.where(counts >= LEAST_TEXTS, overall - reading.by_kind, -np.inf)
    row = int(np.median(behind, axis=1).argmax())
    far = behind[row] > HARD
    if not majority(far):
        return None
    kind = reading.kinds[row].replace("_", " ")
    bag = f" The bag of words is right in {percent(reading.bag_by_kind[0, row])}." if len(reading.bag_by_kind) else ""
    return Finding(
        kind="hard_kind",
        title=f"Texts of the kind “{kind}” are judged worst",
        severity="warning",
        number=f"{percent(median(reading.by_kind[row]))} right, all kinds {percent(median(overall))}",
        threshold=f"20 points below all kinds, with at least {LEAST_TEXTS} texts",
        confidence=shared_sureness(far),
        explanation=f"Each kind asks for another way of reading; a mean over all hides which one is missing.{bag}",
    )


def frozen_encoder(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """What a frozen encoder's states say about the tone: all of it comes from pre-training, or from chance."""
    if not settings.frozen or not np.isfinite(reading.tone[NEW_DRAWS]).any() or majority(unlearned(reading)):
        return None
    carried = reading.tone[NEW_DRAWS] > reading.majority[NEW_DRAWS] + CARRIED
    if settings.pretraining_steps and majority(carried):
        return Finding(
            kind="pretraining_paid_off",
            title="Masked words alone taught it something about tone",
            severity="good",
            number=f"{percent(median(reading.tone[NEW_DRAWS]))} right with the encoder frozen",
            threshold=f"the majority's {percent(reading.majority[NEW_DRAWS])} and 15 points more",
            confidence=shared_sureness(carried),
            explanation="Fine-tuning trained the classifier only. Whatever [CLS] says about the tone, it learned by "
            "guessing masked words, without any label (document 001, section 4.2.2).",
            **remedy(settings, ("Let fine-tuning update the encoder as well.", {"frozen": False})),
        )
    return Finding(
        kind="frozen_holds_back",
        title="The frozen encoder holds the classifier back",
        severity="warning",
        number=f"{percent(median(reading.tone[NEW_DRAWS]))} right",
        threshold=f"the majority's {percent(reading.majority[NEW_DRAWS])} and 15 points more, after pre-training",
        confidence=shared_sureness(~carried if settings.pretraining_steps else np.ones(reading.seeds, dtype=bool)),
        explanation="The classifier reads one state, that of [CLS], and may not change how it comes about."
        + ("" if settings.pretraining_steps else " Here that state comes from random weights."),
        **remedy(settings, *_read_first(settings), ("Let fine-tuning update the encoder as well.", {"frozen": False})),
    )
