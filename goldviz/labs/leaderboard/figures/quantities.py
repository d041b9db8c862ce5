"""What the figures of a leaderboard share: limits of their axes, and how rows are drawn."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import Quantity, Values, padded, values_of, with_zero
from goldviz.figures.plot import Plot
from goldviz.labs.leaderboard.measures import change
from goldviz.labs.leaderboard.settings import Leaderboard

FIRST_CURVES = ("repeat", "least_squares")
"""Rows of which the first figure shows every batch size."""


def percents(ds: Run) -> Array:
    """What each trap changes of each row's score, in percent."""
    return change(ds["trap_honest"].astype(np.float64), ds["trap_score"]) * 100


def _changes(ds: Run) -> Values:
    if "trap_honest" not in ds or "trap_score" not in ds:
        return np.array([0.0])
    return np.append(percents(ds).values.ravel(), 0.0)


def _batches(ds: Run) -> Values:
    if "batch_score" not in ds:
        return np.array([])
    return ds["batch_score"].sel(forecaster=list(FIRST_CURVES)).values.ravel()


def _weights(ds: Run) -> Values:
    weights = values_of("weight")(ds)
    return np.concatenate([weights, -weights])


def _window(ds: Run) -> Values:
    return values_of("past", "truth", "forecast")(ds)


KINDS = Leaderboard.variables_by_kind
QUANTITIES = {
    **quantities_by_kind(KINDS),
    "told": Quantity(values_of("told", "told_low", "told_high"), padded),
    "published": Quantity(values_of("told", "published"), padded),
    "until": Quantity(values_of("until_low", "until_high"), padded),
    "batch_score": Quantity(_batches, padded),
    "change": Quantity(_changes, padded),
    "step_error": Quantity(with_zero("step_error"), padded),
    "shift_error": Quantity(with_zero("shift_error"), padded),
    "test_error": Quantity(values_of("test_error"), padded),
    "weight": Quantity(_weights, padded),
    "window": Quantity(_window, padded),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)


def rows_of(plot: Plot) -> list[str]:
    """The rows of the table, in order."""
    return [str(name) for name in plot.ds["forecaster"].values]
