"""Rules on the gradient's way down through the blocks: it vanishes, it explodes, it is cut at every step.

Document 001, section 3; document 002, section 3.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, Floats, majority, median, percent, remedy, times
from goldviz.labs.bert_pretraining.findings.steps import scaled, sureness
from goldviz.labs.bert_pretraining.readings import PretrainingReading, quotient

if TYPE_CHECKING:
    from goldviz.labs.bert_pretraining.settings import BertPretraining

VANISHING = 100.0
EXPLODING = 1e3
ALWAYS = 0.9


def fading(reading: PretrainingReading) -> Floats:
    """The last block's gradient norm as a multiple of the first block's, for each seed; NaN where one is missing."""
    rows = [row for row, part in enumerate(reading.parts) if part.startswith("block ")]
    if not rows or len(reading.part_norms) <= rows[-1]:
        return np.full(reading.seeds, np.nan)
    first, last = reading.part_norms[rows[0]], reading.part_norms[rows[-1]]
    return quotient(last, first)


def vanishing(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """The first block's gradient is a hundred times shorter than the last one's."""
    ratio = fading(reading)
    gone = ratio > VANISHING
    if not majority(gone):
        return None
    return Finding(
        kind="vanishing",
        title="The gradient vanishes on its way to the first block",
        severity="bad",
        number=f"{times(median(ratio))} times shorter than in the last block",
        threshold="100 times, median over the steps",
        confidence=sureness(gone),
        explanation="Each block adds to what it was given, so that the gradient has a path past it; the layer norm "
        "after the sum shrinks that path a little in every block (document 001, section 4.1.2).",
        **remedy(
            settings,
            ("Take half as many blocks.", {"layers": max(1, settings.layers // 2)}),
            ("Warm up for a fifth of the steps.", {"warm_up": max(0.2, settings.warm_up)}),
        ),
    )


def exploding(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """A gradient was longer than a thousand."""
    loud = reading.largest_norm > EXPLODING
    if not majority(loud):
        return None
    return Finding(
        kind="exploding",
        title="The gradient explodes",
        severity="bad",
        number=f"a gradient of norm {times(median(reading.largest_norm))}",
        threshold="a norm above 1,000 at any step",
        confidence=sureness(loud),
        explanation="One such step undoes hundreds of others. Clipping keeps its direction and cuts its length "
        "(document 002, section 3.7).",
        **remedy(
            settings,
            ("Cap the gradient's norm at 1.", {"clip": settings.clip or 1.0}),
            ("Take a tenth of the learning rate.", {"learning_rate": scaled(settings.learning_rate, 0.1)}),
        ),
    )


def always_clipped(settings: BertPretraining, reading: PretrainingReading) -> Finding | None:
    """Nearly every step of plain SGD was clipped; Adam divides by the gradient's usual size, and hardly minds."""
    cut = reading.clipped > ALWAYS
    if settings.optimiser != "sgd" or not majority(cut):
        return None
    return Finding(
        kind="clipping_every_step",
        title="Nearly every step is clipped",
        severity="warning",
        number=f"{percent(median(reading.clipped))} of the steps on masked words",
        threshold="90 % of the steps",
        confidence=sureness(cut),
        explanation="Clipping is a belt for rare long gradients. Cut at every step, all gradients have one length, "
        "and with SGD the clip value works as your learning rate.",
        **remedy(
            settings,
            ("Let AdamW set the size of each step.", {"optimiser": "adamw"}),
            ("Clip at ten times the norm.", {"clip": min(1000.0, settings.clip * 10)}),
        ),
    )
