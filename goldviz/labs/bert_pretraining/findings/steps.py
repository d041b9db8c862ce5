"""Rules on the steps of pre-training: too large, too small, a loss that jumps, and training that ends in no number.

Document 002, section 3.7. Each rule gives at most one finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.diagnostics.findings import (
    LARGEST_UPDATE,
    SMALLEST_UPDATE,
    Finding,
    Floats,
    Verdict,
    Verdicts,
    agreement,
    majority,
    median,
    remedy,
    rising,
    times,
)
from goldviz.labs.bert_pretraining.readings import WORDS, PretrainingReading, quotient

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

STILL_FALLING = 0.8
"""An unseen loss below this share of word frequencies' loss needs no larger steps."""
SPIKE = 1.3
WINDOWS = 40


def sureness(seeds: Verdicts) -> str:
    """How sure a verdict is: the share of the seeds that cross the line."""
    return agreement([Verdict("", "", np.asarray(seeds))])


def scaled(rate: float, factor: float) -> float:
    """A learning rate times a factor, to three digits and within what is allowed.

    >>> scaled(0.003, 0.1), scaled(0.5, 10)
    (0.0003, 1.0)
    """
    return min(1.0, max(1e-6, float(f"{rate * factor:.3g}")))


def usual(settings: BertPretraining, name: str) -> Any:
    """The default of a setting."""
    return type(settings).model_fields[name].default


def training_diverged(settings: BertPretraining, reading: PretrainingReading, status: str) -> Finding | None:
    """The loss, or the run's status, says that training ended in no number."""
    if not reading.diverged.any() and status != "diverged":
        return None
    slower = {"learning_rate": scaled(settings.learning_rate, 0.1), "clip": settings.clip or 1.0}
    return Finding(
        kind="diverged",
        title="Training diverged",
        severity="bad",
        number="a recorded value that is no finite number",
        threshold="any loss that is NaN or infinite",
        confidence=sureness(reading.diverged) if reading.diverged.any() else "the run stopped for it",
        explanation="One step was so long that the next loss was no number any more. Warm-up keeps the first steps "
        "short, and clipping caps the longest gradient (document 002, section 3.7).",
        **remedy(
            settings,
            ("Take a tenth of the learning rate, and cap the gradient's norm.", slower),
            ("Warm up for a tenth of the steps.", {"warm_up": max(0.1, settings.warm_up)}),
        ),
    )


def too_fast(reading: PretrainingReading) -> Verdicts:
    """Seeds whose steps overwrite the weights in phase 1, or whose loss rises."""
    return np.asarray((reading.update[WORDS] > LARGEST_UPDATE) | rising(reading.word_losses))


def steps_too_large(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The learning rate of pre-training is too large."""
    over = too_fast(reading)
    if not len(reading.word_losses) or not majority(over):
        return None
    words = [f"update-to-data ratio {times(median(reading.update[WORDS]))}"] if _known(reading.update[WORDS]) else []
    words += ["the loss rises"] if majority(rising(reading.word_losses)) else []
    return Finding(
        kind="learning_rate_too_large",
        title="The learning rate of pre-training is too large",
        severity="bad",
        number=", ".join(words),
        threshold="a median ratio above 0.03, or a loss that ends a tenth above its start",
        confidence=sureness(over),
        explanation="Each of your steps overwrites a good part of the weights. Attention suffers first: long queries "
        "and keys make the softmax pick one piece for good, and its gradient dies (document 001, section 4.1.2).",
        **remedy(
            settings,
            ("Take a tenth of the learning rate.", {"learning_rate": scaled(settings.learning_rate, 0.1)}),
            ("Warm up for a tenth of the steps, and clip at 1.", {"warm_up": 0.1, "clip": 1.0}),
        ),
    )


def steps_too_small(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """Steps of pre-training hardly move the weights."""
    under = reading.update[WORDS] < SMALLEST_UPDATE
    if not majority(under) or majority(reading.worth < STILL_FALLING):
        return None
    return Finding(
        kind="learning_rate_too_small",
        title="The learning rate of pre-training is too small",
        severity="warning",
        number=f"update-to-data ratio {times(median(reading.update[WORDS]))}",
        threshold="a median ratio below 0.00003",
        confidence=sureness(under),
        explanation="Your steps change the weights so little that training would take many thousands of them.",
        **remedy(
            settings,
            ("Take ten times the learning rate.", {"learning_rate": scaled(settings.learning_rate, 10)}),
            ("Let AdamW set the size of each step.", {"optimiser": "adamw"}),
        ),
    )


def loss_spike(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The loss jumped up on the way and came down again."""
    heights = _spikes(reading.word_losses)
    high = heights > SPIKE
    if not majority(high):
        return None
    return Finding(
        kind="loss_spike",
        title="The loss jumped on the way",
        severity="warning",
        number=f"{times(median(heights))} times the lowest before it",
        threshold=f"{SPIKE:g} times, each a mean of {_window(reading.word_losses)} steps",
        confidence=sureness(high),
        explanation="A few long steps threw the weights back. Clipping shortens the gradient of such a step, and a "
        "longer warm-up keeps the rate small while Adam's averages know little (document 002, section 3.7).",
        **remedy(
            settings,
            ("Clip the gradient at 1.", {"clip": settings.clip or 1.0}),
            ("Warm up for a fifth of the steps.", {"warm_up": max(0.2, settings.warm_up)}),
            ("Take a third of the learning rate.", {"learning_rate": scaled(settings.learning_rate, 1 / 3)}),
        ),
    )


def _window(losses: Floats) -> int:
    return max(1, len(losses) // WINDOWS)


def _spikes(losses: Floats) -> Floats:
    """The largest ratio of a window's mean loss to the lowest before it, for each seed; NaN for a short run."""
    width = _window(losses)
    count = len(losses) // width
    if count < WINDOWS // 2:
        return np.full(losses.shape[1:], np.nan)
    means = losses[len(losses) - count * width :].reshape(count, width, -1).mean(1)
    return np.asarray(quotient(means[1:], np.minimum.accumulate(means)[:-1]).max(0))


def _known(values: Floats) -> bool:
    return bool(np.isfinite(values).any())
