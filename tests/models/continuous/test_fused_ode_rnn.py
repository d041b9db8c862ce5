"""The fused ODE-RNN is plain autograd's, number by number: states and gradients, to 1e-10 in float64."""

import gc
import math
import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.models.continuous.fused_ode_rnn import FusedODERNN, fixed_step_ode_rnn
from goldviz.models.continuous.methods import FIXED
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import FixedSteps, TorchdiffeqSolver
from goldviz.models.continuous.own_pace import own_pace
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetBeforeGRU
from tests.models.continuous.irregular_networks import cell_and_field, series, stream
from tests.refusals import refused
from tests.thinned import thinned

TOLERANCE = 1e-10


def everything(network: ODERNN, times, values, mask, initial) -> list[torch.Tensor]:
    """Both kinds of states, and the gradients of a loss that weighs every entry of them differently."""
    trace = network(times, values, mask, initial)
    weights = torch.randn(2, *trace.before.shape, generator=stream(5), dtype=torch.float64).to(initial)
    loss = (weights[0] * trace.before.sin() + weights[1] * trace.after.cos()).sum()
    gradients = torch.autograd.grad(loss, [values, initial, *network.parameters()], materialize_grads=True)
    return [trace.before, trace.after, trace.steps, trace.evaluations, *gradients]


def assert_same(fused: ODERNN, plain: ODERNN, *given_series) -> None:
    for found, expected in zip(everything(fused, *given_series), everything(plain, *given_series), strict=True):
        scale = max(1.0, float(expected.detach().abs().max()))
        assert torch.allclose(found, expected, atol=TOLERANCE * scale, rtol=0)


@given(
    name=st.sampled_from(["gru", "gru_reset_after"]),
    method=st.sampled_from(FIXED),
    longest_step=st.sampled_from([0.03, 0.1, math.inf]),
    rows=st.integers(1, 6),
    batch=st.integers(1, 4),
    channels=st.integers(1, 3),
    hidden=st.integers(1, 6),
    widths=st.lists(st.integers(1, 7), max_size=3),
    seen=st.sampled_from([0.2, 0.6, 1.0]),
    seed=st.integers(0, 99),
)
def test_states_and_gradients_are_those_of_plain_autograd(
    name, method, longest_step, rows, batch, channels, hidden, widths, seen, seed
):
    cell, field = cell_and_field(name, channels, hidden, tuple(widths), seed)
    times, values, mask = series(rows, batch, channels, seed, seen)
    initial = torch.randn(batch, hidden, generator=stream(seed), dtype=torch.float64).requires_grad_()
    plain = ODERNN(cell, field, FixedSteps(method, longest_step))
    assert_same(FusedODERNN(cell, field, method, longest_step), plain, times, values.requires_grad_(), mask, initial)


@pytest.mark.parametrize("kind", [FusedODERNN, lambda cell, field, *how: ODERNN(cell, field, FixedSteps(*how))])
def test_a_sample_s_numbers_do_not_depend_on_its_company(kind):
    cell, field = cell_and_field("gru", 2, 5)
    network = kind(cell, field, "rk4", 0.1)
    given_series = series(7, 6, 2, seen=0.5)
    together = network(*given_series)
    for sample in range(6):
        alone = network(*(part[:, sample : sample + 1] for part in given_series))
        for name in ("before", "after"):
            assert torch.allclose(getattr(alone, name)[:, 0], getattr(together, name)[:, sample], atol=1e-13, rtol=0)


def test_no_sample_waits_for_the_longest_gap_of_its_company():
    gaps = torch.tensor([[0.0, 0.0, 0.0], [0.1, 0.4, 0.1], [0.3, 0.1, 0.0]], dtype=torch.float64)
    pace = own_pace(gaps, 0.1)
    assert pace.counts.tolist() == [[0, 0, 0], [1, 4, 1], [3, 1, 0]]
    assert sum(pace.steps) == 5, "as many as the sample that takes most, not 4 + 3"
    assert pace.moving == [3, 2, 2, 2, 1]
    assert sum(pace.arriving) == 9, "each sample jumps once a row"
    given = torch.randn(3, 3, 2, generator=stream(0))
    torch.testing.assert_close(pace.at_rows(pace.at_jumps(given)), given)
    torch.testing.assert_close(pace.step_sizes.sum(0)[:, 0], gaps.sum(0)[pace.order])


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
@pytest.mark.parametrize("name", ["gru", "gru_reset_after"])
def test_states_and_gradients_are_those_of_plain_autograd_on_a_gpu(name):
    cell, field = (part.cuda() for part in cell_and_field(name, 2, 6))
    times, values, mask = (part.cuda() for part in series(8, 5, 2))
    initial = torch.zeros(5, 6, dtype=torch.float64, device="cuda", requires_grad=True)
    plain = ODERNN(cell, field, FixedSteps("rk4", 0.1))
    assert_same(FusedODERNN(cell, field, "rk4", 0.1), plain, times, values.requires_grad_(), mask, initial)


