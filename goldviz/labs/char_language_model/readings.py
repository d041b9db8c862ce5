"""A model of characters as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, mean, rising, share, typical_updates

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.char_language_model.settings import CharLanguageModel

LABELS = {
    "bigram": "counted bigram", "neural_bigram": "neural bigram", "mlp": "MLP", "deep_mlp": "deep MLP",
    "wavenet": "hierarchy", "rnn": "RNN", "lstm": "LSTM", "gru": "GRU",
}  # fmt: skip
MEDIAN_OF_NORMAL = 0.6745
"""Of the size of a standard normal number."""


@dataclass(frozen=True)
class Reading:
    """What was recorded of the model, for each seed; NaN where nothing was.

    ``first`` is the loss of the first step. ``train``, ``dev`` and ``by_batch`` (the dev loss with the dev text's own
    statistics) are of the last close look, ``lowest`` is the lowest dev loss of all looks. ``letters`` and ``pairs``
    are the dev losses of guessing by single characters and by counted pairs. ``saturation_at_first``, ``saturation``
    and ``dead`` are means over the hidden layers. ``noise`` is how far step losses scatter around a slow change.
    ``kept`` is the smallest share of its channels that a layer keeps running means of.
    """

    name: str
    first: Floats
    uniform: Floats
    letters: Floats
    pairs: Floats
    train: Floats
    dev: Floats
    lowest: Floats
    by_batch: Floats
    saturation_at_first: Floats
    saturation: Floats
    dead: Floats
    update: Floats
    noise: Floats
    kept: Floats
    diverged: Verdicts
    rising: Verdicts

    @classmethod
    def of(cls, ds: xr.Dataset, network: str, settings: CharLanguageModel) -> Reading:
        """Read the model off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        return cls(
            name=LABELS.get(network, network),
            first=recorded.measure("loss", "step", by=lambda losses: losses[0]),
            uniform=recorded.measure("uniform_loss"),
            letters=recorded.measure("unigram_loss"),
            pairs=recorded.measure("bigram_loss"),
            train=recorded.last("train_loss", "close_look"),
            dev=recorded.last("dev_loss", "close_look"),
            lowest=recorded.measure("dev_loss", "close_look", by=lambda losses: losses.min(axis=0)),
            by_batch=recorded.last("batch_statistics_loss", "close_look"),
            saturation_at_first=recorded.measure("saturation", "close_look", "hidden", by=lambda now: mean(now[0])),
            saturation=recorded.last("saturation", "close_look", "hidden", by=mean),
            dead=recorded.last("dead_units", "close_look", "hidden", by=mean),
            update=recorded.measure("update_to_data", "look", "layer", by=typical_updates),
            noise=recorded.measure("loss", "step", by=_scatter),
            kept=_kept(ds, settings.hidden, recorded.nothing),
            diverged=recorded.verdict("loss", "step", by=diverged),
            rising=recorded.verdict("loss", "step", by=rising),
        )

    @property
    def excess(self) -> Floats:
        """How far the first loss is above that of guessing all alike, in nats."""
        return self.first - self.uniform

    @property
    def gap(self) -> Floats:
        """How far the dev loss is above that on training text, in nats."""
        with np.errstate(invalid="ignore"):
            return self.dev - self.train

    @property
    def lost(self) -> Floats:
        """How far the dev loss has climbed again from its lowest, in nats."""
        with np.errstate(invalid="ignore"):
            return self.dev - self.lowest

    @property
    def lag(self) -> Floats:
        """What running statistics cost, in nats: the dev loss with them less that with the text's own."""
        return self.dev - self.by_batch

    @property
    def over_pairs(self) -> Floats:
        """How far the dev loss is below that of counted pairs, in nats."""
        with np.errstate(invalid="ignore"):
            return self.pairs - self.dev

    @property
    def over_letters(self) -> Floats:
        """How far the dev loss is below that of single characters, in nats."""
        return self.letters - self.dev

    @property
    def worth(self) -> Floats:
        """The dev loss as a share of that of single characters, which smoothing leaves finite."""
        return share(self.dev, self.letters)

    @property
    def impossible(self) -> Verdicts:
        """Whether dev text holds what the model takes for impossible."""
        return np.isposinf(self.dev)


def _scatter(losses: Floats) -> Floats:
    """The standard deviation around a slow change in the second half, from the median size of a step's change."""
    half = losses[len(losses) // 2 :]
    if len(half) < 3:
        return np.full(losses.shape[1:], np.nan)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.median(np.abs(np.diff(half, axis=0)), axis=0) / (MEDIAN_OF_NORMAL * np.sqrt(2)))


def _kept(ds: xr.Dataset, channels: int, nothing: Floats) -> Floats:
    if "running_values" not in ds or not ds["running_values"].size:
        return nothing
    kept = np.asarray(ds["running_values"].values, dtype=np.float64)
    kept = kept[kept > 0]
    return np.full(nothing.shape, kept.min() / channels) if kept.size else nothing
