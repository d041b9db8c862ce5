"""What a run of *Pre-training and fine-tuning* came to, in one or two sentences."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import median, percent
from goldviz.labs.bert_pretraining.measures import PretrainingReading, choices_left

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


def pretraining_verdict(ds: Run) -> str:
    """The loss on masked words beside word frequencies, and the share of tones beside a bag of words; not escaped."""
    reading = PretrainingReading.of(ds)
    sentences = [_on_words(reading), _on_tone(reading)]
    return " ".join(sentence for sentence in sentences if sentence) or "Nothing measured yet."


def torn_between(loss: float, uniform: float) -> str:
    """A loss as a number of pieces; one above that of guessing all alike has none."""
    return "worse than guessing all alike" if loss > uniform else f"as torn between {choices_left(loss):,.0f} pieces"


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
