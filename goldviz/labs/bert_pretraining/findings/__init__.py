"""What a run of *Pre-training and fine-tuning* says, in order and without contradiction.

A run that diverged gets no other verdict: the cause comes first. One whose steps are too large is not told about
spikes, and one that guesses by frequencies is not told that it learned by heart; of a tone that was not learned there
is no further side. Verdicts on what a phase came to wait for its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Conclusions
from goldviz.labs.bert_pretraining.findings import heads, steps, tone, words
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
    *heads.RULES,
    steps.CLIPPED,
    words.FORGOTTEN,
    words.READS_CONTEXT,
    heads.NEIGHBOURS,
)
"""In the order in which they are judged."""


def readings(settings: BertPretraining, dataset: Run) -> list[PretrainingReading]:
    """The one model of a run, as rules read it; none before its first step."""
    has_steps = dataset.sizes.get("step") and "phase" in dataset
    return [PretrainingReading.of(dataset)] if has_steps else []


findings_of = Conclusions(RULES, readings, most=6, praise=2, learned=words.FROM_CONTEXT)
