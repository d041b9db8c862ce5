"""One network of a depth run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import largest, mean, ratio
from goldviz.diagnostics.findings.recorded import Derived, at_last, measured, read
from goldviz.diagnostics.measure import combined, of_each, one_seed
from goldviz.labs.depth_gradients.settings import DepthGradients


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


def _of_hidden(by: Callable[[Floats], Any]) -> Callable[[Recorded], Floats]:
    """Of the hidden layers' gradient norms (layer, epoch, seed), as they were before clipping."""

    def of_network(one: Recorded) -> Floats:
        layers = one.dataset["layer"].values if "layer" in one.dataset.coords else np.zeros(0)
        hidden = (layers >= 1) & (layers <= one.settings.depth)
        return one.measure("gradient_norm", "layer", "epoch", by=lambda norms: by(norms[hidden]))

    return of_network


def _of_error(by: Callable[[Floats], Any]) -> Callable[[Recorded], Floats]:
    return lambda one: one.measure("hidden_gradient_norm", "hidden", "epoch", by=lambda norms: _grown(by(norms)))


def _longest(one: Recorded) -> Floats:
    updates = Recorded(applied(one.dataset, one.settings.clip), one.network)
    return updates.measure("gradient_norm", "epoch", "layer", by=largest)


def _later(looks: Floats) -> Floats:
    """(look, seed) in, (seed,) out; a step of which no part lowers the loss has no headroom at all."""
    return np.asarray(np.median(np.nan_to_num(looks[len(looks) // 2 :]), axis=0))


def _told_right(one: Recorded) -> Floats:
    looks, loss = one.values("headroom", "histogram_epoch"), one.values("loss", "epoch")
    if looks is None or loss is None:
        return one.nothing
    before = np.searchsorted(one.dataset["epoch"].values, one.dataset["histogram_epoch"].values)
    before = before[before + 1 < len(loss)]
    falls = loss[before + 1] < loss[before]
    return np.asarray(((np.nan_to_num(looks[: len(before)]) > 1) == falls).mean(axis=0))


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was."""

    labels: ClassVar[Mapping[str, str]] = {"plain": "plain", "residual": "residual"}
    declared: ClassVar[Any] = DepthGradients
    depth: int = read(lambda one: int(one.settings.depth))
    epochs: int = read(lambda one: int(one.dataset["epoch"].size))
    first: Floats = read(_of_hidden(lambda norms: mean(norms[0])))
    """The gradient norm of the first hidden layer, mean over the epochs (document 001, Annex 5.3)."""
    last: Floats = read(_of_hidden(lambda norms: mean(norms[-1])))
    """The gradient norm of the last hidden layer, mean over the epochs."""
    first_at_start: Floats = read(_of_hidden(lambda norms: norms[0, 0]))
    """The gradient norm of the first hidden layer in the first epoch."""
    last_at_start: Floats = read(_of_hidden(lambda norms: norms[-1, 0]))
    """The gradient norm of the last hidden layer in the first epoch."""
    first_at_last: Floats = read(_of_hidden(lambda norms: norms[0, -1]))
    """The gradient norm of the first hidden layer in the last epoch."""
    last_at_last: Floats = read(_of_hidden(lambda norms: norms[-1, -1]))
    """The gradient norm of the last hidden layer in the last epoch."""
    largest: Floats = read(_longest)
    """The largest gradient norm of all, as far as clipping let it act."""
    amplification: Floats = read(_of_error(lambda norms: norms))
    """How many times as long the error dL/dh is at h_0 as at h_L, means over the epochs."""
    amplification_at_first: Floats = read(_of_error(lambda norms: norms[:, :1]))
    """How many times as long the error dL/dh is at h_0 as at h_L in the first epoch."""
    amplification_at_last: Floats = read(_of_error(lambda norms: norms[:, -1:]))
    """How many times as long the error dL/dh is at h_0 as at h_L in the last epoch."""
    # fmin leaves out a diverged network's NaN.
    shallower: Floats = at_last("loss_by_depth", "epoch", "trained_depth", by=lambda one: np.fmin.reduce(one[:-1]))
    """The lowest last training loss of the networks of fewer layers."""
    typical_step: Floats = measured("update_to_data", "layer", "epoch", by=_middle)
    """The median ratio of updates to weights of all layers but the first, and of all epochs."""
    jacobian_gain: Floats = at_last("jacobian_gain", "histogram_epoch", "block", by=mean)
    """The gain of the blocks' Jacobians, mean over the blocks, at the last epoch that looked at it."""
    state_change: Floats = at_last("state_change", "histogram_epoch", "block", by=mean)
    """How far a block moves its state, as a share of the state's length, mean over the blocks, at the last look."""

    headroom_at_first: Floats = measured("headroom", "histogram_epoch", by=lambda looks: np.nan_to_num(looks[0]))
    """How many times larger the rate could be at the first step, 0 where no part of it lowers the loss."""
    headroom_later: Floats = measured("headroom", "histogram_epoch", by=_later)
    """How many times larger the rate could be, median over the last half of the looks."""
    told_right: Floats = read(_told_right)
    """The share of looks whose next epoch has a lower loss if the rate had headroom, and a higher one if not."""

    @property
    def silent(self) -> Verdicts:
        """Which seeds' gradient is exactly zero at every matrix, in every epoch."""
        return np.asarray((self.first == 0) & (self.last == 0) & (self.largest == 0))

    shrinkage = Derived(lambda n: ratio(n.last, n.first))
    """How many times smaller the gradient is at the first hidden layer than at the last. Infinite where only the first
    is zero; NaN where nothing can be said."""
    growth = Derived(lambda n: ratio(n.first, n.last))
    """How many times larger the gradient is at the first hidden layer than at the last."""
    growth_at_start = Derived(lambda n: ratio(n.first_at_start, n.last_at_start))
    """How many times larger the gradient is at the first hidden layer than at the last, in the first epoch."""
    growth_at_last = Derived(lambda n: ratio(n.first_at_last, n.last_at_last))
    """How many times larger the gradient is at the first hidden layer than at the last, in the last epoch."""
    change = Derived(lambda n: np.maximum(n.shrinkage, n.growth))
    """How far the gradient is from being kept: how many times larger or smaller it is, whichever is more."""
    block_factor = Derived(lambda n: n.amplification ** (1 / n.depth))
    """How many times longer a block makes the error on its way back, the geometric mean over the blocks."""
    block_factor_at_last = Derived(lambda n: n.amplification_at_last ** (1 / n.depth))
    """How many times longer a block makes the error on its way back in the last epoch, the geometric mean."""
    degradation = Derived(lambda n: ratio(n.ended, n.shallower))
    """How many times worse the network trains than the best of fewer layers."""
    error_change = Derived(lambda n: np.maximum(n.amplification, ratio(np.ones(1), n.amplification)))
    """How far the blocks are from handing the error on at its length, whichever way."""
    worth = Derived(lambda n: ratio(n.test, n.simplest))
    """The test loss as a share of that of always answering zero."""
    unseen_worth = Derived(lambda n: ratio(n.evaluation, n.simplest))
    """The loss on unseen samples after the last epoch so far as a share of that of always answering zero."""


MEASURES = Reading.measures()
ERROR_KEPT = of_each(MEASURES, "amplification")
GRADIENT_KEPT = of_each(MEASURES, "growth")
GRADIENT_KEPT_AT_START = of_each(MEASURES, "growth_at_start")
GRADIENT_KEPT_AT_LAST = of_each(MEASURES, "growth_at_last")
ERROR_KEPT_AT_LAST = of_each(MEASURES, "amplification_at_last")
UNSEEN_WORTH = of_each(MEASURES, "unseen_worth")
DEGRADATION = of_each(MEASURES, "degradation")
TEST_LOSS = of_each(MEASURES, "test")
LAST_LOSS = of_each(MEASURES, "ended")
PARAMETERS = of_each(MEASURES, "parameters")
STATE_CHANGE = of_each(MEASURES, "state_change")
HEADROOM_AT_FIRST = of_each(MEASURES, "headroom_at_first")
HEADROOM_LATER = of_each(MEASURES, "headroom_later")
TOLD_RIGHT = of_each(MEASURES, "told_right")
FIRST_STEPS = 5
"""Within which a rate shows that it is too large for the network's start."""
TYPICAL_STEP = MEASURES["plain.typical_step"]


@combined()
def residual_over_plain(run: Run) -> float:
    """The residual network's test loss over the plain one's."""
    return TEST_LOSS["residual"](run) / TEST_LOSS["plain"](run)


@combined()
def residual_over_plain_in_training(run: Run) -> float:
    """The residual network's last training loss over the plain one's."""
    return LAST_LOSS["residual"](run) / LAST_LOSS["plain"](run)


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
    return max(working) / (rates[0] * HEADROOM_AT_FIRST["plain"](runs[0]))


@combined()
def first_steps_over_critical(*runs: Run) -> float:
    """The plain network's largest rate that lowers the loss in five steps over 2/sharpness along its first gradient."""
    return _largest_that_falls(runs, FIRST_STEPS)


@combined()
def training_over_critical(*runs: Run) -> float:
    """The plain network's largest rate that ends below its start over 2/sharpness along its first gradient."""
    return _largest_that_falls(runs, None)
