"""Settings that several laboratories declare, and choices that they share: said once, with what is usual.

Each takes its default, and whatever a laboratory has otherwise: ``learning_rate_setting(1e-3, ge=1e-7, le=10)``.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from goldviz.declare.settings import setting
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.training.optimisers import OPTIMISERS

if TYPE_CHECKING:
    Activation = Optimiser = str
else:
    # A new entry of these tables is allowed at once; a type checker wants choices spelled out.
    Activation = Literal[tuple(ACTIVATIONS)]
    Optimiser = Literal[tuple(OPTIMISERS)]

RecurrentMatrix = Literal["orthogonal", "identity", "gaussian", "non_normal"]
RECURRENT_MATRICES = {
    "orthogonal": "Orthogonal",
    "identity": "Identity",
    "gaussian": "Gaussian",
    "non_normal": "Non-normal",
}

# fmt: off
activation_setting = partial(setting, group="Network", essential=True,
    labels={name: kind.words for name, kind in ACTIVATIONS.items()})
hidden_setting = partial(setting, ge=2, le=64, group="Network", unit="units", description="Hidden units.")
matrix_setting = partial(setting, group="Network", labels=RECURRENT_MATRICES)
forget_bias_setting = partial(setting, ge=-4, le=8, group="Network", essential=True)
dropout_setting = partial(setting, 0.0, ge=0, le=0.9, group="Network")
seed_setting = partial(setting, 0, ge=0, le=999, description="Random seed of weights and sequence.")

tolerance_setting = partial(setting, 1e-4, ge=1e-8, le=1e-1, group="Solver", logarithmic=True)

optimiser_setting = partial(setting, group="Training",
    labels={name: rule.words for name, rule in OPTIMISERS.items()},
    description="Rule that turns gradients into steps. SGD has momentum 0.9.")
learning_rate_setting = partial(setting, ge=1e-6, le=1, group="Training", essential=True, hot=True, logarithmic=True,
    description="Size of the optimiser's steps.")
clip_setting = partial(setting, ge=0, le=1000, group="Training", hot=True,
    description="Largest norm of the gradient. 0: no clipping.")
steps_setting = partial(setting, ge=1, le=20_000, group="Training", essential=True, unit="steps",
    description="Optimiser steps, each on new sequences.")
epochs_setting = partial(setting, 20, ge=1, group="Training", essential=True, unit="epochs")
look_every_setting = partial(setting, ge=1, le=1000, group="Instruments", unit="steps")
# fmt: on


def batch_setting(default: int, unit: str, *, ge: int = 2, le: int = 512) -> Any:
    """How many of the ``unit`` are in a step."""
    return setting(default, ge=ge, le=le, group="Training", unit=unit, description=f"{unit.capitalize()} in a step.")
