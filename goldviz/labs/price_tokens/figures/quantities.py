"""What the figures of *Price tokens* have limits for, and how dates and names are put on them."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import Quantity, Values, padded, with_zero
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.twins import pair_of

REFERENCE = "frequency"


def labels(ds: Run) -> list[str]:
    """The dates that are forecast."""
    return [str(day) for day in ds["time"].values]


def gained(ds: Run, losses: Values) -> Values:
    """Nats gained over a run's token frequency, added up over time; the last sum is the mean gain: (..., time)."""
    reference = ds["baseline_nats"].sel(baseline=REFERENCE).values.astype(np.float64)
    return np.asarray(np.cumsum(reference - losses.astype(np.float64), axis=-1) / max(len(reference), 1))


def reference_of(ds: Run) -> Run:
    """The run whose token frequency gains count from: the honest one of two, else the run itself."""
    pair = pair_of(ds)
    return pair.honest if pair else ds


def _days(ds: Run) -> Values:
    if not ds.sizes.get("time"):
        return np.array([])
    return np.array([labels(ds)[0], labels(ds)[-1]], "datetime64[D]").astype(np.float64)


def _gains(ds: Run) -> Values:
    if "baseline_nats" not in ds or "nats" not in ds or not ds["nats"].size:
        return np.array([])
    pair, zero = pair_of(ds), reference_of(ds)
    networks = [gained(zero, run["nats"].transpose("look", "seed", "time").values) for run in pair or [ds]]
    others = gained(zero, ds["baseline_nats"].sel(baseline=["bigram", "garch"]).values)
    return np.concatenate([*(one.ravel() for one in networks), others.ravel(), [0.0]])


def _scores(ds: Run) -> Values:
    if "score" not in ds:
        return np.array([])
    ends = [ds[name].sel(metric="gain").values for name in ("score", "score_low", "score_high")]
    return np.concatenate([*ends, [0.0]])


def _fan(ds: Run) -> Values:
    if "quantile" not in ds or "came" not in ds:
        return np.array([])
    values = np.concatenate([ds["quantile"].values.ravel(), ds["came"].values[-ds.sizes["recent"] :]])
    return Moves.of_run(ds).shown(values)


KINDS = PriceTokens.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "time": Quantity(_days),
    "gain": Quantity(_gains, padded),
    "score": Quantity(_scores, padded),
    "fan": Quantity(_fan, padded),
    "bits": Quantity(with_zero("bits"), padded),
    "price": Quantity(lambda ds: ds["price"].values if "price" in ds else np.array([]), padded),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
