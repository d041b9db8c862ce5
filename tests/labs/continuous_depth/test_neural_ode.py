"""A flow has its closed form, its two gradients agree, and a residual network of many blocks becomes the flow."""

from dataclasses import replace

import pytest
import torch
from torchdiffeq._impl.odeint import SOLVERS

from goldviz.labs.continuous_depth.networks import (
    MOST_EVALUATIONS,
    DepthField,
    DepthNetwork,
    EulerBlocks,
    FlowSolver,
    TimedDepthField,
    UnsolvedFlowError,
    drawn_read_out,
    flow_faults_in_words,
)
from goldviz.models.continuous import methods
from goldviz.models.continuous.methods import BY_LIBRARY_NAME, FIXED, METHODS, ButcherTableau, ODEMethod
from goldviz.models.continuous.runge_kutta import integrate

ENDS = (0.0, 1.0)
OUR_NAMES = {METHODS[name].library: name for name in FIXED if METHODS[name].library}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def a_field(hidden=2, kind=DepthField, scale=8.0):
    """A field whose last layer is large enough for paths to bend."""
    field = kind(hidden, (8, 8), generator())
    with torch.no_grad():
        field.weights[-1].mul_(scale)
    return field


def points(count=6, plane=2):
    return torch.randn(count, plane, generator=generator(1), dtype=torch.float64)


def gradients(carrier, field, start):
    """The field's whole gradient of the mean square of the end points."""
    end = carrier.carry(field, start, ENDS)[-1]
    found = torch.autograd.grad(end.square().mean(), list(field.parameters()))
    return torch.cat([gradient.flatten() for gradient in found])


@pytest.mark.parametrize(
    ("solver", "tolerance"),
    [
        (FlowSolver("dopri5", 1e-9), 1e-8),
        (FlowSolver("bosh3", 1e-9), 1e-7),
        (FlowSolver("rk4", steps=64), 1e-7),
    ],
)
def test_a_linear_field_s_flow_is_the_matrix_exponential(solver, tolerance):
    field, start = DepthField(3, (), generator()), points(5, 3)
    with torch.no_grad():
        field.weights[0].copy_(torch.tensor([[-0.4, -1.6, 0.2], [0.9, -0.4, 0.0], [0.1, 0.3, 0.5]]))
    exact = start @ torch.matrix_exp(field.weights[0].detach()).t()
    assert float((solver.carry(field, start, ENDS)[-1] - exact).detach().abs().max()) < tolerance


