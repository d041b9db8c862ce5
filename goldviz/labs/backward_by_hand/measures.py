"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import Measure, measure


def _largest(name: str, words: str, unit: str = "") -> Measure:
    """The largest of the views' numbers of this name."""
    return Measure(name, words, unit, lambda *runs: max(float(run.attrs[name]) for run in runs))


@measure()
def off_autograd(*runs: Run) -> float:
    """The largest difference of any gradient's entry to autograd's."""
    return max(float(off) for run in runs for off in run.attrs["difference"].values())


bias_gradient = _largest("bias_gradient", "The largest entry of the gradient of a bias before batch norm.")
bias_in_logits = _largest("bias_in_logits", "The most by which any logit changes without a bias before batch norm.")
identity_error = _largest(
    "identity_error",
    "The most by which batch norm's output differs from its input with gamma = sqrt(var + eps), beta = mean.",
)


@measure()
def identity_elsewhere(*runs: Run) -> float:
    """By how many of its standard deviations another batch comes out changed, in the lane where that is least."""
    return min(float(run.attrs["identity_elsewhere"]) for run in runs)


shift_in_loss = _largest(
    "shift_in_loss",
    "The most by which the loss changes when something else than the maximum is subtracted, or nothing.",
    "nat",
)
shift_in_gradient = _largest(
    "shift_in_gradient",
    "The most by which the gradient of the logits changes when something else than the maximum is subtracted.",
)
sign_in_gradient = _largest(
    "sign_in_gradient", "The most by which the gradient of the logits changes with the sign of the maximum's gradient."
)
