"""How this laboratory's advice is tried: on the presets that are quick and call for it; drawn ones learn few texts."""

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
    drawn_sizes={
        "texts": LoweredTo(1000), "pretraining_steps": LoweredTo(300), "fine_tuning_steps": LoweredTo(100),
        "width": LoweredTo(32), "inner": LoweredTo(128), "batch": LoweredTo(16),
    },
    presets=(
        "go-on-from-a-model", "break-it-no-pre-training", "break-it-frozen-at-random", "break-it-learning-rate-30",
    ),
    instruments=("look_every",),
    draws=10,
)  # fmt: skip
