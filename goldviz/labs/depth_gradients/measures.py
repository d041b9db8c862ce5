"""One network of a depth run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, largest, mean, ratio, rising, typical_updates
from goldviz.diagnostics.measure import Measure, combined
from goldviz.labs.depth_gradients.settings import DepthGradients

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``first`` and ``last`` are the gradient norms of the first and last hidden layer, means over the epochs (the
    metric of document 001, Annex 5.3), ``first_at_start`` and ``last_at_start`` those of the first epoch; ``largest``
    is the largest norm of all, as far as clipping let it act.
    ``amplification`` is how many times longer the error dL/dh is at h_0 than at h_L, mean over the epochs, and
    ``amplification_at_first`` and ``amplification_at_last`` those of the first and the last epoch. ``began`` and
    ``ended`` are the first and the last training loss. ``saturation`` and ``dead`` are means over the layers at the
    last epoch; ``update`` is the typical update-to-data ratio; ``shallower`` is the lowest last training loss of the
    networks of fewer layers; ``jacobian_gain`` is the mean over the blocks at the last epoch that looked at it;
    ``test`` and ``zero`` are the test losses of the network and of predicting zero, and
    ``unseen`` is the loss on the same samples after the last epoch so far, which a growing run has, too.
    ``typical_step`` is the median update-to-data ratio of all layers but the first, and of all epochs.
    """

    name: str
    depth: int
    first: Floats
    last: Floats
    first_at_start: Floats
    last_at_start: Floats
    largest: Floats
    amplification: Floats
    amplification_at_first: Floats
    amplification_at_last: Floats
    began: Floats
    ended: Floats
    shallower: Floats
    diverged: Verdicts
    rising: Verdicts
    update: Floats
    saturation: Floats
    dead: Floats
    test: Floats
    zero: Floats
    unseen: Floats
    parameters: Floats
    typical_step: Floats
    jacobian_gain: Floats

    @classmethod
    def of_run(cls, ds: Run, network: str) -> Reading:
        """Read one network off a run that says its own settings; one seed's axis may be left out."""
        settings = DepthGradients.from_store(int(ds.attrs["settings_version"]), ds.attrs["settings"])
        return cls.of(ds, network, settings)

    @classmethod
    def of(cls, ds: Run, network: str, settings: DepthGradients) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(applied(ds, settings.clip), network)
        hidden = Recorded(ds.sel(layer=slice(1, settings.depth)) if "layer" in ds.coords else ds, network)
        return cls(
            name=network,
            depth=settings.depth,
            first=hidden.measure("gradient_norm", "layer", "epoch", by=lambda norms: mean(norms[0])),
            last=hidden.measure("gradient_norm", "layer", "epoch", by=lambda norms: mean(norms[-1])),
            first_at_start=hidden.measure("gradient_norm", "epoch", "layer", by=lambda norms: norms[0, 0]),
            last_at_start=hidden.measure("gradient_norm", "epoch", "layer", by=lambda norms: norms[0, -1]),
            largest=recorded.measure("gradient_norm", "epoch", "layer", by=largest),
            amplification=recorded.measure("hidden_gradient_norm", "hidden", "epoch", by=_grown),
            amplification_at_first=recorded.measure(
                "hidden_gradient_norm", "hidden", "epoch", by=lambda norms: _grown(norms[:, :1])
            ),
            amplification_at_last=recorded.measure(
                "hidden_gradient_norm", "hidden", "epoch", by=lambda norms: _grown(norms[:, -1:])
            ),
            began=recorded.measure("loss", "epoch", by=lambda losses: losses[0]),
            ended=recorded.last("loss", "epoch"),
            shallower=recorded.last(
                "loss_by_depth", "epoch", "trained_depth", by=lambda losses: np.fmin.reduce(losses[:-1])
            ),
            diverged=recorded.verdict("loss", "epoch", by=diverged),
            rising=recorded.verdict("loss", "epoch", by=rising),
            update=recorded.measure("update_to_data", "epoch", "layer", by=typical_updates),
            saturation=recorded.last("saturation", "epoch", "hidden", by=mean),
            dead=recorded.last("dead_units", "epoch", "hidden", by=mean),
            test=recorded.measure("test_loss"),
            zero=recorded.measure("zero_loss"),
            unseen=recorded.last("evaluation_loss", "epoch"),
            parameters=recorded.measure("parameter_count"),
            typical_step=recorded.measure("update_to_data", "layer", "epoch", by=_middle),
            jacobian_gain=recorded.last("jacobian_gain", "histogram_epoch", "block", by=mean),
        )

    @property
    def silent(self) -> Verdicts:
        """Which seeds' gradient is exactly zero at the first and at the last hidden layer, in every epoch."""
        return np.asarray((self.first == 0) & (self.last == 0))

    @property
    def shrinkage(self) -> Floats:
        """How many times smaller the gradient is at the first hidden layer than at the last.

        Infinite where only the first is zero; NaN where nothing can be said.
        """
        return ratio(self.last, self.first)

    @property
    def growth(self) -> Floats:
        """How many times larger the gradient is at the first hidden layer than at the last."""
        return ratio(self.first, self.last)

    @property
    def growth_at_start(self) -> Floats:
        """The same in the first epoch."""
        return ratio(self.first_at_start, self.last_at_start)

    @property
    def change(self) -> Floats:
        """The larger of the two: how far the gradient is from being kept."""
        return np.maximum(self.shrinkage, self.growth)

    @property
    def block_factor(self) -> Floats:
        """How many times longer a block makes the error on its way back, the geometric mean over the blocks."""
        return self.amplification ** (1 / self.depth)

    @property
    def block_factor_at_last(self) -> Floats:
        """The same of the last epoch alone."""
        return self.amplification_at_last ** (1 / self.depth)

    @property
    def degradation(self) -> Floats:
        """How many times worse the network trains than the best of fewer layers."""
        return ratio(self.ended, self.shallower)

    @property
    def error_change(self) -> Floats:
        """How far the blocks are from handing the error on at its length, whichever way."""
        return np.maximum(self.amplification, ratio(np.ones(1), self.amplification))

    @property
    def worth(self) -> Floats:
        """The test loss as a share of that of always answering zero."""
        return ratio(self.test, self.zero)

    @property
    def unseen_worth(self) -> Floats:
        """The loss on unseen samples after the last epoch so far as a share of that of always answering zero."""
        return ratio(self.unseen, self.zero)


