import math
from contextlib import contextmanager

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.gradients import (
    GradientNorms,
    decay_rate,
    matrices,
    matrix_norms,
    norms,
    spread,
    update_to_data,
)


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


@given(st.integers(-40, 30))
def test_norms_hold_where_float32_squares_overflow_or_vanish(power):
    found = norms([torch.tensor([3.0, 4.0]) * 10.0**power, torch.zeros(2, 2)])
    assert math.isclose(found[0].item(), 5 * 10.0**power, rel_tol=1e-4)
    assert found[1] == 0


@pytest.mark.parametrize("scale", [1.0, 1e-28, 1e25])
def test_norms_taken_on_the_way_back_are_those_of_the_retained_gradients(scale):
    first = normal(6, 4).requires_grad_()
    hidden = [first.tanh(), (first.tanh() @ normal(4, 3)).sigmoid(), normal(2).requires_grad_() * 2]
    # The first is used twice: its gradient is the sum of both ways.
    loss = scale * (hidden[0].square().sum() + hidden[1].sum() + (hidden[0] @ normal(4, 3)).sum())
    for one in hidden:
        one.retain_grad()
    measured = GradientNorms(hidden)
    loss.backward()
    assert torch.equal(measured.measured()[:2], norms([hidden[0].grad, hidden[1].grad]))
    assert hidden[2].grad is None
    assert measured.measured()[2] == 0


def test_norms_taken_on_the_way_back_retain_nothing_and_count_as_measuring():
    entered = []

    @contextmanager
    def measuring():
        entered.append(True)
        yield

    hidden = [normal(3, 2).requires_grad_() * 2 for _ in range(4)]
    GradientNorms(hidden, measuring)
    assert not entered
    torch.cat(hidden).sum().backward()
    assert len(entered) == 4
    assert not any(one.retains_grad for one in hidden)


def test_matrices_come_in_the_order_of_the_layers():
    stacks = [normal(3, 2), normal(4, 3, 3)]
    assert [tuple(matrix.shape) for matrix in matrices(stacks)] == [(3, 2)] + [(3, 3)] * 4
    assert torch.equal(matrices(stacks)[3], stacks[1][2])
    assert torch.equal(matrix_norms(stacks), norms(matrices(stacks)))
    assert matrix_norms([1e-28 * stacks[0]]) > 0


def test_decay_rate_is_the_step_of_the_logarithm_upwards():
    rate = decay_rate(torch.tensor([[1.0, math.e, math.e**3], [1.0, 1.0, 0.0]]))
    torch.testing.assert_close(rate[0, :2], torch.tensor([1.0, 2.0]))
    assert rate[1, 0] == 0
    assert rate[1, 1] == -math.inf
    assert rate[:, -1].isnan().all()


@given(st.integers(0, 1000), st.floats(-100, 100))
def test_spread_is_the_standard_deviation(seed, shift):
    values = torch.randn(3, 40, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) + shift
    torch.testing.assert_close(spread(values), values.std(-1), rtol=1e-12, atol=0)


def test_update_to_data_compares_real_steps_with_the_weights_before():
    before = [normal(5, 2), normal(3, 5, 5)]
    after = [before[0] * 1.01, before[1] * torch.tensor([1.0, 1.1, 0.8])[:, None, None]]
    found = update_to_data(before, after)
    torch.testing.assert_close(found, torch.tensor([0.01, 0.0, 0.1, 0.2]), rtol=1e-4, atol=1e-7)
    assert update_to_data([torch.zeros(2, 2)], [torch.zeros(2, 2)]).isnan().all()
