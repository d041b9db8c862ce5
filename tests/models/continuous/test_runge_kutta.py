"""Every method has its order, keeps its table's rules, and gives the library's numbers."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torchdiffeq import odeint
from torchdiffeq._impl.odeint import SOLVERS

from goldviz.models.continuous.methods import ADAPTIVE, FIXED, METHODS
from goldviz.models.continuous.runge_kutta import integrate, integrate_in_each, states_along

LIBRARY_NAMES = {name: METHODS[name].library for name in FIXED if METHODS[name].library}


def swing(t, h):
    """A pendulum, with a force that depends on time."""
    return torch.stack([h[..., 1], torch.cos(t) * torch.ones_like(h[..., 0]) - torch.sin(h[..., 0])], -1)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_tables_meet_the_conditions_of_their_order(method):
    tableau = method.tableau

    def sums_to(product, expected):
        return math.isclose(sum(b * value for b, value in zip(tableau.b, product, strict=True)), expected)

    c = tableau.c
    ac = [sum(a * c[j] for j, a in enumerate(row)) for row in tableau.a]
    assert sums_to([1] * tableau.stages, 1)
    if tableau.order >= 2:
        assert sums_to(c, 1 / 2)
    if tableau.order >= 3:  # Hairer, Norsett and Wanner 1993, theorem II.1.1 and table II.2.1
        assert sums_to([x**2 for x in c], 1 / 3)
        assert sums_to(ac, 1 / 6)
    if tableau.order >= 4:
        assert sums_to([x**3 for x in c], 1 / 4)
        assert sums_to([x * y for x, y in zip(c, ac, strict=True)], 1 / 8)
        assert sums_to([sum(a * c[j] ** 2 for j, a in enumerate(row)) for row in tableau.a], 1 / 12)
        assert sums_to([sum(a * ac[j] for j, a in enumerate(row)) for row in tableau.a], 1 / 24)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_tables_are_those_of_torchdiffeq(name):
    """Its class keeps the stages' rows, the answer, and the answer less the one beside it."""
    tableau, theirs = METHODS[name].tableau, SOLVERS[METHODS[name].library].tableau
    error = [b - beside for b, beside in zip(tableau.b, tableau.b_beside, strict=True)]
    for ours, values in ((tableau.b, theirs.c_sol), (error, theirs.c_error), (tableau.c[1:], theirs.alpha)):
        assert list(ours) == pytest.approx(values.tolist(), abs=1e-15)
    for row, values in zip(tableau.a[1:], theirs.beta, strict=True):
        assert list(row) == pytest.approx(values.tolist(), abs=1e-15)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("z", [-0.7, 0.4 - 1.3j])
def test_the_stability_function_is_what_a_step_multiplies_by(name, z):
    start, rate = torch.ones(1, dtype=torch.complex128), complex(z)
    multiplied = complex(integrate(lambda t, h: rate * h, start, 1.0, 1, name))
    assert multiplied == pytest.approx(METHODS[name].tableau.stability(z), abs=1e-14)


@pytest.mark.parametrize("name", METHODS)
def test_what_decays_grows_only_beyond_the_stability_limit(name):
    tableau = METHODS[name].tableau
    assert 1.9 < tableau.stability_limit < 4
    assert all(abs(tableau.stability(-x * tableau.stability_limit / 100)) <= 1 + 1e-9 for x in range(1, 101))
    assert abs(tableau.stability(-tableau.stability_limit - 1e-3)) > 1


@pytest.fixture(scope="module")
def exact():
    """Where the pendulum ends, to a thousandth of what 80 steps of the best method are wrong by."""
    return integrate(swing, torch.tensor([0.3, -0.2], dtype=torch.float64), 2.0, 800, "rk4")


@pytest.mark.parametrize("name", FIXED)
def test_halving_the_step_divides_the_error_by_two_to_the_order(name, exact):
    start = torch.tensor([0.3, -0.2], dtype=torch.float64)
    errors = [float((integrate(swing, start, 2.0, steps, name) - exact).norm()) for steps in (40, 80)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(METHODS[name].tableau.order, abs=0.15)


@pytest.mark.parametrize("name", LIBRARY_NAMES)
def test_states_are_those_of_torchdiffeq(name):
    start = torch.tensor([0.3, -0.2], dtype=torch.float64)
    grid = torch.linspace(0, 2, 8, dtype=torch.float64)
    expected = odeint(swing, start, grid, method=LIBRARY_NAMES[name])
    found = torch.stack(list(states_along(swing, start, 2.0, 7, name)))
    assert torch.allclose(found, expected, atol=1e-13, rtol=0)


@pytest.mark.parametrize("name", FIXED)
def test_side_by_side_every_number_of_steps_gives_what_it_gives_alone(name):
    start = torch.tensor([[0.3, -0.2], [1.1, 0.4]], dtype=torch.float64)
    counts = (3, 1, 8, 3)
    together = integrate_in_each(lambda t, h: swing(t.squeeze(-1), h), start, 2.0, counts, name)
    for count, end in zip(counts, together, strict=True):
        assert torch.allclose(end, integrate(swing, start, 2.0, count, name), atol=1e-15, rtol=1e-15)
    with pytest.raises(ValueError, match=r"\[2, 0\]"):
        integrate_in_each(swing, start, 2.0, (2, 0), name)


@given(seed=st.integers(0, 99), size=st.integers(1, 4))
def test_a_linear_field_gives_the_matrix_exponential_to_every_samples_own_time(seed, size):
    generator = torch.Generator().manual_seed(seed)
    A = torch.randn(size, size, generator=generator, dtype=torch.float64)
    start = torch.randn(3, size, generator=generator, dtype=torch.float64)
    durations = torch.tensor([0.0, 0.4, 1.0], dtype=torch.float64)
    exact = (torch.matrix_exp(A * durations[:, None, None]) @ start[..., None]).squeeze(-1)
    found = integrate(lambda t, h: h @ A.t(), start, durations[:, None], 60)
    assert torch.allclose(found, exact, atol=1e-4, rtol=1e-4)
    assert torch.equal(found[0], start[0])


def test_gradients_go_through_state_duration_and_field():
    def end(state, duration, rate):
        return integrate(lambda t, h: rate * h.sin() + t, state, duration, 3, "rk4_three_eighths")

    leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in ([[0.2], [1.0]], 0.7, 1.3)]
    assert torch.autograd.gradcheck(end, leaves)


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match=r"'rk5'.* euler, midpoint"):
        integrate(swing, torch.zeros(2), 1.0, 3, "rk5")
    with pytest.raises(ValueError, match="steps is 0"):
        integrate(swing, torch.zeros(2), 1.0, 0)
