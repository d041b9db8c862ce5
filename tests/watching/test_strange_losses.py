"""Losses of every kind are read without a warning of NumPy's, which somebody's script may have made an error."""

import numpy as np
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

from goldviz.watching.findings import findings_of
from goldviz.watching.measures import WatchedReading


@given(st.lists(st.floats(width=32), max_size=120))
@example([0.0] * 12)
@example([float("inf"), *[1.0] * 11])
@example([1e38] * 120)
def test_any_losses_are_read_without_a_warning(losses: list[float]) -> None:
    steps = {"step": np.arange(1, len(losses) + 1)}
    dataset = xr.Dataset({"loss": ("step", np.array(losses, dtype=np.float32))}, steps)
    findings_of(dataset)
    reading = WatchedReading(dataset, {"classes": 3})
    names = [name for name, value in vars(WatchedReading).items() if isinstance(value, property)]
    assert "worth" in names
    for name in names:
        getattr(reading, name)
