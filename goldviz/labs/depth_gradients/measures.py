"""One network of a depth run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import largest, mean, ratio
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure, one_seed
from goldviz.labs.depth_gradients.settings import DepthGradients

LABELS = {"plain": "plain", "residual": "residual"}


def applied(ds: Run, clip: float) -> Run:
    """The run with its gradient norms as far as they can have moved the weights.

    By which factor a step was clipped is not recorded; no layer of a clipped gradient is longer than ``clip``, nor then
    is its mean over the epoch.
    """
    if clip == 0 or "gradient_norm" not in ds or "clipped" not in ds:
        return ds
    norms = ds["gradient_norm"]
    return ds.assign({"gradient_norm": norms.where(~((ds["clipped"] > 0) & (norms > clip)), clip)})


def _middle(ratios: Floats) -> Floats:
    """The median over all layers but the first, which reads the features in, and over the epochs.

    (layer, epoch, seed) in, (seed,) out.
    """
    return np.asarray(np.median(ratios[1:].reshape(-1, ratios.shape[-1]), axis=0))


def _grown(norms: Floats) -> Floats:
    """The error's length at h_0 over that at h_L, of means over the epochs: (hidden, epoch, seed) in, (seed,) out."""
    return ratio(mean(norms[0]), mean(norms[-1]))


def _of_hidden(by: Callable[[Floats], Any]) -> Callable[[NetworkReading], Floats]:
    """Of the hidden layers' gradient norms (layer, epoch, seed), as they were before clipping."""

    def of_network(n: NetworkReading) -> Floats:
        layers = n.dataset["layer"].values if "layer" in n.dataset.coords else np.zeros(0)
        hidden = (layers >= 1) & (layers <= n.settings.depth)
        return n.recorded("gradient_norm", "layer", "epoch", by=lambda norms: by(norms[hidden]))

    return of_network


def _of_error(by: Callable[[Floats], Any]) -> Callable[[NetworkReading], Floats]:
    return lambda n: n.recorded("hidden_gradient_norm", "hidden", "epoch", by=lambda norms: _grown(by(norms)))


def _longest(n: NetworkReading) -> Floats:
    updates = NetworkReading(applied(n.dataset, n.settings.clip), n.network)
    return updates.recorded("gradient_norm", "epoch", "layer", by=largest)


