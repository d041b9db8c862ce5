"""How this laboratory's advice is tried, with at most 1000 steps of pre-training; drawn ones learn few texts.

Set-ups that differ in fine-tuning alone are pre-trained once.
"""

from collections.abc import Mapping, Sequence

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import Floats, LoweredTo
from goldviz.labs.bert_pretraining.measures import PretrainingReading

WORDS, TONE = "masked words’ loss over word frequencies’", "tones judged wrongly"


def _losses(readings: Sequence[PretrainingReading]) -> Mapping[str, Floats]:
    """Of both things that are learned, as shares."""
    [reading] = readings
    return {WORDS: reading.worth, TONE: 1 - reading.new}


TRIALS = Trials(
    losses=_losses,
    unit="On unseen texts",
    drawn=(
        "labelled",
        "layers",
        "heads",
        "masked_share",
        "learning_rate",
        "fine_tuning_rate",
        "frozen",
        "rehearsal",
        "warm_up",
        "clip",
    ),
    sizes={"pretraining_steps": LoweredTo(1000)},
    drawn_sizes={
        "texts": LoweredTo(1000),
        "pretraining_steps": LoweredTo(300),
        "fine_tuning_steps": LoweredTo(100),
        "width": LoweredTo(32),
        "inner": LoweredTo(128),
        "batch": LoweredTo(16),
    },
    longest=45.0,
    instruments=("look_every",),
    begun_by="pretraining_steps",
    later=("fine_tuning_steps", "fine_tuning_rate", "frozen", "rehearsal"),
    about={
        "tone_from_words": TONE,
        "labels_by_heart": TONE,
        "patterns_only": TONE,
        "tone_not_learned": TONE,
        "forgotten": WORDS,
        "only_word_frequencies": WORDS,
        "learning_rate_too_large": WORDS,
    },
)
