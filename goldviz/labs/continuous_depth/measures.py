"""One network of a continuous-depth run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import share
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
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


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was."""

    labels = LABELS
    declared = ContinuousDepth
    loss = measure(at_last("test_loss", "look"))
    """The loss on unseen points at the last look."""
    refined = measure(at_last("refined_test_loss", "look"))
    """The loss on unseen points at the last look, with the field followed exactly."""
    # A flow that squeezes points through a neck has all of them right at one step and not at the next.
    accuracy = measure(recorded("test_accuracy", "look", by=_settled))
    """The share of unseen points that are right, mean over the last quarter of the looks."""
    accuracy_at_last = measure(at_last("test_accuracy", "look"))
    """The share of unseen points that are right at the last look."""
    saturation = measure(at_last("field_saturation", "look"))
    """The share of the field's saturated activations at the last look."""
    stiffness = measure(at_last("field_stiffness", "look"))
    """The largest norm of the field's Jacobian at the last look."""
    adjoint_cost = measure(at_last("adjoint_cost", "look", only="ode"))
    """How many evaluations back the adjoint takes for each forward, at the last look."""
    gradient_difference = measure(
        recorded("gradient_difference", "look", by=lambda apart: np.median(_last_quarter(apart), axis=0), only="ode")
    )
    """How far the adjoint's gradient is from that of the steps, median over the last quarter of the looks."""
    paid_first = measure(recorded("evaluations_forward", "step", by=lambda paid: paid[:FIRST_STEPS].mean(axis=0)))
    """How often the field is evaluated forward, mean over the first five steps."""
    paid_last = measure(recorded("evaluations_forward", "step", by=_settled))
    """How often the field is evaluated forward, mean over the last quarter of the steps."""
    paid_at_first_step = measure(recorded("evaluations_forward", "step", by=lambda paid: paid[0]), "evaluations")
    """How often the field is evaluated forward at the first step."""
    paid_at_last_step = measure(at_last("evaluations_forward", "step"), "evaluations")
    """How often the field is evaluated forward at the last step."""
    growth = measure(lambda n: share(n.paid_last, n.paid_first))
    """How many times more often the field is asked in the end than at the start."""

    @measure
    def learned(self) -> Verdicts:
        """Whether nearly all points are right, or the regression's error is small."""
        small = np.isnan(self.accuracy) & (self.loss < SMALL_ERROR)
        return np.asarray((self.accuracy >= ALL_RIGHT) | small)

    unlearned = measure(lambda n: ~n.learned)
    """Whether points are still wrong, or the error is not small."""

    @measure
    def inconsistent(self) -> Verdicts:
        """Whether following the field exactly changes the loss by more than a tenth of the larger one."""
        larger = np.maximum(self.loss, self.refined)
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.refined - self.loss) > CONSISTENT * larger
        return np.asarray(apart & (larger > NEGLIGIBLE))

    consistent = measure(lambda n: ~n.inconsistent & np.isfinite(n.refined) & np.isfinite(n.loss))
    """Whether it hardly changes the loss; unknown where it was never followed exactly, or a loss is no number."""
    by_adjoint = measure(lambda n: bool(np.isfinite(n.gradient_difference).any()))
    """Whether this is a flow whose gradient was compared with the adjoint's."""
