"""One network of a run of *Transformer for series* as plain arrays, and the numbers that claims and stories tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, NetworkReading, networks
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.measures import ratio, share
from goldviz.diagnostics.findings.recorded import at_last, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.series_attention.settings import SeriesAttention

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LABELS = {"transformer": "Transformer", "pointwise": "Transformer, k = 1", "gru": "GRU", "ode_rnn": "ODE-RNN"}
IN_CLAUSE = {LABELS["pointwise"]: "Transformer with k = 1"}


CLEARLY = 0.8
"""An error below this share of another is clearly lower."""
HIGHER = 1.05
"""An error above this multiple of another is called higher."""


def _mean_ahead(errors: Floats) -> Floats:
    return np.asarray(errors.mean(axis=0))


def _peak_over_typical(norms: Floats) -> Floats:
    later = norms[len(norms) // 10 :]
    return ratio(later.max(axis=0), np.median(later, axis=0))


def _beside_transformer(n: NetworkReading) -> Floats:
    if n.network != "ode_rnn" or "transformer" not in networks(n.dataset):
        return n.nothing
    both = (n, n.beside("transformer"))
    own, other = (one.at_last("horizon_error", "look", "ahead", by=_mean_ahead) for one in both)
    return share(own, other)


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last look."""

    labels = LABELS
    clause = IN_CLAUSE
    declared = SeriesAttention
    error = measure(at_last("horizon_error", "look", "ahead", by=_mean_ahead))
    """The mean squared error of the rolled forecast, in variances of what is learned from."""
    weighted = measure(at_last("weighted_error", "look"))
    """R_0.5, absolute errors over absolute values."""
    simple = measure(recorded("simple_error", "simple", "ahead", by=lambda errors: errors.mean(axis=1).min(axis=0)))
    """The lowest error of a simple forecast on the same rows."""
    weighted_simple = measure(recorded("simple_weighted", "simple", by=lambda errors: errors.min(axis=0)))
    """The lowest R_0.5 of a simple forecast."""
    learned = measure(at_last("train_loss", "look"))
    """The loss one row ahead on series that are learned from."""
    unseen = measure(at_last("test_loss", "look"))
    """The loss one row ahead on other series."""
    apart = measure(at_last("bumps_apart", "look"))
    """How far the scores of two equal bumps are apart, over the spread of scores."""
    recovered = measure(at_last("recovered", "look"))
    """How much of the variance of negative moves a linear map of the first block's units gives back."""
    beside_transformer = measure(_beside_transformer)
    """An ODE-RNN's error over that of the Transformer beside it."""
    peak = measure(recorded("norm_before_clip", "step", by=_peak_over_typical))
    """The longest gradient over the typical one, its median, behind the first tenth of the steps."""
    over_simple = measure(lambda n: share(n.error, n.simple))
    """The error over that of the best simple forecast."""
    about_as_simple = measure(lambda n: (n.over_simple >= CLEARLY) & (n.over_simple <= HIGHER))
    """Whether the error is neither clearly below that of the best simple rule nor called higher."""
    gap = measure(lambda n: n.unseen - n.learned)
    """The loss on other series less that on series that are learned from."""


TRAINED_ROWS = 30
"""Rows of the series that claims on longer ones learn from."""
beside_other = measure(lambda one, other: Reading.error["transformer"](one) / Reading.error["transformer"](other))
"""The Transformer's error in the first run over that in the second."""
gap_beside_other = measure(lambda one, other: Reading.gap["transformer"](one) - Reading.gap["transformer"](other))
"""How much more the loss on other series is above that on learned ones in the first run than in the second."""
peak_beside_other = measure(lambda one, other: Reading.peak["transformer"](one) / Reading.peak["transformer"](other))
"""The longest gradient over the typical one in the first run, over the same in the second."""
dead_beside_other = measure(lambda one, other: Reading.dead["transformer"](one) - Reading.dead["transformer"](other))
"""The share of dead units in the first run less that in the second."""


@measure
def beyond_training(run: Run) -> float:
    """The error one row ahead in the last 30 of 120 rows over that in rows 21 to 30, which training had."""
    errors = run["row_error"].isel(look=-1).sel(network="transformer").values.astype(np.float64)
    return float(errors[-TRAINED_ROWS:].mean() / errors[20:TRAINED_ROWS].mean())


product_spread = measure(lambda run: run["position_spread"].isel(look=-1).max())
"""How much the products of positions equally far apart differ, the largest over the lags, at the last look."""
nearest_product = measure(lambda run: run["position_product"].isel(look=-1).values[1])
"""The product of the positions of neighbours over that of one with itself, at the last look."""


@measure
def at_the_period(run: Run) -> float:
    """The product of positions 5, 10, 15 or 20 rows apart less that of others up to 20, at the last look."""
    product = run["position_product"].isel(look=-1).values[1:21]
    whole = np.arange(1, 21) % 5 == 0
    return float(product[whole].mean() - product[~whole].mean())
