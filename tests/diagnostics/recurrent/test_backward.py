"""Backward steps, itemised contributions and valves, all by hand, against automatic differentiation."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from goldviz.diagnostics.recurrent.backward import steps_back
from goldviz.diagnostics.recurrent.jacobians import step_jacobians
from goldviz.labs.lstm_valves.valves import openings, valves
from goldviz.labs.recurrent_gradients.lag_contributions import contribution_norms, contributions_by_lag
from goldviz.labs.recurrent_gradients.last_state import steps_on
from tests.diagnostics.recurrent.cases import NAMES, case, recipes


def random_like(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    return torch.randn(tensor.shape, generator=torch.Generator().manual_seed(seed), dtype=tensor.dtype)


@given(recipe=recipes())
def test_a_backward_step_is_the_transposed_jacobian(recipe):
    one = case(**recipe)
    dense, back = step_jacobians(one.layer, one.trace, 1).dense(), steps_back(one.layer, one.trace)
    for step, matrix in enumerate(dense):
        gradients = random_like(matrix[:, None].expand(-1, 2, -1), step)
        previous = back(step, gradients).previous
        assert torch.allclose(previous[:, 1], gradients[:, 1] @ matrix, atol=1e-12)


@given(recipe=recipes())
def test_a_step_on_is_the_jacobian_of_each_sequence(recipe):
    one = case(**recipe)
    on = steps_on(one.layer, one.trace)
    for sequence in range(2):
        for step, matrix in enumerate(step_jacobians(one.layer, one.trace, sequence).dense()):
            changes = random_like(matrix[:, None].expand(-1, 2, -1), step)
            assert torch.allclose(on(step, changes)[:, sequence], changes[:, sequence] @ matrix.t(), atol=1e-12)


@given(recipe=recipes())
def test_contributions_add_up_to_autograds_gradient(recipe):
    one = case(**recipe)
    assume(one.layer.reads_state)
    direct = random_like(one.trace.hidden, 3)
    (expected,) = torch.autograd.grad((one.trace.hidden * direct).sum(), one.layer.W_h)
    by_lag = contributions_by_lag(one.layer, one.trace, direct)
    assert torch.allclose(by_lag.sum(0), expected, atol=1e-11, rtol=1e-11)


@given(recipe=recipes(), asked=st.sets(st.integers(0, 3)))
def test_norms_of_contributions_need_not_the_contributions(recipe, asked):
    one = case(**recipe)
    direct = torch.zeros_like(one.trace.hidden)
    for step in asked:
        direct[step % len(direct)] = random_like(direct[0], step)
    expected = torch.linalg.matrix_norm(contributions_by_lag(one.layer, one.trace, direct))
    assert torch.allclose(contribution_norms(one.layer, one.trace, direct), expected, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "min_gru"])
def test_the_loss_of_one_step_contributes_lag_by_lag(name):
    """Detaching the state just before step k leaves the terms of lags 0 to t - k alone."""
    one = case(name, steps=7)
    direct = torch.zeros_like(one.trace.hidden)
    direct[5] = random_like(direct[5], 1)
    by_lag = contributions_by_lag(one.layer, one.trace, direct)
    assert float(by_lag[6].norm()) == 0
    for k in range(1, 6):
        first = one.layer(one.inputs[:k])
        kept = (first.states[-1], first.cells[-1]) if name == "lstm" else (first.states[-1],)
        kept = tuple(part.detach() for part in kept)
        rest = one.layer(one.inputs[k:], kept if name == "lstm" else kept[0])
        (expected,) = torch.autograd.grad((rest.hidden[5 - k] * direct[5]).sum(), one.layer.W_h)
        assert torch.allclose(by_lag[: 6 - k].sum(0), expected, atol=1e-12)


@given(steps=st.integers(1, 15), hidden=st.integers(1, 8), seed=st.integers(0, 99))
def test_valves_equal_autograd(steps, hidden, seed):
    one = case("lstm", steps=steps, hidden=hidden, seed=seed)
    direct = random_like(one.trace.hidden, seed)
    loss = (one.trace.hidden * direct).sum()
    found = valves(one.layer, one.trace, direct)
    inside = {
        "hidden": one.trace.states[1:],
        "cell": one.trace.cells[1:],
        "candidate": one.trace.candidates,
        "input_gate": one.trace.input_gates,
        "forget_gate": one.trace.forget_gates,
        "output_gate": one.trace.output_gates,
    }
    for name, tensors in inside.items():
        expected = torch.stack(torch.autograd.grad(loss, tensors, retain_graph=True))
        assert torch.allclose(getattr(found, name), expected, atol=1e-12, rtol=1e-12), name


def test_the_two_parts_of_the_cells_gradient_are_those_of_equation_17():
    one = case("lstm", steps=9)
    direct = random_like(one.trace.hidden, 5)
    found, valve = valves(one.layer, one.trace, direct), openings(one.trace)
    assert torch.allclose(found.through_hidden, found.hidden * valve.output, atol=1e-14)
    assert torch.allclose(found.through_next_cell[:-1], found.cell[1:] * valve.forget[1:], atol=1e-14)
    assert float(found.through_next_cell[-1].abs().max()) == 0
    assert torch.allclose(found.candidate, found.cell * valve.input, atol=1e-14)


def test_a_larger_forget_bias_lets_the_gradient_reach_further():
    reach = []
    for bias in (-2.0, 1.0, 4.0):
        one = case("lstm", steps=30, size=0.5)
        with torch.no_grad():
            one.layer.block(one.layer.b, "forget").fill_(bias)
        trace = one.layer(one.inputs)
        direct = torch.zeros_like(trace.hidden)
        direct[-1] = 1.0
        reach.append(float(valves(one.layer, trace, direct).cell[0].norm()))
    assert reach[0] < 1e-3 * reach[1] < 1e-3 * reach[2]


def test_bad_input_is_named():
    one = case("lstm")
    with pytest.raises(ValueError, match=r"shape \(3, 2, 6\); allowed is \(8, 2, 6\)"):
        valves(one.layer, one.trace, torch.zeros(3, 2, 6, dtype=torch.float64))
    with pytest.raises(ValueError, match="the trace has 8 steps"):
        contributions_by_lag(one.layer, one.trace, torch.zeros(3, 2, 6, dtype=torch.float64))
    with pytest.raises(TypeError, match="LSTMTrace is not what a ResetBeforeGRU"):
        steps_back(case("gru").layer, one.trace)
    with pytest.raises(TypeError, match="LSTMTrace is not what a ResetBeforeGRU"):
        steps_on(case("gru").layer, one.trace)
