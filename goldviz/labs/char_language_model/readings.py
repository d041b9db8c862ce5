"""A model of characters as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.language_model import Guesses, guesses_of
from goldviz.diagnostics.findings.measures import mean, noise

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.char_language_model.settings import CharLanguageModel

LABELS = {
    "bigram": "counted bigram", "neural_bigram": "neural bigram", "mlp": "MLP", "deep_mlp": "deep MLP",
    "wavenet": "hierarchy", "rnn": "RNN", "lstm": "LSTM", "gru": "GRU",
}  # fmt: skip


@dataclass(frozen=True)
class Reading(Guesses):
    """What was recorded of the model, for each seed; NaN where nothing was.

    ``first`` is the loss of the first step. ``by_batch``, the dev loss with the dev text's own statistics, is of the
    last close look. ``saturation_at_first``, ``saturation`` and ``dead`` are means over the hidden layers. ``noise``
    is how far step losses scatter around a slow change. ``kept`` is the smallest share of its channels that a layer
    keeps running means of.
    """

    first: Floats
    uniform: Floats
    by_batch: Floats
    saturation_at_first: Floats
    saturation: Floats
    dead: Floats
    noise: Floats
    kept: Floats

    @classmethod
    def of(cls, ds: xr.Dataset, network: str, settings: CharLanguageModel) -> Reading:
        """Read the model off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        return cls(
            name=LABELS.get(network, network),
            **guesses_of(recorded),
            first=recorded.measure("loss", "step", by=lambda losses: losses[0]),
            uniform=recorded.measure("uniform_loss"),
            by_batch=recorded.last("batch_statistics_loss", "close_look"),
            saturation_at_first=recorded.measure("saturation", "close_look", "hidden", by=lambda now: mean(now[0])),
            saturation=recorded.last("saturation", "close_look", "hidden", by=mean),
            dead=recorded.last("dead_units", "close_look", "hidden", by=mean),
            noise=recorded.measure("loss", "step", by=_scatter),
            kept=_kept(ds, settings.hidden, recorded.nothing),
        )

    @property
    def excess(self) -> Floats:
        """How far the first loss is above that of guessing all alike, in nats."""
        return self.first - self.uniform

    @property
    def lag(self) -> Floats:
        """What running statistics cost, in nats: the dev loss with them less that with the text's own."""
        return self.dev - self.by_batch

    @property
    def over_letters(self) -> Floats:
        """How far the dev loss is below that of single characters, in nats."""
        return self.letters - self.dev

    @property
    def impossible(self) -> Verdicts:
        """Whether dev text holds what the model takes for impossible."""
        return np.isposinf(self.dev)


def _scatter(losses: Floats) -> Floats:
    """The standard deviation around a slow change in the second half, from the median size of a step's change."""
    half = losses[len(losses) // 2 :]
    with np.errstate(invalid="ignore"):
        return noise(half) if len(half) > 2 else np.full(losses.shape[1:], np.nan)


def _kept(ds: xr.Dataset, channels: int, nothing: Floats) -> Floats:
    if "running_values" not in ds or not ds["running_values"].size:
        return nothing
    kept = np.asarray(ds["running_values"].values, dtype=np.float64)
    kept = kept[kept > 0]
    return np.full(nothing.shape, kept.min() / channels) if kept.size else nothing
