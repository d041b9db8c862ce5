"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import measure


def _largest(name: str, *runs: Run) -> float:
    return max(float(run.attrs[name]) for run in runs)


@measure()
def off_autograd(*runs: Run) -> float:
    """The largest difference of any gradient's entry to autograd's."""
    return max(float(off) for run in runs for off in run.attrs["difference"].values())


@measure()
def bias_gradient(*runs: Run) -> float:
    """The largest entry of the gradient of a bias before batch norm."""
    return _largest("bias_gradient", *runs)


@measure()
def bias_in_logits(*runs: Run) -> float:
    """The most by which any logit changes without a bias before batch norm."""
    return _largest("bias_in_logits", *runs)


@measure()
def identity_error(*runs: Run) -> float:
    """The most by which batch norm's output differs from its input with gamma = sqrt(var + eps), beta = mean."""
    return _largest("identity_error", *runs)


@measure()
def identity_elsewhere(*runs: Run) -> float:
    """By how many of its standard deviations another batch comes out changed, in the lane where that is least."""
    return min(float(run.attrs["identity_elsewhere"]) for run in runs)


@measure("nat")
def shift_in_loss(*runs: Run) -> float:
    """The most by which the loss changes when something else than the maximum is subtracted, or nothing."""
    return _largest("shift_in_loss", *runs)


@measure()
def shift_in_gradient(*runs: Run) -> float:
    """The most by which the gradient of the logits changes when something else than the maximum is subtracted."""
    return _largest("shift_in_gradient", *runs)


@measure()
def sign_in_gradient(*runs: Run) -> float:
    """The most by which the gradient of the logits changes with the sign of the maximum's gradient."""
    return _largest("sign_in_gradient", *runs)
