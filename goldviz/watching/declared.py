"""What a watched run records, and how its row stands in the store: without settings, seeds and a planned end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from goldviz.declare.settings import Variable

WATCHED = "watched"
"""In a run's row, where the name of an experiment stands."""

TRY = "try"
"""The kind of a command by which the page asks for a card's cure to be tried."""

STEP, LOOK, CLOSE, PROBE, BEFORE = "step", "look", "close_look", "probe", "before"
"""Dimensions that grow: ``close_look`` where a recurrent module is replayed, ``probe`` where the rate is probed.

``before`` has the last measured steps up to the first value that is no finite number."""

VARIABLES: Mapping[str, Variable] = {
    "loss": Variable((STEP,), "Loss", kind="training_loss"),
    "evaluation_loss": Variable((STEP,), "Evaluation loss", kind="evaluation_loss"),
    "learning_rate": Variable((STEP,), "Learning rate", kind="learning_rate"),
    "scalars": Variable((STEP, "scalar"), "Numbers of the script's own, by name"),
    "used_gradient_norm": Variable(
        (STEP,), "Norm of the gradient that the optimiser used", kind="clipped_gradient_norm"
    ),
    "gradient_by_layer": Variable(
        (STEP, "layer"),
        "Norm of a layer's gradient as the optimiser used it, the largest since the row before",
        label="Gradient norm",
        kind="gradient_norm_by_layer",
    ),
    "update_to_data": Variable(
        (STEP, "layer"),
        "Norm of a step over norm of the weights, of up to 1,024 entries of each, the largest since the row before",
        label="Update to data",
        kind="update_to_data_by_layer",
    ),
    "gradient_norm": Variable((LOOK,), "Norm of the gradient before clipping", kind="gradient_norm"),
    "clip_factor": Variable((LOOK,), "What clipping left of the gradient"),
    "weight_norm": Variable((LOOK, "layer"), "Norm of a layer's weights", label="Weight norm"),
    "activation_mean": Variable((LOOK, "layer"), "Mean of a layer's output", kind="activation_mean"),
    "activation_std": Variable((LOOK, "layer"), "Spread of a layer's output", kind="activation_std"),
    "largest_activation": Variable((LOOK, "layer"), "Largest entry of a layer's output"),
    "output_gradient": Variable(
        (LOOK, "layer"), "Norm of the gradient of a layer's output", kind="hidden_gradient_norm_by_layer"
    ),
    "saturation": Variable((LOOK, "layer"), "Share of saturated activations or gates", kind="saturation"),
    "dead_units": Variable((LOOK, "layer"), "Share of incoming units that were 0 for every row", kind="dead_units"),
    "activation_histogram": Variable(
        (LOOK, "layer", "value_bin"), "Share of a layer's outputs per bin", kind="activation_histogram"
    ),
    "attention_entropy": Variable(
        (LOOK, "layer", "head"), "Entropy of a head's attention, mean over queries", "bit", kind="attention_entropy"
    ),
    "largest_logit": Variable((LOOK, "layer", "head"), "Largest logit of a head's attention", kind="largest_logit"),
    "state_gradient": Variable(
        (CLOSE, "time"), "Norm of dL/dh_t of a recurrent module, mean over rows", kind="state_gradient_norm"
    ),
    "state_to_last": Variable((CLOSE, "time"), "Largest singular value of dh_T/dh_t of a recurrent module"),
    "gate_product": Variable(
        (CLOSE, "time"),
        "Largest unit's product of the gates that keep its state, from the step after t to the last",
        kind="gate_product",
    ),
    "replay_difference": Variable((CLOSE,), "Largest difference between a module's outputs and its replay's"),
    "headroom": Variable(
        (PROBE,), "How many times larger the rate could be before the loss of its batch rises", kind="headroom"
    ),
    "gradient_before": Variable(
        (BEFORE, "layer"), "Norm of a layer's gradient in the last steps up to the first cause", label="Gradient norm"
    ),
    "update_before": Variable(
        (BEFORE, "layer"), "Update to data in the last steps up to the first cause", label="Update to data"
    ),
    "gradient_histogram": Variable(
        (LOOK, "layer", "magnitude_bin"), "Share of weight gradients per bin", kind="weight_gradient_histogram"
    ),
}
"""NaN where nothing was measured; infinite where what was measured is no finite number, so that it stays in view."""


DEEPEST, MOST_FACTS, LONGEST_TEXT = 6, 1000, 10_000
"""How deep a script's facts may lie in each other, how many lie beside each other, and characters of one that is a
text; what is beyond is told shorter, or not."""


@dataclass(frozen=True)
class WatchedScript:
    """What stands where other runs have settings: the facts that a script gave."""

    config: Mapping[str, Any] = field(default_factory=dict)
    name: str = WATCHED
    version: int = 1
    variables: Mapping[str, Variable] = field(default_factory=lambda: VARIABLES)
    step: str = STEP

    def steps_planned(self) -> int:
        """Nobody knows how many steps a script will take."""
        return 0

    def model_dump_json(self) -> str:
        """The facts as JSON; what JSON does not know is told as Python prints it, and what is very long is cut."""
        return json.dumps(_told(self.config, DEEPEST))


def _told(value: Any, depth: int) -> Any:
    """A value as JSON has it, whatever a script gave: it must not fail for what goldviz is told beside it."""
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    if depth and isinstance(value, Mapping):
        return {_words(key): _told(one, depth - 1) for key, one in islice(value.items(), MOST_FACTS)}
    if depth and isinstance(value, list | tuple):
        return [_told(one, depth - 1) for one in value[:MOST_FACTS]]
    return value[:LONGEST_TEXT] if isinstance(value, str) else _words(value)


def _words(value: Any) -> str:
    try:
        return str(value)[:200]
    except Exception:  # noqa: BLE001 - somebody's own class, or a number of thousands of digits
        return f"({type(value).__name__})"
