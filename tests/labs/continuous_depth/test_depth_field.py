"""The field counts its calls, knows its Jacobian, and depends on depth where it should."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.continuous_depth.networks import (
    MOST_EVALUATIONS,
    DepthField,
    TimedDepthField,
    UnsolvedFlowError,
)
from goldviz.models.continuous.vector_field import TanhField

HALF = torch.tensor(0.5, dtype=torch.float64)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def points(count: int, hidden: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(count, hidden, generator=generator(seed), dtype=torch.float64)


def test_a_field_without_depth_is_the_tanh_field():
    ours = DepthField(3, (7, 5), generator())
    theirs = TanhField(3, (7, 5), generator(), dtype=torch.float64)
    h = points(4, 3)
    assert torch.allclose(ours(HALF, h), theirs(HALF, h), atol=1e-15)
    assert torch.equal(ours(0 * HALF, h), ours(HALF, h))


def test_depth_shifts_the_first_layer():
    field = TimedDepthField(3, (7, 5), generator())
    h = points(4, 3)
    (W_1, W_2, W_3), (b_1, b_2, b_3) = field.weights, field.biases
    first = torch.tanh(h @ W_1.t() + b_1 + 0.5 * field.depth_weights)
    expected = torch.tanh(first @ W_2.t() + b_2) @ W_3.t() + b_3
    assert torch.allclose(field(HALF, h), expected, atol=1e-14)
    assert torch.equal(field(0 * HALF, h), DepthField(3, (7, 5), generator())(HALF, h))
    assert [values.shape for values in field.tanh_values(HALF, h)] == [(4, 7), (4, 5)]
    torch.testing.assert_close(field.tanh_values(HALF, h)[0], first)


@given(kind=st.sampled_from([DepthField, TimedDepthField]), hidden=st.integers(1, 4), seed=st.integers(0, 50))
def test_the_jacobian_is_autograd_s(kind, hidden, seed):
    field, h = kind(hidden, (6, 5), generator(seed)), points(3, hidden, seed + 1)
    for row, J in zip(h, field.jacobian(HALF, h), strict=True):
        expected = torch.autograd.functional.jacobian(lambda x: field(HALF, x[None])[0], row)
        torch.testing.assert_close(J, expected, atol=1e-12, rtol=1e-12)


def test_calls_are_counted_and_a_field_asked_without_end_says_so():
    field, h = DepthField(2, (3, 3), generator()), points(1, 2)
    for _ in range(3):
        field(HALF, h)
    assert field.evaluations == 3
    field.evaluations = MOST_EVALUATIONS
    with pytest.raises(UnsolvedFlowError, match=r"asked for the field more than 2,000 times .* too stiff"):
        field(HALF, h)


def test_a_look_at_the_field_is_no_way_along_it():
    field, h = DepthField(2, (3, 3), generator()), points(1, 2)
    way = field(HALF, h)
    field.evaluations = MOST_EVALUATIONS
    torch.testing.assert_close(field.at(HALF, h), way, rtol=0, atol=0)
    assert field.evaluations == MOST_EVALUATIONS
