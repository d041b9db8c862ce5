"""One network of a continuous-depth run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from goldviz.diagnostics.by_kind import ByKind
from goldviz.diagnostics.findings import Floats, Verdicts
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import share
from goldviz.diagnostics.findings.recorded import Derived, at_last, measured
from goldviz.labs.continuous_depth.settings import ContinuousDepth

CONSISTENT = 0.1
"""Share of the larger loss by which the exact flow may change it."""
NEGLIGIBLE = 0.02
"""Where both losses are below this, the answers are right either way and the share says nothing."""
ALL_RIGHT = 0.995
SMALL_ERROR = 0.05
"""Mean square error of x -> -x that counts as learned; 1/3 is what the best answers that keep the order leave."""
FIRST_STEPS = 5
"""Steps whose mean is what an adaptive solver paid at the start."""

LABELS = {"ode": "neural ODE", "residual": "residual network"}


def _last_quarter(values: Floats) -> Floats:
    return values[-max(1, len(values) // 4) :]


def _settled(values: Floats) -> Floats:
    """The mean over the last quarter of the looks or steps."""
    return np.asarray(_last_quarter(values).mean(axis=0))


def _typical(values: Floats) -> Floats:
    """The median over the last quarter of the looks."""
    return np.asarray(np.median(_last_quarter(values), axis=0))


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``loss``, ``refined`` (the loss with the field followed exactly), ``saturation``, ``stiffness`` (the largest norm of
    the field's Jacobian) and ``adjoint_cost`` (evaluations back for each forward) are those of the last look.
    ``accuracy`` is the mean over the last quarter of the looks, because a flow that squeezes points through a neck has
    all of them right at one step and not at the next; ``gradient_difference``, of the flow alone, is the median over
    the same looks. ``paid_first`` and ``paid_last`` are the mean evaluations forward over the first five steps and over
    the last quarter. ``accuracy_at_last`` and ``paid_at_last_step`` are of one look and one step alone.
    """

    labels: ClassVar[Mapping[str, str]] = LABELS
    kinds: ClassVar[ByKind] = ContinuousDepth.variables_by_kind
    loss: Floats = at_last("test_loss", "look")
    refined: Floats = at_last("refined_test_loss", "look")
    accuracy: Floats = measured("test_accuracy", "look", by=_settled)
    saturation: Floats = at_last("field_saturation", "look")
    stiffness: Floats = at_last("field_stiffness", "look")
    adjoint_cost: Floats = at_last("adjoint_cost", "look", only="ode")
    gradient_difference: Floats = measured("gradient_difference", "look", by=_typical, only="ode")
    paid_first: Floats = measured("evaluations_forward", "step", by=lambda paid: paid[:FIRST_STEPS].mean(axis=0))
    paid_last: Floats = measured("evaluations_forward", "step", by=_settled)
    paid_at_first_step: Floats = measured("evaluations_forward", "step", by=lambda paid: paid[0])
    paid_at_last_step: Floats = at_last("evaluations_forward", "step")
    accuracy_at_last: Floats = at_last("test_accuracy", "look")

    @property
    def learned(self) -> Verdicts:
        """Whether nearly all points are right, or the regression's error is small."""
        small = np.isnan(self.accuracy) & (self.loss < SMALL_ERROR)
        return np.asarray((self.accuracy >= ALL_RIGHT) | small)

    @property
    def unlearned(self) -> Verdicts:
        """Whether points are still wrong, or the error is not small."""
        return ~self.learned

    @property
    def inconsistent(self) -> Verdicts:
        """Whether following the field exactly changes the loss by more than a tenth of the larger one."""
        larger = np.maximum(self.loss, self.refined)
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.refined - self.loss) > CONSISTENT * larger
        return np.asarray(apart & (larger > NEGLIGIBLE))

    @property
    def consistent(self) -> Verdicts:
        """Whether it does not; unknown where the field was never followed exactly, or a loss is no number."""
        return np.asarray(~self.inconsistent & np.isfinite(self.refined) & np.isfinite(self.loss))

    @property
    def by_adjoint(self) -> bool:
        """Whether this is a flow whose gradient was compared with the adjoint's."""
        return bool(np.isfinite(self.gradient_difference).any())

    growth = Derived(lambda n: share(n.paid_last, n.paid_first))
    """How many times more often the field is asked in the end than at the start."""


LOSS = {network: Reading.measure(network, "loss") for network in LABELS}
CONSISTENT_ANSWERS = {network: Reading.measure(network, "consistent") for network in LABELS}
REFINED_LOSS = Reading.measure("ode", "refined")
RIGHT = Reading.measure("ode", "accuracy_at_last")
PAID_AT_FIRST_STEP = Reading.measure("ode", "paid_at_first_step", "evaluations")
PAID_AT_LAST_STEP = Reading.measure("ode", "paid_at_last_step", "evaluations")
