"""What a run kept of its probe sequence: the observations, and the weights to follow them with at each look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goldviz.labs.ode_rnn.edited import EditedSeries

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run


def probe_of(ds: Run) -> EditedSeries | None:
    """The sequence as it was recorded; None where there are no weights to follow it with."""
    if "weights" not in ds or "probe_time" not in ds or not ds.sizes.get("look", 0):
        return None
    return EditedSeries.of(ds["probe_time"].values, ds["probe_value"].values)


def looks_of(ds: Run) -> list[int]:
    """The steps of all looks."""
    return [int(step) for step in ds["look"].values]


def look_at(ds: Run, step: int | None) -> int:
    """The number of the last look at or before the step in view."""
    looks = looks_of(ds)
    return len(looks) - 1 if step is None else max(0, int(np.searchsorted(looks, step, side="right")) - 1)


def weights_at(ds: Run, look: int) -> NDArray[Any]:
    """The ODE-RNN's weights at a look, of the first seed."""
    weights: NDArray[Any] = ds["weights"].isel(look=look).values
    return weights
