"""How this laboratory's advice is tried: on the presets that call for it, with at most 1500 steps of pre-training.

Drawn ones learn few texts.
"""

from collections.abc import Mapping, Sequence

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import Floats, LoweredTo
from goldviz.labs.bert_pretraining.readings import PretrainingReading

WORDS, TONE = "masked words’ loss over word frequencies’", "tones judged wrongly"


def _losses(readings: Sequence[PretrainingReading]) -> Mapping[str, Floats]:
    """Of both things that are learned, as shares."""
    [reading] = readings
    return {WORDS: reading.worth, TONE: 1 - reading.new}


TRIALS = Trials(
    losses=_losses,
    unit="On unseen texts",
    drawn=("labelled", "layers", "heads", "masked_share", "learning_rate", "fine_tuning_rate", "frozen",
        "rehearsal", "warm_up", "clip"),
    sizes={"pretraining_steps": LoweredTo(1500)},
    drawn_sizes={
        "texts": LoweredTo(1000), "pretraining_steps": LoweredTo(300), "fine_tuning_steps": LoweredTo(100),
        "width": LoweredTo(32), "inner": LoweredTo(128), "batch": LoweredTo(16),
    },
    presets=(
        "as-in-the-document", "go-on-from-a-model", "break-it-no-pre-training", "break-it-frozen-at-random",
        "fix-it-frozen-after-pre-training", "break-it-learning-rate-30",
    ),
    instruments=("look_every",),
    draws=10,
    about={
        "tone_from_words": TONE, "labels_by_heart": TONE, "patterns_only": TONE, "tone_not_learned": TONE,
        "forgotten": WORDS, "only_word_frequencies": WORDS, "learning_rate_too_large": WORDS,
    },
)  # fmt: skip
