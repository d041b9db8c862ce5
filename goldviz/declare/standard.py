"""Settings that several laboratories declare, and choices that they share: said once, with what is usual.

Each takes its default, and whatever a laboratory has otherwise: ``standard.learning_rate(1e-3, ge=1e-7, le=10)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from goldviz.data.tables.sealed_names import KEPT
from goldviz.declare.settings import Variable, setting
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.feedforward.initialisations import INITIALISATIONS
from goldviz.models.feedforward.normalisations import NORMALISATIONS
from goldviz.models.recurrent.matrices import MATRICES
from goldviz.training.optimisers import ADAMW_DECAY, OPTIMISERS


class Entry(Protocol):
    """What an entry of a family's table has at least."""

    @property
    def words(self) -> str:
        """What the member is called."""


def labels_of(table: Mapping[str, Entry]) -> dict[str, str]:
    """What the members of a family are called, by name."""
    return {name: entry.words for name, entry in table.items()}


EVERY_STEP = ("step", "network", "seed")
LOOK = ("look", "network", "seed")
"""Dimensions of what most laboratories record at every step, and at every look."""


def gradient_norms(before: str = "norm_before_clip", after: str = "norm_after_clip") -> dict[str, Variable]:
    """How long each step's whole gradient was, and what clipping left of it."""
    return {
        before: Variable(EVERY_STEP, "Norm of the whole gradient before clipping", kind="gradient_norm"),
        after: Variable(EVERY_STEP, "Norm of the whole gradient after clipping", kind="clipped_gradient_norm"),
    }


activation = partial(setting, group="Network", essential=True, one_of=labels_of(ACTIVATIONS))
initialisation = partial(setting, group="Network", essential=True, one_of=labels_of(INITIALISATIONS))
normalisation = partial(setting, group="Network", one_of=labels_of(NORMALISATIONS))
hidden = partial(setting, ge=2, le=64, group="Network", unit="units", description="Hidden units.")
recurrent_matrix = partial(setting, group="Network", one_of=labels_of(MATRICES))
forget_bias = partial(setting, ge=-4, le=8, group="Network", essential=True)
dropout = partial(setting, ge=0, le=0.9, group="Network")
seed = partial(setting, 0, ge=0, le=999, description="Random seed of weights and sequence.")

tolerance = partial(setting, 1e-4, ge=1e-8, le=1e-1, group="Solver", logarithmic=True)

optimiser = partial(
    setting,
    group="Training",
    one_of=labels_of(OPTIMISERS),
    description="Rule that turns gradients into steps. SGD has momentum 0.9. AdamW has weight decay "
    f"{ADAMW_DECAY:g} where no setting says how much.",
)
learning_rate = partial(
    setting,
    ge=1e-6,
    le=1,
    group="Training",
    essential=True,
    hot=True,
    logarithmic=True,
    description="Size of the optimiser's steps.",
)
clip = partial(
    setting, ge=0, le=1000, group="Training", hot=True, description="Largest norm of the gradient. 0: no clipping."
)
steps = partial(
    setting,
    ge=1,
    le=20_000,
    group="Training",
    essential=True,
    unit="steps",
    description="Optimiser steps, each on new sequences.",
)
epochs = partial(setting, ge=1, group="Training", essential=True, unit="epochs")
look_every = partial(setting, ge=1, le=1000, group="Instruments", unit="steps")
measure_every = partial(
    look_every, ge=0, description="Gradients and the size of the steps are measured every so many steps. 0: never."
)
close_looks = partial(setting, ge=0, le=200, group="Instruments", unit="looks")


def kept(what: str, *own: str, **declared: Any) -> Any:
    """One of our ``own``, the first if nothing else is said, or the key of ``what`` somebody brought."""
    ours = repr(own[0]) if len(own) == 1 else ", ".join(own)
    allowed = f"{ours}, or the 16 characters that name {what} kept on this server"
    return setting(own[0], pattern=f"^({'|'.join(own)}|{KEPT})$", allowed=allowed, **declared)


def networks(
    words: Mapping[str, str], together: Mapping[str, tuple[str, ...]], *, group: str = "Network"
) -> tuple[Any, Callable[[str], tuple[str, ...]]]:
    """Which networks are trained, the first of ``words`` if nothing else is said, and the names that a word stands for:
    those that are trained ``together``, or itself.

    >>> chosen, trained = networks({"both": "ODE and GRU", "ode": "ODE", "gru": "GRU"}, {"both": ("ode", "gru")})
    >>> trained("both"), trained("gru")
    (('ode', 'gru'), ('gru',))
    """
    chosen = setting(next(iter(words)), group=group, essential=True, one_of=words)
    return chosen, lambda word: together.get(word, (word,))


def batch(default: int, unit: str, *, ge: int = 2, le: int = 512) -> Any:
    """How many of the ``unit`` are in a step."""
    return setting(default, ge=ge, le=le, group="Training", unit=unit, description=f"{unit.capitalize()} in a step.")
