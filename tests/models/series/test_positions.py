"""Codes of positions: the sinusoid's identity, what turned queries and keys know, and what learned ones refuse."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.models.series.positions import POSITIONS
from goldviz.models.series.sinusoids import rotated, similarity_by_lag, sinusoidal_code, wavelengths


def test_the_product_of_two_codes_depends_on_the_lag_alone() -> None:
    lags = torch.tensor([1, 5, 10, 30, 50, 100], dtype=torch.float64)
    known = torch.tensor([0.966, 0.734, 0.658, 0.533, 0.490, 0.559], dtype=torch.float64)
    assert torch.allclose(similarity_by_lag(lags, 64), known, atol=5e-4, rtol=0)
    code = sinusoidal_code(torch.arange(300, dtype=torch.float64), 64)
    products = code @ code.T / 32
    for lag in (0, 1, 5, 10, 30, 50, 100):
        along = products.diagonal(lag)
        expected = similarity_by_lag(torch.tensor([float(lag)], dtype=torch.float64), 64)
        assert torch.allclose(along, expected.expand_as(along), atol=1e-12, rtol=0)


def test_similarity_first_rises_at_lag_six() -> None:
    by_lag = similarity_by_lag(torch.arange(12, dtype=torch.float64), 64)
    assert int((by_lag.diff() > 0).nonzero()[0]) + 1 == 6


def test_a_code_is_the_documents_sines_and_cosines() -> None:
    code = sinusoidal_code(torch.tensor([0.0, 2.0, 7.5], dtype=torch.float64), 6)
    for row, place in enumerate((0.0, 2.0, 7.5)):
        for pair in range(3):
            angle = torch.tensor(place / 10_000 ** (2 * pair / 6), dtype=torch.float64)
            assert torch.isclose(code[row, 2 * pair], angle.sin(), atol=1e-14, rtol=0)
            assert torch.isclose(code[row, 2 * pair + 1], angle.cos(), atol=1e-14, rtol=0)
    assert torch.allclose(
        wavelengths(64)[[0, -1]].log10(), torch.tensor([0.798, 4.673], dtype=torch.float64), atol=1e-3
    )


@given(st.floats(-50, 500), st.floats(0, 40), st.integers(0, 99))
def test_a_product_of_turned_rows_depends_on_the_lag_alone(place: float, lag: float, seed: int) -> None:
    q, k = torch.randn(2, 1, 8, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)

    def product(start: float) -> torch.Tensor:
        here, there = (torch.tensor([x], dtype=torch.float64) for x in (start, start + lag))
        return (rotated(q, here) * rotated(k, there)).sum()

    assert torch.isclose(product(place), product(0.0), atol=1e-11, rtol=0)
    assert torch.isclose(rotated(q, torch.tensor([place])).norm(), q.norm(), atol=1e-12, rtol=0)


@pytest.mark.parametrize("width", [0, 5])
def test_an_odd_width_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=rf"is {width};"):
        sinusoidal_code(torch.zeros(1), width)


@pytest.mark.parametrize("name", POSITIONS)
def test_every_code_adds_or_turns(name: str) -> None:
    code, places = POSITIONS[name], torch.arange(6.0)
    table = torch.randn(6, 4, generator=torch.Generator().manual_seed(0)) if code.learns else None
    assert (code.added is None and code.turned is None) == (code.counts == "nothing")
    if code.added is not None:
        added = code.added(places, 4, table)
        assert added.shape == (6, 4)
        assert added.dtype == torch.float32
        assert len(added.unique(dim=0)) == 6
    if code.turned is not None:
        turned = code.turned(torch.ones(2, 3, 6, 4), places)
        assert turned.shape == (2, 3, 6, 4)
        assert len(turned[0, 0].unique(dim=0)) == 6


def test_learned_positions_end_where_training_did() -> None:
    learned = POSITIONS["learned"].added
    assert learned is not None
    with pytest.raises(ValueError, match=r"Row 31 .* 30 rows"):
        learned(torch.arange(31), 4, torch.zeros(30, 4))
    with pytest.raises(ValueError, match="width 4"):
        learned(torch.arange(3), 4, torch.zeros(30, 5))
