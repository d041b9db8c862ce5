"""The ODE-RNN follows its equations, whichever solver carries it, and says what it cannot read."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.models.continuous import ode_solvers
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import (
    ADAPTIVE_METHODS,
    FIXED_GRID_METHODS,
    FixedSteps,
    TorchdiffeqSolver,
    UnsolvedIntervalError,
)
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import CELL_OF_LAYER, recurrent_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from tests.models.continuous.irregular_networks import cell_and_field, series, stream
from tests.refusals import refused
from tests.thinned import thinned


def network(name="gru", channels=2, hidden=5, solver=None, **options) -> ODERNN:
    return ODERNN(*cell_and_field(name, channels, hidden, **options), solver or FixedSteps())


@pytest.mark.parametrize("name", thinned(["lstm", *sorted(set(CELL_OF_LAYER) - {"lstm"})]))
def test_states_follow_the_equations_sample_by_sample(name):
    ours = network(name, solver=FixedSteps("rk4", 0.01))
    times, values, mask = series(6, 4, 2)
    trace = ours(times, values, mask)
    for b in range(4):
        h = torch.zeros(1, 5, dtype=torch.float64)
        c = torch.zeros(1, 5, dtype=torch.float64)
        for i in range(6):
            gap = float(times[i, b] - times[i - 1, b]) if i else 0.0
            for _ in range(400):  # the midpoint rule, small steps: another method than the one under test
                k = ours.field(None, h)
                h = h + gap / 400 * ours.field(None, h + gap / 800 * k)
            assert torch.allclose(trace.before[i, b], h[0], atol=1e-6)
            if mask[i, b].any():
                x = torch.cat([torch.where(mask[i, b], values[i, b], 0.0), mask[i, b].double()])[None, None]
                jump = ours.cell(x, (h, c) if name == "lstm" else h)
                h = jump.states[-1]
                c = jump.cells[-1] if name == "lstm" else c
            assert torch.allclose(trace.after[i, b], h[0], atol=1e-6)


def test_a_linear_field_gives_the_matrix_exponential_between_observations():
    cell = recurrent_layer("gru", 2, 4, dtype=torch.float64)
    initialise(cell, stream, RecurrentInitialisation())
    field = TanhField(4, (), stream(3), last_scale=1.0, dtype=torch.float64)
    times, values, mask = series(7, 3, 1, seen=1.0)
    trace = ODERNN(cell, field, FixedSteps())(times, values, mask)
    flows = torch.matrix_exp(field.weights[0] * times.diff(dim=0)[..., None, None])
    exact = (flows @ trace.after[:-1, ..., None]).squeeze(-1)
    assert torch.allclose(trace.before[1:], exact, atol=1e-4, rtol=0)
    assert torch.equal(trace.before[0], torch.zeros_like(trace.before[0]))


SOLVERS = ["dopri5", "rk4", "euler", *sorted({*ADAPTIVE_METHODS, *FIXED_GRID_METHODS} - {"dopri5", "rk4", "euler"})]


@pytest.mark.parametrize("method", thinned(SOLVERS, 3))
def test_every_solver_of_torchdiffeq_gives_the_refined_fixed_steps(method):
    times, values, mask = series(5, 3, 2)
    refined = network(solver=FixedSteps("rk4", 0.01))(times, values, mask)
    trace = network(solver=TorchdiffeqSolver(method, 1e-6, 1e-8, longest_step=0.005))(times, values, mask)
    # Euler's method has order 1; the adaptive ones interpolate their last step, whose error rtol does not bound.
    tolerance = {"euler": 1e-3, "dopri5": 1e-6, "rk4": 1e-7, "heun3": 1e-7, "bosh3": 5e-4}.get(method, 1e-4)
    assert torch.allclose(trace.before, refined.before, atol=tolerance, rtol=0)
    assert torch.allclose(trace.after, refined.after, atol=tolerance, rtol=0)
    assert trace.steps[0] == 0
    assert (trace.steps[1:] > 0).all()
    assert (trace.evaluations[1:] >= trace.steps[1:]).all()


def test_the_adjoint_gives_the_gradient_of_backpropagation():
    times, values, mask = series(5, 3, 2)
    gradients = []
    for differentiation in ("backpropagation", "adjoint"):
        solver = TorchdiffeqSolver("dopri5", 1e-9, 1e-11, differentiation=differentiation)
        ours = network(solver=solver)
        loss = ours(times, values, mask).after.square().sum()
        gradients.append(torch.autograd.grad(loss, list(ours.parameters())))
    for found, expected in zip(*gradients, strict=True):
        assert torch.allclose(found, expected, atol=1e-6, rtol=1e-6)


def test_times_have_a_gradient():
    times, values, mask = series(4, 2, 1)
    ours = network(channels=1)

    def last_state(times):
        return ours(times, values, mask).after[-1]

    assert torch.autograd.gradcheck(last_state, times.requires_grad_())


@settings(max_examples=15)
@given(
    rows=st.integers(1, 5), padding=st.integers(1, 4), seed=st.integers(0, 99), name=st.sampled_from(["gru", "lstm"])
)
def test_padding_changes_nothing(rows, padding, seed, name):
    ours = network(name, seed=seed)
    times, values, mask = series(rows, 3, 2, seed)
    trace = ours(times, values, mask)
    padded = ours(
        torch.cat([times, times[-1:].expand(padding, -1)]),
        torch.cat([values, torch.full((padding, 3, 2), math.nan, dtype=torch.float64)]),
        torch.cat([mask, torch.zeros(padding, 3, 2, dtype=torch.bool)]),
    )
    assert torch.equal(padded.before[:rows], trace.before)
    assert torch.equal(padded.after[:rows], trace.after)
    assert torch.equal(padded.after[rows:], trace.after[-1:].expand(padding, -1, -1))
    assert padded.steps[rows:].eq(0).all()


@settings(max_examples=15)
@given(rows=st.integers(2, 6), data=st.data(), seed=st.integers(0, 99))
def test_states_before_a_row_do_not_depend_on_it_or_on_anything_later(rows, data, seed):
    changed = data.draw(st.integers(1, rows - 1))
    ours = network(seed=seed)
    times, values, mask = series(rows, 3, 2, seed)
    trace = ours(times, values, mask)
    later_times, other_values, other_mask = times.clone(), values.clone(), mask.clone()
    later_times[changed + 1 :] += 0.3
    other_values[changed:] *= -2
    other_mask[changed:] = ~mask[changed:]
    other = ours(later_times, other_values, other_mask)
    assert torch.equal(other.before[: changed + 1], trace.before[: changed + 1])
    assert torch.equal(other.after[:changed], trace.after[:changed])
    assert not torch.equal(other.after[changed], trace.after[changed])


def test_unseen_values_are_never_read():
    times, values, mask = series(6, 3, 2)
    ours = network()
    expected = ours(times, values, mask).after
    assert torch.equal(ours(times, values.masked_fill(~mask, math.nan), mask).after, expected)


def test_a_pass_may_be_cut_in_two_by_its_state():
    ours = network(solver=FixedSteps("rk4", 0.01))
    times, values, mask = series(7, 3, 2, seen=1.0)
    whole = ours(times, values, mask)
    first = ours(times[:4], values[:4], mask[:4])
    between = ours.evolve(first.after[-1], times[4] - times[3])
    second = ours(times[4:], values[4:], mask[4:], between)
    assert torch.allclose(second.after, whole.after[4:], atol=1e-12)


def test_the_trace_counts_steps_and_evaluations():
    times = torch.tensor([[0.0, 0.0], [0.1, 0.01], [0.1, 0.36]], dtype=torch.float64)
    values = torch.ones(3, 2, 1, dtype=torch.float64)
    mask = torch.tensor([[1, 1], [1, 1], [0, 1]]).bool()[..., None]
    trace = network(channels=1, solver=FixedSteps("heun", 0.05))(times, values, mask)
    assert trace.steps.tolist() == [0, 2, 7]
    assert trace.evaluations.tolist() == [0, 4, 14]


def spoiled(change):
    times, values, mask = series(4, 3, 2, seen=1.0)
    change(times, values, mask)
    return times, values, mask


def set_time(row, sample, value):
    return lambda times, values, mask: times[row].__setitem__(sample, value)


def all_masked(times, values, mask):
    mask[:, 1] = False


def nan_value(times, values, mask):
    values[2, 1, 0] = math.nan


def equal_times(times, values, mask):
    times[2, 1] = times[1, 1]


@pytest.mark.parametrize(
    ("change", "code", "facts"),
    [
        (equal_times, "not_ascending", ("Sample 1", "row 2", "row 1")),
        (set_time(3, 2, -1.0), "not_ascending", ("Sample 2", "time -1 at row 3")),
        (set_time(1, 0, math.nan), "not_finite", ("Sample 0", "time nan at row 1")),
        (set_time(3, 0, 1e6), "too_long", ("Sample 0", "gap of 1e+06", "row 3", "at most 100")),
        (all_masked, "no_values", ("Sample 1",)),
        (nan_value, "not_finite", ("Sample 1", "value at row 2")),
    ],
)
def test_bad_series_are_named_with_sample_and_time(change, code, facts):
    with refused(SeriesError, code, *facts):
        network()(*spoiled(change))


def test_bad_shapes_are_named():
    times, values, mask = series(4, 3, 2)
    with refused(SeriesError, "shape", "(0, 3, 2)", "(time, batch, 2)"):
        network()(times[:0], values[:0], mask[:0])
    with refused(SeriesError, "shape", "(3, 3)", "(4, 3)"):
        network()(times[1:], values, mask)
    with refused(SeriesError, "shape", "mask is torch.float64", "torch.bool"):
        network()(times, values, mask.double())
    with refused(SeriesError, "not_allowed", "duration of sample 1 is -0.5", "0 to 100"):
        network().evolve(torch.zeros(2, 5), torch.tensor([0.1, -0.5]))
    with pytest.raises(ValueError, match="3 inputs"):
        ODERNN(recurrent_layer("gru", 3, 5), TanhField(5, (), stream(0)), FixedSteps())
    with pytest.raises(ValueError, match=r"4 hidden units.* 5"):
        ODERNN(recurrent_layer("gru", 2, 5), TanhField(4, (), stream(0)), FixedSteps())


@pytest.mark.parametrize("solver", [FixedSteps(), TorchdiffeqSolver("rk4")])
def test_a_state_that_explodes_is_named(solver):
    cell = recurrent_layer("gru", 2, 3, dtype=torch.float64)
    field = TanhField(3, (), stream(0), dtype=torch.float64)
    with torch.no_grad():
        field.weights[0].copy_(1e300 * torch.eye(3, dtype=torch.float64))
    start = torch.tensor([[0.0] * 3, [1.0] * 3], dtype=torch.float64)
    times, values, mask = series(4, 2, 1, seen=1.0)
    with refused(SeriesError, "not_finite", "state of sample 1", "row 1"):
        ODERNN(cell, field, solver)(times, values, mask, start)


def test_an_adaptive_solver_that_gives_up_is_named(monkeypatch):
    # It gives up sooner, in a tenth of the time.
    monkeypatch.setattr(ode_solvers, "MOST_STEPS", 200)
    cell, field = cell_and_field("gru", 2, 2, ())
    with torch.no_grad():
        field.weights[0].copy_(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    times, values, mask = spoiled(set_time(3, 1, 1e6))
    with refused(UnsolvedIntervalError, "unsolved", "row 3", "dopri5", "gap of 1e+06 in sample 1"):
        ODERNN(cell, field, TorchdiffeqSolver())(times, values, mask)


def test_bad_solver_settings_are_named():
    with pytest.raises(ValueError, match=r"'rk5'.* euler"):
        FixedSteps("rk5")
    with pytest.raises(ValueError, match="longest step is 0"):
        FixedSteps("rk4", 0)
    with pytest.raises(ValueError, match=r"'dopri6'.* dopri5"):
        TorchdiffeqSolver("dopri6")
    with pytest.raises(ValueError, match="tolerance rtol is nan"):
        TorchdiffeqSolver(rtol=math.nan)
    with pytest.raises(ValueError, match=r"'forward'.* backpropagation, adjoint"):
        TorchdiffeqSolver(differentiation="forward")