@pytest.mark.parametrize("name", thinned(["gru", "gru_reset_after"]))
def test_the_gradient_is_that_of_finite_differences(name):
    cell, field = cell_and_field(name, 1, 3, (4,))
    times, values, mask = series(4, 2, 1)
    ours = FusedODERNN(cell, field, "rk4", 0.1)
    parameters = dict(ours.named_parameters())

    def states(values, initial, *weights):
        replaced = dict(zip(parameters, weights, strict=True))
        trace = torch.func.functional_call(ours, replaced, (times, values, mask, initial))
        return trace.before, trace.after

    initial = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    leaves = [parameter.detach().requires_grad_() for parameter in parameters.values()]
    assert torch.autograd.gradcheck(states, (values.requires_grad_(), initial, *leaves))


def test_refined_steps_reach_the_adaptive_solver():
    cell, field = cell_and_field("gru", 2, 6)
    given_series = series(8, 4, 2)
    exact = ODERNN(cell, field, TorchdiffeqSolver("dopri5", 1e-10, 1e-12))(*given_series)
    for method, step, tolerance in (("rk4", 0.05, 1e-5), ("rk4", 0.01, 1e-8), ("heun", 0.005, 1e-4)):
        trace = FusedODERNN(cell, field, method, step)(*given_series)
        assert torch.allclose(trace.before, exact.before, atol=tolerance, rtol=0)
        assert torch.allclose(trace.after, exact.after, atol=tolerance, rtol=0)


def test_a_gradient_may_be_taken_twice_from_one_pass_and_is_the_same():
    cell, field = cell_and_field("gru", 1, 4)
    ours = FusedODERNN(cell, field)
    loss = ours(*series(5, 3, 1)).after.square().sum()
    first, second = (torch.autograd.grad(loss, list(ours.parameters()), retain_graph=True) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("key", ["field.weights.0", "cell.W_h"])
def test_weights_changed_between_pass_and_gradient_are_noticed(key):
    cell, field = cell_and_field("gru", 1, 4)
    ours = FusedODERNN(cell, field)
    loss = ours(*series(5, 3, 1)).after.sum()
    with torch.no_grad():
        ours.get_parameter(key).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_pass_leaves_nothing_behind_once_its_answer_is_dropped():
    cell, field = cell_and_field("gru", 1, 4)
    ours = FusedODERNN(cell, field)
    gc.disable()
    try:
        trace = ours(*series(5, 3, 1))
        trace.after.sum().backward()
        node = trace.before.grad_fn
        while "FusedSequence" not in type(node).__name__:
            [(node, _)] = node.next_functions
        alive = weakref.ref(node)
        del trace, node
        assert alive() is None
    finally:
        gc.enable()


def test_weights_are_named_as_in_the_plain_network():
    cell, field = cell_and_field("gru", 1, 4)
    plain = ODERNN(cell, field, FixedSteps())
    other = FusedODERNN(*cell_and_field("gru", 1, 4, seed=3))
    other.load_state_dict(plain.state_dict())
    given_series = series(5, 3, 1)
    assert torch.allclose(other(*given_series).after, plain(*given_series).after, atol=1e-13)


def test_cells_without_a_fused_form_go_through_plain_autograd():
    for name, kind in (("gru", FusedODERNN), ("gru_reset_after", FusedODERNN), ("lstm", ODERNN), ("rnn_tanh", ODERNN)):
        assert type(fixed_step_ode_rnn(*cell_and_field(name, 1, 4))) is kind


def test_what_the_fused_network_cannot_do_is_named():
    cell, field = cell_and_field("gru", 1, 4)
    with pytest.raises(ValueError, match=r"Elman.* ResetBeforeGRU, ResetAfterGRU"):
        FusedODERNN(Elman(2, 4), field)

    class OtherField(TanhField):
        pass

    with pytest.raises(ValueError, match=r"OtherField.* TanhField"):
        FusedODERNN(ResetBeforeGRU(2, 4), OtherField(4, (), stream(0)))
    times, values, mask = series(4, 2, 1)
    with refused(SeriesError, "no_gradient"):
        FusedODERNN(cell, field)(times.requires_grad_(), values, mask)
    with refused(SeriesError, "too_long", "gap of 1e+06", "row 3"):
        FusedODERNN(cell, field)(torch.cat([times.detach()[:3], torch.full((1, 2), 1e6)]), values, mask)
    with torch.no_grad():
        field.biases[-1].fill_(math.inf)
    with refused(SeriesError, "not_finite", "state of sample 0", "row 1"):
        FusedODERNN(cell, field)(times.detach(), values, mask)