def applied(ds: Run, clip: float) -> Run:
    """The run with its gradient norms as they moved the weights: at most ``clip`` in an epoch that clipped."""
    if clip == 0 or "gradient_norm" not in ds or "clipped" not in ds:
        return ds
    norms = ds["gradient_norm"]
    return ds.assign({"gradient_norm": norms.where(~((ds["clipped"] > 0) & (norms > clip)), clip)})


def _middle(ratios: Floats) -> Floats:
    """The median over all layers but the first, and over the epochs: (layer, epoch, seed) in, (seed,) out."""
    return np.asarray(np.median(ratios[1:].reshape(-1, ratios.shape[-1]), axis=0))


def _grown(norms: Floats) -> Floats:
    """The error's length at h_0 over that at h_L, of means over the epochs: (hidden, epoch, seed) in, (seed,) out."""
    return ratio(mean(norms[0]), mean(norms[-1]))


def _of(network: str, name: str, words: str) -> Measure:
    """One of the numbers of a :class:`Reading` of this network."""
    return Measure(
        f"{network}.{name}",
        f"{words}, {network} network.",
        "",
        lambda run: getattr(Reading.of_run(run, network), name)[0],
    )


def _of_both(name: str, words: str) -> dict[str, Measure]:
    return {network: _of(network, name, words) for network in ("plain", "residual")}


ERROR_KEPT = _of_both("amplification", "The error dL/dh at h_0 over that at h_L, means over the epochs")
GRADIENT_KEPT = _of_both("growth", "The first hidden layer's gradient norm over the last one's, means over the epochs")
GRADIENT_KEPT_AT_START = _of_both("growth_at_start", "That ratio of gradient norms in the first epoch")
UNSEEN_WORTH = _of_both("unseen_worth", "The loss on unseen samples after the last epoch over that of predicting zero")
DEGRADATION = _of_both("degradation", "The last training loss over the lowest of the networks of fewer layers")
TEST_LOSS = _of_both("test", "The test loss")
LAST_LOSS = _of_both("ended", "The last training loss")
PARAMETERS = _of_both("parameters", "The number of parameters")
TYPICAL_STEP = _of("plain", "typical_step", "The median update-to-data ratio of its hidden layers and of all epochs")


@combined()
def residual_over_plain(run: Run) -> float:
    """The residual network's test loss over the plain one's."""
    return TEST_LOSS["residual"](run) / TEST_LOSS["plain"](run)


@combined()
def residual_over_plain_in_training(run: Run) -> float:
    """The residual network's last training loss over the plain one's."""
    return LAST_LOSS["residual"](run) / LAST_LOSS["plain"](run)
