"""The gauge of the rate's headroom: what lies beyond its ends is marked there, and said."""

import numpy as np
import pytest
import xarray as xr

import goldviz


def drawn(*looks: float) -> tuple[dict[str, list[tuple[float, float]]], str, tuple[float, float]]:
    """Its markers by symbol, the words under its title, and its vertical axis."""
    run = xr.Dataset({"gauge": (("probe",), list(looks))}, {"probe": [10 * (n + 1) for n in range(len(looks))]})
    run["gauge"].attrs["kind"] = "headroom"
    figure = goldviz.figure(run, "headroom")
    marks = {
        trace.marker.symbol: [*zip(trace.x.tolist(), trace.y.tolist(), strict=True)]
        for trace in figure.data
        if trace.mode == "markers"
    }
    return marks, str(figure.layout.title.subtitle.text), tuple(10.0 ** np.array(figure.layout.yaxis.range))


def test_a_look_below_or_above_the_gauge_is_marked_at_its_end_and_said() -> None:
    marks, words, (low, high) = drawn(16.0, 3.0, np.nan, 0.5)
    assert marks == {"triangle-down-open": [(30, 0.125)], "triangle-up-open": [(10, 16.0)]}
    assert "▽ not even an eighth of the step lowers the loss." in words
    assert "△ 16 or more: the gauge ends there." in words
    assert low <= 0.125
    assert high >= 16


@pytest.mark.parametrize("looks", [(3.0, 2.0), (0.2, 15.9)])
def test_a_gauge_within_its_ends_has_no_such_mark(looks: tuple[float, ...]) -> None:
    marks, words, _ = drawn(*looks)
    assert not marks
    assert "▽" not in words
    assert "△" not in words
