"""What a run of *Pre-training and fine-tuning* says, in order and without contradiction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Finding, majority
from goldviz.labs.bert_pretraining.findings import gradients as gradient
from goldviz.labs.bert_pretraining.findings import heads as head
from goldviz.labs.bert_pretraining.findings import masked_words as word
from goldviz.labs.bert_pretraining.findings import steps as step
from goldviz.labs.bert_pretraining.findings import tone
from goldviz.labs.bert_pretraining.readings import PretrainingReading

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.bert_pretraining.settings import BertPretraining

MOST = 6


def findings_of(settings: BertPretraining, dataset: xr.Dataset) -> list[Finding]:
    """Findings of a run, most serious first, at most six.

    A run that diverged gets no other verdict: the cause comes first. One whose steps are too large is not told about
    spikes, and one that guesses by frequencies is not told that it learned by heart. Verdicts on what a phase came to
    wait for its end.
    """
    if not dataset.sizes.get("step") or "phase" not in dataset:
        return []
    reading = PretrainingReading.of(dataset)
    diverged = step.training_diverged(settings, reading, str(dataset.attrs.get("status", "")))
    if diverged is not None:
        return [_dated(diverged, settings, dataset)]
    last = int(dataset["step"].max())
    read, tuned = last >= settings.pretraining_steps > 0, last >= settings.steps_planned()
    judged = tuned and settings.fine_tuning_steps > 0
    hasty = len(reading.word_losses) > 0 and majority(step.too_fast(reading))
    blind = majority(reading.worth >= word.FREQUENCIES)
    found = [
        gradient.exploding(settings, reading),
        step.steps_too_large(settings, reading),
        gradient.vanishing(settings, reading),
        word.worse_than_frequencies(settings, reading) if read else None,
        word.only_frequencies(settings, reading) if read else None,
        *(_on_tone(settings, reading) if judged else ()),
        step.loss_spike(settings, reading) if not hasty else None,
        step.steps_too_small(settings, reading) if read and not hasty else None,
        word.words_by_heart(settings, reading) if read and not blind else None,
        head.even_heads(settings, dataset) if read else None,
        head.special_heads(settings, dataset) if read else None,
        gradient.always_clipped(settings, reading),
        word.forgotten(settings, reading) if judged and not settings.frozen else None,
        word.reads_context(reading) if read else None,
        head.neighbour_heads(dataset) if read else None,
    ]
    order = {"bad": 0, "warning": 1, "good": 2}
    kept = sorted((finding for finding in found if finding is not None), key=lambda finding: order[finding.severity])
    return [_dated(finding, settings, dataset) for finding in _shortened(kept)]


def _on_tone(settings: BertPretraining, reading: PretrainingReading) -> list[Finding | None]:
    """Verdicts on the tone; what was not learned at all has no further side to it."""
    unlearned = tone.tone_unlearned(settings, reading)
    if unlearned is not None:
        return [unlearned]
    return [
        tone.tone_from_words(settings, reading),
        tone.labels_by_heart(settings, reading),
        tone.patterns_only(settings, reading),
        tone.hard_kind(reading),
        tone.tone_from_context(settings, reading),
        tone.frozen_encoder(settings, reading),
    ]


def _shortened(findings: list[Finding]) -> list[Finding]:
    """At most six, of which up to two are good ones where there are any: what works is worth knowing, too."""
    good = [finding for finding in findings if finding.severity == "good"]
    rest = [finding for finding in findings if finding.severity != "good"]
    room = max(MOST - len(rest), min(len(good), 2))
    return rest[: MOST - min(len(good), room)] + good[:room]


def _dated(finding: Finding, settings: BertPretraining, ds: xr.Dataset) -> Finding:
    """The finding with how far the run was, where that is not its end."""
    last = int(ds["step"].max())
    if last >= settings.steps_planned():
        return finding
    return replace(finding, confidence=f"{finding.confidence}; so far, at step {last} of {settings.steps_planned()}")
