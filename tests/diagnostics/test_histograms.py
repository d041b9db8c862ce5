import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS

BINS = {"value": VALUE_BINS, "magnitude": MAGNITUDE_BINS}


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), min_size=1, max_size=50))
def test_nothing_is_ever_left_out(values):
    for bins in BINS.values():
        shares = bins.shares([torch.tensor(values)])
        assert shares.shape == (1, bins.count + 2)
        assert shares.sum().item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", BINS)
def test_bins_are_those_between_the_edges(name):
    bins = BINS[name]
    values = torch.randn(20_000, generator=torch.Generator().manual_seed(0)) * torch.logspace(-22, 8, 20_000)
    measured = values.abs() if name == "magnitude" else values
    # Rounding may put a value that sits on an edge on its other side; such values are left out of the comparison.
    distance = np.abs(measured.double().numpy()[:, None] / np.array(bins.edges) - 1).min(axis=1)
    clear = distance > 1e-5
    expected = np.digitize(measured.double().numpy(), bins.edges)
    assert np.array_equal(bins.index(values).numpy()[clear], expected[clear])
    assert clear.mean() > 0.99


def test_the_edges_are_those_that_the_figures_state():
    assert len(VALUE_BINS.centres) == len(VALUE_BINS.edges) + 1 == 61
    np.testing.assert_allclose(VALUE_BINS.edges, -np.array(VALUE_BINS.edges)[::-1])
    assert VALUE_BINS.edges[-1] == pytest.approx(100)
    assert VALUE_BINS.centres[30] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(np.log10(MAGNITUDE_BINS.edges), np.arange(-20, 6.25, 0.5))
    assert all(
        low < centre < high
        for bins in BINS.values()
        for low, centre, high in zip([-math.inf, *bins.edges], bins.centres, [*bins.edges, math.inf], strict=True)
    )


def test_zero_counts_as_too_small_and_nan_as_too_large():
    assert (
        MAGNITUDE_BINS.index(torch.tensor([0.0, 1e-30, -1e-21, 1e7, math.inf, math.nan])).tolist() == [0] * 3 + [53] * 3
    )
    assert VALUE_BINS.index(torch.tensor([-math.inf, -1e30, 0.0, 1e30, math.nan])).tolist() == [0, 0, 30, 60, 60]
