"""A model of characters as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.language_model import Guesses
from goldviz.diagnostics.findings.measures import mean, noise
from goldviz.diagnostics.findings.recorded import at_last, measured, read

LABELS = {
    "bigram": "counted bigram", "neural_bigram": "neural bigram", "mlp": "MLP", "deep_mlp": "deep MLP",
    "wavenet": "hierarchy", "rnn": "RNN", "lstm": "LSTM", "gru": "GRU",
}  # fmt: skip


def _scatter(losses: Floats) -> Floats:
    """The standard deviation around a slow change in the second half, from the median size of a step's change."""
    half = losses[len(losses) // 2 :]
    with np.errstate(invalid="ignore"):
        return noise(half) if len(half) > 2 else np.full(losses.shape[1:], np.nan)


def _fewest_means(recorded: Recorded) -> Floats:
    ds, nothing = recorded.dataset, recorded.nothing
    if "running_values" not in ds or not ds["running_values"].size:
        return nothing
    kept = np.asarray(ds["running_values"].values, dtype=np.float64)
    kept = kept[kept > 0]
    return np.full(nothing.shape, kept.min()) if kept.size else nothing


@dataclass(frozen=True)
class Reading(Guesses):
    """What was recorded of the model, for each seed; NaN where nothing was.

    ``first`` is the loss of the first step. ``by_batch``, the dev loss with the dev text's own statistics, is of the
    last close look. ``saturation_at_first``, ``saturation`` and ``dead`` are means over the hidden layers. ``noise``
    is how far step losses scatter around a slow change. ``means`` is the smallest number of running
    means that a layer keeps, and ``kept`` that as a share of its channels.
    """

    labels: ClassVar[Mapping[str, str]] = LABELS
    first: Floats = measured("loss", "step", by=lambda losses: losses[0])
    uniform: Floats = measured("uniform_loss")
    by_batch: Floats = at_last("batch_statistics_loss", "close_look")
    saturation_at_first: Floats = measured("saturation", "close_look", "hidden", by=lambda now: mean(now[0]))
    saturation: Floats = at_last("saturation", "close_look", "hidden", by=mean)
    dead: Floats = at_last("dead_units", "close_look", "hidden", by=mean)
    noise: Floats = measured("loss", "step", by=_scatter)
    means: Floats = read(_fewest_means)
    kept: Floats = read(lambda recorded: _fewest_means(recorded) / recorded.settings.hidden)

    @property
    def excess(self) -> Floats:
        """How far the first loss is above that of guessing all alike, in nats."""
        with np.errstate(invalid="ignore"):
            return self.first - self.uniform

    @property
    def lag(self) -> Floats:
        """What running statistics cost, in nats: the dev loss with them less that with the text's own."""
        with np.errstate(invalid="ignore"):
            return self.dev - self.by_batch

    @property
    def over_letters(self) -> Floats:
        """How far the dev loss is below that of single characters, in nats."""
        with np.errstate(invalid="ignore"):
            return self.letters - self.dev

    @property
    def impossible(self) -> Verdicts:
        """Whether dev text holds what the model takes for impossible."""
        return np.isposinf(self.dev)
