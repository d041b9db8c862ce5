"""What claims and pages tell of a run, each number in one place."""

from __future__ import annotations

from collections.abc import Callable

from goldviz.diagnostics.measure import measure


def _largest(name: str) -> Callable[..., float]:
    """The largest of the views' numbers of this name."""
    return lambda *runs: max(float(run.attrs[name]) for run in runs)


off_autograd = measure(lambda *runs: max(float(off) for run in runs for off in run.attrs["difference"].values()))
"""The largest difference of any gradient's entry to autograd's."""
bias_gradient = measure(_largest("bias_gradient"))
"""The largest entry of the gradient of a bias before batch norm."""
bias_in_logits = measure(_largest("bias_in_logits"))
"""The most by which any logit changes without a bias before batch norm."""
identity_error = measure(_largest("identity_error"))
"""The most by which batch norm's output differs from its input with gamma = sqrt(var + eps), beta = mean."""
identity_elsewhere = measure(lambda *runs: min(float(run.attrs["identity_elsewhere"]) for run in runs))
"""By how many of its standard deviations another batch comes out changed, in the lane where that is least."""
shift_in_loss = measure(_largest("shift_in_loss"), "nat")
"""The most by which the loss changes when something else than the maximum is subtracted, or nothing."""
shift_in_gradient = measure(_largest("shift_in_gradient"))
"""The most by which the gradient of the logits changes when something else than the maximum is subtracted."""
sign_in_gradient = measure(_largest("sign_in_gradient"))
"""The most by which the gradient of the logits changes with the sign of the maximum's gradient."""
