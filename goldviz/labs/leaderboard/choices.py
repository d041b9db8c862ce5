"""Names that settings, training and figures of a leaderboard share."""

from __future__ import annotations

from goldviz.models.series.forecasters.table import LEARNED

CONTENDERS = {
    "nlinear": ("NLinear", ("nlinear",)),
    "linear_family": ("Linear, DLinear, NLinear", ("linear", "dlinear", "nlinear")),
    "transformers": ("NLinear and two Transformers", ("nlinear", "patches", "inverted")),
    "informer": ("NLinear and Informer", ("nlinear", "informer")),
    "all": ("all six", LEARNED),
}
"""Which networks are trained: in words, and by name."""

TRAPS = {
    "dropped_batch": "last batch dropped",
    "longer_look_back": "longer look-back for one row",
    "whole_scaling": "scaled with the whole series",
    "best_seed": "best of the seeds",
    "test_stopping": "stopped by the test part",
}
"""Traps that change a score, and what they are called."""
