"""How this laboratory's advice is tried: on the presets that call for it, with at most 1500 steps of pre-training.

Drawn ones learn few texts.
"""

from collections.abc import Mapping, Sequence

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import Floats, LoweredTo
from goldviz.labs.bert_pretraining.readings import PretrainingReading


def _losses(readings: Sequence[PretrainingReading]) -> Mapping[str, Floats]:
    """Of masked words as a share of word frequencies' loss, and the share of tones judged wrongly."""
    [reading] = readings
    return {"words": reading.worth, "tone": 1 - reading.new}


TRIALS = Trials(
    losses=_losses,
    unit="Loss on unseen texts",
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
)  # fmt: skip
