"""Closed-form step Jacobians against automatic differentiation."""

import pytest
import torch
from hypothesis import given
from torch.autograd.functional import jacobian

from goldviz.diagnostics.recurrent.jacobians import CellJacobians, jacobians_of_step, step_jacobians
from tests.diagnostics.recurrent.cases import NAMES, case, recipes, state, state_after


@given(recipe=recipes())
def test_every_step_equals_autograd(recipe):
    one = case(**recipe)
    found = step_jacobians(one.layer, one.trace, sequence=1).dense()
    for step in range(len(one.inputs)):
        expected = jacobian(lambda s, t=step: state_after(one, 1, 1, s, t), state(one, step, 1))
        assert torch.allclose(found[step], expected, atol=1e-12, rtol=1e-12)


@given(recipe=recipes())
def test_the_step_s_own_derivative_is_the_one_written_by_hand(recipe):
    one = case(**recipe)
    drives = torch.nn.functional.linear(one.inputs[:, 1], one.layer.W_x, one.layer.b)
    states = torch.stack([one.trace.state_before(step)[1] for step in range(len(one.inputs))])
    by_hand = step_jacobians(one.layer, one.trace, sequence=1).dense()
    torch.testing.assert_close(jacobians_of_step(one.layer, drives, states), by_hand, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", NAMES)
def test_moving_rows_is_multiplying_by_the_jacobian(name):
    one = case(name)
    found = step_jacobians(one.layer, one.trace)
    rows = torch.randn(5, found.state, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for step in range(found.steps):
        assert torch.allclose(found.apply_to_rows(step, rows), rows @ found.dense()[step].t(), atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_factors_scale_the_whole_jacobian(name):
    one = case(name)
    found = step_jacobians(one.layer, one.trace)
    factors = torch.linspace(0.1, 3, found.steps, dtype=torch.float64)
    assert torch.allclose(found.scaled(factors).dense(), found.dense() * factors[:, None, None], atol=1e-14)


def test_the_cell_path_is_the_forget_gate():
    one = case("lstm")
    found = step_jacobians(one.layer, one.trace)
    assert isinstance(found, CellJacobians)
    cell_block = found.dense()[:, 6:, 6:]
    gates = torch.stack(one.trace.forget_gates)[:, 0]
    assert torch.allclose(cell_block, torch.diag_embed(gates), atol=1e-15)


def test_a_closed_update_gate_keeps_the_gradient():
    for name in ("gru", "gru_reset_after"):
        one = case(name)
        with torch.no_grad():
            one.layer.block(one.layer.b, "update").fill_(-40.0)
        found = step_jacobians(one.layer, one.layer(one.inputs)).dense()
        assert torch.allclose(found, torch.eye(6, dtype=torch.float64).expand_as(found), atol=1e-14)


def test_bad_input_is_named():
    one = case("lstm")
    with pytest.raises(IndexError, match="number 7; the batch has numbers 0 to 1"):
        step_jacobians(one.layer, one.trace, 7)
    with pytest.raises(TypeError, match="LSTMTrace is not what a Elman"):
        step_jacobians(case("rnn_tanh").layer, one.trace)
    exploded = case("rnn_relu", size=1e200, steps=4)
    with pytest.raises(ValueError, match="not finite from step"):
        step_jacobians(exploded.layer, exploded.trace)
