"""Fields in the plane: their closed-form flows against dopri8 of torchdiffeq, in float64."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch import Tensor
from torchdiffeq import odeint

from goldviz.labs.residual_flow.fields import (
    LinearPlaneField,
    SpiralField,
    TurnedField,
    VanDerPolField,
    closed_form,
    turn,
)
from goldviz.models.continuous.runge_kutta import VectorField

TIMES = torch.tensor([0.0, 0.3, 1.7], dtype=torch.float64)
START = torch.tensor([[1.2, -0.4], [0.1, 0.05], [-0.7, 2.0]], dtype=torch.float64)
numbers = some.floats(-2, 2)


def _solved(field: VectorField, start: Tensor = START) -> Tensor:
    """Landing on every time, because dopri8 interpolates with fewer digits than it steps."""
    found: Tensor = odeint(field, start, TIMES, rtol=1e-11, atol=1e-12, method="dopri8", options={"step_t": TIMES[1:]})
    return found


def _linear(entries: tuple[float, ...], size: int = 2) -> LinearPlaneField:
    return LinearPlaneField(torch.tensor(entries, dtype=torch.float64).view(size, size))


@settings(max_examples=8)
@given(some.tuples(numbers, numbers, numbers, numbers), numbers)
def test_turned_linear_flows_are_matrix_exponentials(entries: tuple[float, ...], rate: float) -> None:
    field = TurnedField(_linear(entries), rate)
    exact = closed_form(field, START, TIMES)
    assert exact is not None
    torch.testing.assert_close(exact, _solved(field), rtol=1e-8, atol=1e-8)


@settings(max_examples=8)
@given(some.floats(0.1, 2), some.floats(-3, 3), some.floats(0.3, 2))
def test_the_spirals_flow_is_its_formula(rate: float, turning: float, flatness: float) -> None:
    field = SpiralField(rate, turning, flatness)
    torch.testing.assert_close(field.flow(START, TIMES), _solved(field), rtol=1e-7, atol=1e-7)


def test_a_spiral_ends_on_its_ellipse_and_leaves_the_origin_alone() -> None:
    field = SpiralField(flatness=0.5)
    start = torch.cat([START, torch.zeros(1, 2, dtype=torch.float64)])
    ends = field.flow(start, torch.tensor([30.0], dtype=torch.float64))[0]
    assert torch.equal(ends[-1], start[-1])
    radii = (ends[:-1, 0].square() + (ends[:-1, 1] / 0.5).square()).sqrt()
    torch.testing.assert_close(radii, torch.ones_like(radii), rtol=1e-12, atol=0)


@settings(deadline=None)
@given(some.floats(0.1, 20), numbers, numbers)
def test_van_der_pol_in_lienards_plane_is_the_equation_of_second_order(mu: float, x: float, y: float) -> None:
    field = VanDerPolField(mu)
    h = torch.tensor([x, y], dtype=torch.float64, requires_grad=True)
    velocity = field(torch.zeros(()), h)
    (gradient,) = torch.autograd.grad(velocity[0], h)
    acceleration = gradient @ velocity.detach()
    expected = mu * (1 - x * x) * velocity[0].detach() - x
    torch.testing.assert_close(acceleration, expected, rtol=1e-10, atol=1e-10)


def test_turning_leaves_coordinates_beyond_the_second_alone() -> None:
    R = turn(torch.tensor(0.7, dtype=torch.float64), 3)
    torch.testing.assert_close(R @ R.t(), torch.eye(3, dtype=torch.float64), rtol=0, atol=1e-15)
    assert torch.equal(R[2], torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64))
    field = TurnedField(_linear((0.0, 1.0, 0.2, -1.0, 0.0, 0.0, 0.3, 0.0, -0.5), 3), 0.9)
    start = torch.nn.functional.pad(START, (0, 1))
    exact = closed_form(field, start, TIMES)
    assert exact is not None
    torch.testing.assert_close(exact, _solved(field, start), rtol=1e-8, atol=1e-8)
    times = torch.tensor([0.0, 0.4, 1.1], dtype=torch.float64)
    at_once = field(times[:, None, None], start.expand(3, *start.shape))
    torch.testing.assert_close(at_once, torch.stack([field(t, start) for t in times]), rtol=1e-14, atol=1e-15)


def test_fields_without_a_formula_say_so() -> None:
    assert closed_form(VanDerPolField(2.0), START, TIMES) is None
    assert closed_form(TurnedField(SpiralField(), 0.1), START, TIMES) is None
