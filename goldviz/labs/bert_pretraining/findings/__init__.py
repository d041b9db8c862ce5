"""What a run of *Pre-training and fine-tuning* says, in order and without contradiction.

A run that diverged gets no other verdict: the cause comes first. One whose steps are too large is not told about
spikes, and one that guesses by frequencies is not told that it learned by heart; of a tone that was not learned there
is no further side. Verdicts on what a phase came to wait for its end.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Conclusions, median, percent
from goldviz.labs.bert_pretraining.findings import steps, tone, words
from goldviz.labs.bert_pretraining.measures import PretrainingReading

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.labs.bert_pretraining.settings import BertPretraining

RULES = (
    *steps.UNSOUND,
    *steps.UNEVEN,
    *words.FREQUENCIES,
    words.BY_HEART,
    *tone.RULES,
    *words.HEADS,
    steps.CLIPPED,
    words.FORGOTTEN,
    words.READS_CONTEXT,
    words.NEIGHBOURS,
)
"""In the order in which they are judged."""


def readings(settings: BertPretraining, dataset: Run) -> list[PretrainingReading]:
    """The one model of a run, as rules read it; none before its first step."""
    has_steps = dataset.sizes.get("step") and "phase" in dataset
    return [PretrainingReading.of(dataset)] if has_steps else []


findings_of = Conclusions(RULES, readings, most=6, praise=2, learned=words.FROM_CONTEXT)


def pretraining_verdict(ds: Run) -> str:
    """The loss on masked words beside word frequencies, and the share of tones beside a bag of words; not escaped."""
    reading = PretrainingReading.of(ds)
    sentences = [_on_words(reading), _on_tone(reading)]
    return " ".join(sentence for sentence in sentences if sentence) or "Nothing measured yet."


def _on_words(reading: PretrainingReading) -> str:
    if not len(reading.word_losses):
        return "It has read no masked words." if isfinite(median(reading.words_now)) else ""
    own = median(reading.words_unseen)
    if not isfinite(own) or not isfinite(reading.unigram):
        return ""
    # Fine-tuning forgets some of it, and the figure says how much is left.
    when = ", pre-trained" if isfinite(median(reading.known)) else ""
    lead = f"{own:.2f} nat" if own < reading.unigram else f"only {own:.2f} nat"
    return f"Masked words{when}: {lead}, word frequencies {reading.unigram:.2f}."


def _on_tone(reading: PretrainingReading) -> str:
    draws, patterns = median(reading.known), median(reading.new)
    if not isfinite(draws):
        return ""
    if not isfinite(patterns):
        beside = f"a bag of words {percent(reading.bag_known)}, the largest class {percent(reading.baseline)}"
        return f"Unseen labelled texts: {percent(draws)} right; {beside}."
    words = f"Tone: {percent(draws)} right on known, {percent(patterns)} on new patterns"
    if not isfinite(reading.bag):
        return f"{words}."
    return f"{words}; a bag of words {percent(reading.bag_known)} and {percent(reading.bag)}."
