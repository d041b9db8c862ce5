"""One network of a run of *Transformer for series* as plain arrays, and the numbers that claims and stories tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts, networks
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import ratio, share
from goldviz.diagnostics.findings.recorded import at_last, read
from goldviz.diagnostics.measure import combined, measure
from goldviz.labs.series_attention.settings import SeriesAttention

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {"transformer": "Transformer", "pointwise": "Transformer, k = 1", "gru": "GRU", "ode_rnn": "ODE-RNN"}


CLEARLY = 0.8
"""An error below this share of another is clearly lower."""
HIGHER = 1.05
"""An error above this multiple of another is called higher."""


def _mean_ahead(errors: Floats) -> Floats:
    return np.asarray(errors.mean(axis=0))


def _peak_over_typical(norms: Floats) -> Floats:
    later = norms[len(norms) // 10 :]
    return ratio(later.max(axis=0), np.median(later, axis=0))


def _beside_transformer(run: Recorded) -> Floats:
    if run.network != "ode_rnn" or "transformer" not in networks(run.dataset):
        return run.nothing
    both = (run, Recorded(run.dataset, "transformer"))
    own, other = (one.last("horizon_error", "look", "ahead", by=_mean_ahead) for one in both)
    return share(own, other)


def _best_simple(run: Recorded) -> Floats:
    """The lowest mean error of a simple forecast, of each seed."""
    return run.measure("simple_error", "simple", "ahead", by=lambda errors: errors.mean(axis=1).min(axis=0))


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last look."""

    labels: ClassVar[Mapping[str, str]] = LABELS
    clause: ClassVar[Mapping[str, str]] = {LABELS["pointwise"]: "Transformer with k = 1"}
    declared: ClassVar[Any] = SeriesAttention
    error: Floats = at_last("horizon_error", "look", "ahead", by=_mean_ahead)
    """The mean squared error of the rolled forecast, in variances of what is learned from."""
    weighted: Floats = at_last("weighted_error", "look")
    """R_0.5, absolute errors over absolute values."""
    simple: Floats = read(_best_simple)
    """The lowest error of a simple forecast on the same rows."""
    weighted_simple: Floats = read(
        lambda run: run.measure("simple_weighted", "simple", by=lambda errors: errors.min(axis=0))
    )
    """The lowest R_0.5 of a simple forecast."""
    learned: Floats = at_last("train_loss", "look")
    """The loss one row ahead on series that are learned from."""
    unseen: Floats = at_last("test_loss", "look")
    """The loss one row ahead on other series."""
    apart: Floats = at_last("bumps_apart", "look")
    """How far the scores of two equal bumps are apart, over the spread of scores."""

    recovered: Floats = at_last("recovered", "look")
    """How much of the variance of negative moves a linear map of the first block's units gives back."""
    beside_transformer: Floats = read(_beside_transformer)
    """An ODE-RNN's error over that of the Transformer beside it."""
    peak: Floats = read(lambda run: run.measure("norm_before_clip", "step", by=_peak_over_typical))
    """The longest gradient over the typical one, its median, behind the first tenth of the steps."""

    @property
    def over_simple(self) -> Floats:
        """The error over that of the best simple forecast."""
        return share(self.error, self.simple)

    @property
    def about_as_simple(self) -> Verdicts:
        """Whether the error is neither clearly below that of the best simple rule nor called higher."""
        return (self.over_simple >= CLEARLY) & (self.over_simple <= HIGHER)

    @property
    def gap(self) -> Floats:
        """The loss on other series less that on series that are learned from."""
        return self.unseen - self.learned


MEASURES = Reading.measures()
ERROR, WEIGHTED = MEASURES["transformer.error"], MEASURES["transformer.weighted"]
POINTWISE_WEIGHTED, GRU_WEIGHTED = MEASURES["pointwise.weighted"], MEASURES["gru.weighted"]
SIMPLE, SIMPLE_WEIGHTED = MEASURES["transformer.simple"], MEASURES["transformer.weighted_simple"]
POINTWISE_APART = MEASURES["pointwise.apart"]
RECOVERED, PEAK, DEAD = (MEASURES[f"transformer.{name}"] for name in ("recovered", "peak", "dead"))
APART, GAP = MEASURES["transformer.apart"], MEASURES["transformer.gap"]
TRAINED_ROWS = 30
"""Rows of the series that claims on longer ones learn from."""


@combined()
def beside_other(one: Run, other: Run) -> float:
    """The Transformer's error in the first run over that in the second."""
    return ERROR(one) / ERROR(other)


@combined()
def gap_beside_other(one: Run, other: Run) -> float:
    """How much more the loss on other series is above that on learned ones in the first run than in the second."""
    return GAP(one) - GAP(other)


@combined()
def peak_beside_other(one: Run, other: Run) -> float:
    """The longest gradient over the typical one in the first run, over the same in the second."""
    return PEAK(one) / PEAK(other)


@combined()
def dead_beside_other(one: Run, other: Run) -> float:
    """The share of dead units in the first run less that in the second."""
    return DEAD(one) - DEAD(other)


@measure()
def beyond_training(run: Run) -> float:
    """The error one row ahead in the last 30 of 120 rows over that in rows 21 to 30, which training had."""
    errors = run["row_error"].isel(look=-1).sel(network="transformer").values.astype(np.float64)
    return float(errors[-TRAINED_ROWS:].mean() / errors[20:TRAINED_ROWS].mean())


@measure()
def product_spread(run: Run) -> float:
    """How much the products of positions equally far apart differ, the largest over the lags, at the last look."""
    return float(run["position_spread"].isel(look=-1).max())


@measure()
def nearest_product(run: Run) -> float:
    """The product of the positions of neighbours over that of one with itself, at the last look."""
    return float(run["position_product"].isel(look=-1).values[1])


@measure()
def at_the_period(run: Run) -> float:
    """The product of positions 5, 10, 15 or 20 rows apart less that of others up to 20, at the last look."""
    product = run["position_product"].isel(look=-1).values[1:21]
    whole = np.arange(1, 21) % 5 == 0
    return float(product[whole].mean() - product[~whole].mean())