@pytest.mark.parametrize("kind", [DepthField, TimedDepthField])
@pytest.mark.parametrize("method", OUR_NAMES)
def test_the_gradient_through_the_solver_is_autograd_s_of_the_same_steps(method, kind):
    field, start = a_field(kind=kind), points()
    solver = FlowSolver(method, steps=5)
    end = integrate(field, start, 1.0, 5, OUR_NAMES[method])
    torch.testing.assert_close(solver.carry(field, start, ENDS)[-1], end, atol=1e-13, rtol=0)
    expected = torch.autograd.grad(end.square().mean(), list(field.parameters()))
    ours = gradients(solver, field, start)
    torch.testing.assert_close(ours, torch.cat([part.flatten() for part in expected]), atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", [DepthField, TimedDepthField])
@pytest.mark.parametrize(("method", "within"), [("dopri5", 1e-6), ("bosh3", 1e-5), ("rk4", 1e-6)])
def test_the_adjoint_is_the_solver_s_gradient_to_its_tolerance(method, within, kind):
    field, start = a_field(kind=kind), points()
    solver = FlowSolver(method, tolerance=1e-8, steps=64)
    through, adjoint = (gradients(replace(solver, gradient=way), field, start) for way in ("solver", "adjoint"))
    assert float((adjoint - through).norm() / through.norm()) < within


def test_a_coarse_adjoint_is_not_the_gradient_of_the_steps():
    field, start = a_field(scale=40.0), points()
    solver = FlowSolver("euler", steps=2)
    through, adjoint = (gradients(replace(solver, gradient=way), field, start) for way in ("solver", "adjoint"))
    assert float((adjoint - through).norm() / through.norm()) > 0.05


def test_torchdiffeq_learns_a_method_that_it_has_not(monkeypatch):
    tableau = ButcherTableau(2, ((), (2 / 3,)), (1 / 4, 3 / 4))
    entry = ODEMethod("Ralston", tableau, "#000000", "solid", "circle")
    monkeypatch.setitem(METHODS, "ralston", entry)
    monkeypatch.setitem(BY_LIBRARY_NAME, "ralston", entry)
    monkeypatch.setattr(methods, "FIXED", (*FIXED, "ralston"))
    field, start = a_field(kind=TimedDepthField), points()
    try:
        end = FlowSolver("ralston", steps=5).carry(field, start, ENDS)[-1]
        assert field.evaluations == 10
    finally:
        SOLVERS.pop("ralston", None)
    torch.testing.assert_close(end, integrate(field, start, 1.0, 5, "ralston"), atol=1e-13, rtol=0)


@pytest.mark.parametrize("method", OUR_NAMES)
@pytest.mark.parametrize("gradient", ["solver", "adjoint"])
def test_evaluations_are_counted_on_both_ways(method, gradient):
    field = a_field()
    end = FlowSolver(method, steps=3, gradient=gradient).carry(field, points(), ENDS)[-1]
    assert field.evaluations == 3 * METHODS[OUR_NAMES[method]].tableau.stages
    field.evaluations = 0
    end.sum().backward()
    assert field.evaluations == (3 * METHODS[OUR_NAMES[method]].tableau.stages if gradient == "adjoint" else 0)


def test_a_residual_network_is_euler_s_method_and_converges_at_order_one():
    field, start = a_field(kind=TimedDepthField), points()
    h = start
    for block in range(4):
        h = h + field(torch.tensor(block / 4, dtype=torch.float64), h) / 4
    torch.testing.assert_close(EulerBlocks(4).carry(field, start, ENDS)[-1], h, atol=1e-14, rtol=0)
    assert field.evaluations == 4
    exact = FlowSolver(tolerance=1e-10).carry(field, start, ENDS)[-1]
    errors = [float((EulerBlocks(n).carry(field, start, ENDS)[-1] - exact).detach().norm()) for n in (64, 128, 256)]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.05)


def test_places_between_blocks_lie_on_the_block_s_line():
    field, start = a_field(), points()
    first, middle, half, last = EulerBlocks(2).carry(field, start, (0.0, 0.25, 0.5, 1.0))
    torch.testing.assert_close(middle, (first + half) / 2)
    torch.testing.assert_close(last, half + field(torch.tensor(0.5), half) / 2)


def test_the_answer_is_read_off_the_end_and_zeros_are_added():
    read_out = drawn_read_out(3, generator(), torch.float64)
    network = DepthNetwork(a_field(3), EulerBlocks(2), read_out)
    start = network.start(points())
    assert torch.equal(start, torch.cat([points(), torch.zeros(6, 1)], 1))
    end = EulerBlocks(2).carry(network.field, start, ENDS)[-1]
    torch.testing.assert_close(network(points()), end @ read_out[:3] + read_out[3])
    assert read_out[3] == 0
    plain = DepthNetwork(a_field(3), EulerBlocks(2))
    torch.testing.assert_close(plain(points()), EulerBlocks(2).carry(plain.field, start, ENDS)[-1][:, 0])
    assert {name.split(".")[0] for name, _ in plain.named_parameters()} == {"field"}


def test_a_state_that_is_no_number_becomes_a_sentence():
    field = a_field()
    with torch.no_grad():
        field.weights[0][0, 0] = torch.nan
    with pytest.raises(UnsolvedFlowError, match=r"dopri5 gave up .* no finite number\.") as caught:
        FlowSolver().carry(field, points(), ENDS)
    assert caught.value.for_a_person


@pytest.mark.parametrize("scale", [1e6, 1e14])
def test_a_field_that_is_too_steep_becomes_a_sentence(scale):
    field = a_field(scale=scale)
    with pytest.raises(UnsolvedFlowError, match=r"too stiff|too small to go on|no longer finite"):
        FlowSolver(tolerance=1e-8).carry(field, points(), ENDS)
    assert field.evaluations <= MOST_EVALUATIONS + 1


def test_torchdiffeq_s_own_words_are_translated():
    words = r"The solver bosh3 gave up .* became too small to go on"
    with pytest.raises(UnsolvedFlowError, match=words), flow_faults_in_words("bosh3"):
        raise AssertionError("underflow in dt 1e-20")


def test_other_faults_are_left_alone():
    with pytest.raises(KeyError), flow_faults_in_words("bosh3"):
        raise KeyError("other")
