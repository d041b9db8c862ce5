"""The neural CDE against torchdiffeq on the same path, a closed form, and the future that it may not know."""

from itertools import pairwise

import pytest
import torch
from torchdiffeq import odeint

from goldviz.models.continuous.neural_cde import FirstState, NeuralCDE, controls
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.ode_solvers import FixedSteps, TorchdiffeqSolver
from goldviz.models.continuous.series_forecaster import CDESeriesReader
from goldviz.models.continuous.vector_field import TanhField
from tests.refusals import refused

HIDDEN, CHANNELS = 4, 2


def stream(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def network(widths=(8,), solver=None, scale=1.0) -> NeuralCDE:
    field = TanhField(
        HIDDEN, widths, stream(0), outputs=HIDDEN * controls(CHANNELS), last_scale=scale, dtype=torch.float64
    )
    with torch.no_grad():
        for number, bias in enumerate(field.biases):
            bias.copy_(0.3 * torch.randn(bias.shape, generator=stream(9 + number), dtype=torch.float64))
    start = FirstState(CHANNELS, HIDDEN, stream(5), dtype=torch.float64)
    with torch.no_grad():
        start.b_x.copy_(torch.randn(HIDDEN, generator=stream(6), dtype=torch.float64))
    fine = solver or FixedSteps("rk4", 0.05)
    return NeuralCDE(field, start, CHANNELS, fine, fine)


def first_state(one: NeuralCDE, path):
    """zeta of the first row's values and counts, the path's second corner."""
    return one.start.W_x @ path[1, 1:] + one.start.b_x


def series(rows=5, batch=2, share=0.7):
    times = torch.rand(rows, batch, generator=stream(1), dtype=torch.float64).add(0.05).cumsum(0)
    values = torch.randn(rows, batch, CHANNELS, generator=stream(2), dtype=torch.float64)
    mask = torch.rand(values.shape, generator=stream(3)) < share
    mask[0] = True
    return times, values, mask


def knots(times, values, mask):
    """The path's corners of one sample: time, last values, counts; before and after each row."""
    last, count, corners = torch.zeros(CHANNELS).double(), torch.zeros(CHANNELS).double(), []
    for t, x, present in zip(times - times[0], values, mask, strict=True):
        corners.append(torch.cat([t[None], last, count]))
        last, count = torch.where(present, x, last), count + present
        corners.append(torch.cat([t[None], last, count]))
    return torch.stack(corners)


def test_it_is_torchdiffeqs_answer_along_the_path_through_all_its_corners():
    one, (times, values, mask) = network(), series()
    trace = one(times, values, mask)
    for sample in range(times.shape[1]):
        path = knots(times[:, sample], values[:, sample], mask[:, sample])
        h = first_state(one, path)[None]
        torch.testing.assert_close(trace.after[0, sample], h[0])
        for number, (start, end) in enumerate(pairwise(path[1:]), start=1):
            velocity = end - start

            def slope(s, state, velocity=velocity):
                return one.field(s, state).view(1, HIDDEN, -1) @ velocity

            h = odeint(slope, h, torch.tensor([0.0, 1.0]).double(), rtol=1e-7, atol=1e-9, method="dopri5")[-1]
            place = trace.after if number % 2 == 0 else trace.before
            torch.testing.assert_close(place[(number + 1) // 2, sample], h[0], atol=1e-4, rtol=0)


def test_a_linear_field_without_products_of_the_state_sums_up_the_path():
    """With F(h) = A, constant, the state is zeta plus A times what the path has moved since: a closed form."""
    one, (times, values, mask) = network(widths=(), scale=0.0), series()
    A = one.field.biases[0].view(HIDDEN, -1)
    trace = one(times, values, mask)
    for sample in range(times.shape[1]):
        path = knots(times[:, sample], values[:, sample], mask[:, sample])
        expected = first_state(one, path) + (path - path[1]) @ A.t()
        torch.testing.assert_close(trace.before[1:, sample], expected[2::2], atol=1e-12, rtol=0)
        torch.testing.assert_close(trace.after[:, sample], expected[1::2], atol=1e-12, rtol=0)


def test_a_field_linear_in_the_state_multiplies_by_matrix_exponentials():
    one, (times, values, mask) = network(widths=()), series()
    with torch.no_grad():
        one.field.weights[0].mul_(0.5)
    W, b = one.field.weights[0].view(HIDDEN, controls(CHANNELS), HIDDEN), one.field.biases[0].view(HIDDEN, -1)
    trace = one(times, values, mask)
    path = knots(times[:, 0], values[:, 0], mask[:, 0])
    h = torch.cat([first_state(one, path), torch.ones(1, dtype=torch.float64)])
    for start, end in pairwise(path[1:]):
        whole = torch.zeros(HIDDEN + 1, HIDDEN + 1, dtype=torch.float64)
        whole[:-1, :-1], whole[:-1, -1] = torch.einsum("ick,c->ik", W, end - start), b @ (end - start)
        h = torch.linalg.matrix_exp(whole) @ h
    torch.testing.assert_close(trace.after[-1, 0], h[:-1], atol=1e-4, rtol=1e-4)


def test_what_comes_later_moves_nothing_before_it_and_what_is_missing_moves_nothing():
    one, (times, values, mask) = network(), series()
    trace = one(times, values, mask)
    later = values.clone()
    later[3:] += 5.0
    moved = one(times, later, mask)
    assert torch.equal(moved.before[:4], trace.before[:4])
    assert torch.equal(moved.after[:3], trace.after[:3])
    assert not torch.equal(moved.after[3], trace.after[3])
    assert torch.equal(one(times, torch.where(mask, values, torch.nan), mask).after, trace.after)


def test_between_rows_time_alone_moves_the_state_and_gradients_reach_every_row():
    reader, (times, values, mask) = CDESeriesReader(network()), series()
    trace = reader(times, values, mask)
    gaps = times.diff(dim=0)
    ahead = torch.cat([gaps, torch.zeros_like(gaps[:1])])[None]
    between = reader.between(trace, times, values, mask, ahead)[0]
    torch.testing.assert_close(between[:-1], trace.before[1:], atol=1e-9, rtol=0)
    before, states = reader.chain(times, values, mask)
    torch.testing.assert_close(before, trace.before)
    slopes = torch.autograd.grad(before[-1].sum(), states[:-1])
    assert all(float(slope.norm()) > 0 for slope in slopes)


def test_an_adaptive_solver_gives_the_same_path():
    times, values, mask = series()
    fine = network()(times, values, mask).after
    adaptive = network(solver=TorchdiffeqSolver("dopri5", 1e-6, 1e-8))(times, values, mask).after
    torch.testing.assert_close(adaptive, fine, atol=1e-4, rtol=0)


def test_bad_input_is_named():
    times, values, mask = series()
    with pytest.raises(ValueError, match=r"4 numbers.* 20.* 4 hidden units"):
        NeuralCDE(
            TanhField(HIDDEN, (), stream(0)),
            FirstState(CHANNELS, HIDDEN, stream(0)),
            CHANNELS,
            FixedSteps(),
            FixedSteps(),
        )
    with refused(SeriesError, "not_ascending"):
        network()(times.flip(0), values, mask)
    with refused(SeriesError, "not_allowed", "duration of sample 0 is -1"):
        network().evolve(torch.zeros(1, HIDDEN).double(), torch.tensor([-1.0]))


def test_the_state_is_none_of_zeros_before_anything_is_learned():
    """With F(0) = 0 a state of zeros would rest for ever: from its first row on a fresh network's moves."""
    field = TanhField(HIDDEN, (8,), stream(0), outputs=HIDDEN * controls(CHANNELS), dtype=torch.float64)
    solver = FixedSteps("rk4", 0.05)
    one = NeuralCDE(field, FirstState(CHANNELS, HIDDEN, stream(1), dtype=torch.float64), CHANNELS, solver, solver)
    with torch.no_grad():
        trace = one(*series())
    assert not trace.before[0].any()
    assert float(trace.after.norm(dim=2).min()) > 0.1
    assert all(not torch.equal(earlier, later) for earlier, later in zip(trace.after, trace.before[1:], strict=False))