def _later(looks: Floats) -> Floats:
    """(look, seed) in, (seed,) out; a step of which no part lowers the loss has no headroom at all."""
    return np.asarray(np.median(np.nan_to_num(looks[len(looks) // 2 :]), axis=0))


def _told_right(n: NetworkReading) -> Floats:
    looks, loss = n.values("headroom", "histogram_epoch"), n.values("loss", "epoch")
    if looks is None or loss is None:
        return n.nothing
    before = np.searchsorted(n.dataset["epoch"].values, n.dataset["histogram_epoch"].values)
    before = before[before + 1 < len(loss)]
    falls = loss[before + 1] < loss[before]
    return np.asarray(((np.nan_to_num(looks[: len(before)]) > 1) == falls).mean(axis=0))


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was."""

    labels = LABELS
    declared = DepthGradients
    depth = measure(lambda n: int(n.settings.depth))
    """How many hidden layers there are."""
    epochs = measure(lambda n: int(n.dataset["epoch"].size))
    """After how many epochs something was recorded."""
    first = measure(_of_hidden(lambda norms: mean(norms[0])))
    """The gradient norm of the first hidden layer, mean over the epochs (document 001, Annex 5.3)."""
    last = measure(_of_hidden(lambda norms: mean(norms[-1])))
    """The gradient norm of the last hidden layer, mean over the epochs."""
    first_at_start = measure(_of_hidden(lambda norms: norms[0, 0]))
    """The gradient norm of the first hidden layer in the first epoch."""
    last_at_start = measure(_of_hidden(lambda norms: norms[-1, 0]))
    """The gradient norm of the last hidden layer in the first epoch."""
    first_at_last = measure(_of_hidden(lambda norms: norms[0, -1]))
    """The gradient norm of the first hidden layer in the last epoch."""
    last_at_last = measure(_of_hidden(lambda norms: norms[-1, -1]))
    """The gradient norm of the last hidden layer in the last epoch."""
    largest = measure(_longest)
    """The largest gradient norm of all, as far as clipping let it act."""
    amplification = measure(_of_error(lambda norms: norms))
    """How many times as long the error dL/dh is at h_0 as at h_L, means over the epochs."""
    amplification_at_first = measure(_of_error(lambda norms: norms[:, :1]))
    """How many times as long the error dL/dh is at h_0 as at h_L in the first epoch."""
    amplification_at_last = measure(_of_error(lambda norms: norms[:, -1:]))
    """How many times as long the error dL/dh is at h_0 as at h_L in the last epoch."""
    # fmin leaves out a diverged network's NaN.
    shallower = measure(at_last("loss_by_depth", "epoch", "trained_depth", by=lambda one: np.fmin.reduce(one[:-1])))
    """The lowest last training loss of the networks of fewer layers."""
    typical_step = measure(recorded("update_to_data", "layer", "epoch", by=_middle))
    """The median ratio of updates to weights of all layers but the first, and of all epochs."""
    jacobian_gain = measure(at_last("jacobian_gain", "histogram_epoch", "block", by=mean))
    """The gain of the blocks' Jacobians, mean over the blocks, at the last epoch that looked at it."""
    state_change = measure(at_last("state_change", "histogram_epoch", "block", by=mean))
    """How far a block moves its state, as a share of the state's length, mean over the blocks, at the last look."""
    headroom_at_first = measure(recorded("headroom", "histogram_epoch", by=lambda looks: np.nan_to_num(looks[0])))
    """How many times larger the rate could be at the first step, 0 where no part of it lowers the loss."""
    headroom_later = measure(recorded("headroom", "histogram_epoch", by=_later))
    """How many times larger the rate could be, median over the last half of the looks."""
    told_right = measure(_told_right)
    """The share of looks whose next epoch has a lower loss if the rate had headroom, and a higher one if not."""
    silent = measure(lambda n: (n.first == 0) & (n.last == 0) & (n.largest == 0))
    """Which seeds' gradient is exactly zero at every matrix, in every epoch."""
    shrinkage = measure(lambda n: ratio(n.last, n.first))
    """How many times smaller the gradient is at the first hidden layer than at the last. Infinite where only the first
    is zero; NaN where nothing can be said."""
    growth = measure(lambda n: ratio(n.first, n.last))
    """How many times larger the gradient is at the first hidden layer than at the last."""
    growth_at_start = measure(lambda n: ratio(n.first_at_start, n.last_at_start))
    """How many times larger the gradient is at the first hidden layer than at the last, in the first epoch."""
    growth_at_last = measure(lambda n: ratio(n.first_at_last, n.last_at_last))
    """How many times larger the gradient is at the first hidden layer than at the last, in the last epoch."""
    change = measure(lambda n: np.maximum(n.shrinkage, n.growth))
    """How far the gradient is from being kept: how many times larger or smaller it is, whichever is more."""
    block_factor = measure(lambda n: n.amplification ** (1 / n.depth))
    """How many times longer a block makes the error on its way back, the geometric mean over the blocks."""
    block_factor_at_last = measure(lambda n: n.amplification_at_last ** (1 / n.depth))
    """How many times longer a block makes the error on its way back in the last epoch, the geometric mean."""
    degradation = measure(lambda n: ratio(n.ended, n.shallower))
    """How many times worse the network trains than the best of fewer layers."""
    error_change = measure(lambda n: np.maximum(n.amplification, ratio(np.ones(1), n.amplification)))
    """How far the blocks are from handing the error on at its length, whichever way."""
    worth = measure(lambda n: ratio(n.test, n.simplest))
    """The test loss as a share of that of always answering zero."""
    unseen_worth = measure(lambda n: ratio(n.evaluation, n.simplest))
    """The loss on unseen samples after the last epoch so far as a share of that of always answering zero."""


FIRST_STEPS = 5
"""Within which a rate shows that it is too large for the network's start."""


residual_over_plain = measure(lambda run: Reading.test["residual"](run) / Reading.test["plain"](run))
"""The residual network's test loss over the plain one's."""
residual_over_plain_in_training = measure(lambda run: Reading.ended["residual"](run) / Reading.ended["plain"](run))
"""The residual network's last training loss over the plain one's."""


def _largest_that_falls(runs: Sequence[Run], steps: int | None) -> float:
    """The largest rate whose loss is below its start after so many steps, or at the end, over the critical one.

    The first run's headroom tells the critical rate.
    """
    rates = [float(json.loads(run.attrs["settings"])["learning_rate"]) for run in runs]
    working = [0.0]
    for rate, run in zip(rates, map(one_seed, runs), strict=True):
        loss = run["loss"].sel(network="plain").values
        end = loss[-1] if steps is None else loss[min(steps, len(loss) - 1)]
        if np.isfinite(end) and end < loss[0]:
            working.append(rate)
    return float(max(working) / (rates[0] * Reading.headroom_at_first["plain"](runs[0])))


first_steps_over_critical = measure(lambda *runs: _largest_that_falls(runs, FIRST_STEPS))
"""The plain network's largest rate that lowers the loss in five steps over 2/sharpness along its first gradient."""
training_over_critical = measure(lambda *runs: _largest_that_falls(runs, None))
"""The plain network's largest rate that ends below its start over 2/sharpness along its first gradient."""
