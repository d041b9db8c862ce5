"""Limits that several variables and coordinates make together; what was not recorded adds nothing."""

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.limits import Reading, decades, ends_of, limit_of, log_of, magnitudes, places, values_of, with_zero

RUN = xr.Dataset(
    {"loss": ("step", [3.0, np.nan, 1.0]), "test_loss": ("seed", [0.1])}, coords={"step": [1, 2, 3], "look": [3]}
)


@pytest.mark.parametrize(
    ("read", "values"),
    [
        (values_of("loss", "no_such", "test_loss"), [3.0, np.nan, 1.0, 0.1]),
        (with_zero("loss"), [3.0, np.nan, 1.0, 0.0]),
        (with_zero("no_such"), [0.0]),
        (log_of("test_loss", "no_such"), [-1.0]),
        (ends_of("step", "look", "no_such"), [0.5, 3.5, 2.5, 3.5]),
        (values_of("no_such"), []),
    ],
)
def test_what_limits_are_read_from(read: Reading, values: list[float]) -> None:
    np.testing.assert_allclose(read(RUN), values)


def test_a_variable_spans_its_decades_and_a_coordinate_its_ends() -> None:
    quantities = {**magnitudes("loss"), **places("step")}
    assert limit_of(quantities, "loss", RUN, None) == decades(0.0, np.log10(3.0))
    assert limit_of(quantities, "step", RUN, None) == (0.5, 3.5)
