"""Sentences that many laboratories say of how a network trained, by the kinds of what was recorded."""

import numpy as np

from tests.truth.predicates.told import by_seed, rose, typical

LONG, SHORT = 10**-1.5, 10**-4.5


def diverged(told):
    """One seed is enough."""
    stopped = told.run.attrs.get("status") in ("diverged", "failed")
    return stopped or not np.isfinite(told.kind("training_loss")).all()


def too_long(told):
    return (typical(told.kind("update_to_data_by_layer")) > LONG) | rose(told.kind("training_loss"))


def too_short(told):
    return (typical(told.kind("update_to_data_by_layer")) < SHORT) & ~rose(told.kind("training_loss"))


def at_end(kind, share):
    """A share over the layers at the last look."""

    def holds(told):
        return by_seed(told.last(told.kinds[kind])) > share

    return holds


def clipped(told):
    return by_seed(told.kind("clipped")) > 0.9


_OF_TRAINING = {
    "diverged": diverged,
    "learning_rate_too_large": too_long,
    "learning_rate_too_small": too_short,
    "saturated": at_end("saturation", 0.3),
    "dead_units": at_end("dead_units", 0.2),
    "clipping_every_step": clipped,
}


def of_training(*kinds):
    """Those of these kinds, and that of divergence."""
    return {kind: _OF_TRAINING[kind] for kind in ("diverged", *kinds)}
