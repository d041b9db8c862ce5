"""The irregular problems have their known answers, and the gaps and masks that were asked for."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.ode_rnn.tasks import COURSES, Gaps, IrregularBatch, irregular_times, observed, partially_observed

TYPICAL_GAPS, UNSEEN_GAPS = Gaps(0.02, 0.6), Gaps(0.6, 1.2)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(length=st.integers(2, 30), seed=st.integers(0, 99))
def test_times_start_at_zero_and_keep_to_their_gaps(length, seed):
    times = irregular_times(length, 5, generator(seed), TYPICAL_GAPS, last_gap=UNSEEN_GAPS)
    gaps = times.diff(dim=0)
    assert not times[0].any()
    assert (gaps[:-1] >= TYPICAL_GAPS.shortest).all()
    assert (gaps[:-1] <= TYPICAL_GAPS.longest * (1 + 1e-9)).all()
    assert (gaps[-1] > TYPICAL_GAPS.longest * (1 - 1e-9)).all()
    assert (gaps[-1] <= UNSEEN_GAPS.longest * (1 + 1e-9)).all()
    assert torch.equal(irregular_times(length, 5, generator(seed), TYPICAL_GAPS)[:-1], times[:-1])


def test_gaps_are_log_uniform():
    logs = Gaps(0.02, 0.6).draw(1, 100_000, generator()).log()
    assert float(logs.mean()) == pytest.approx((math.log(0.02) + math.log(0.6)) / 2, abs=0.01)
    assert float(logs.std()) == pytest.approx(math.log(30) / math.sqrt(12), rel=0.01)


def test_equal_lengths_give_regular_times():
    times = irregular_times(5, 2, generator(), Gaps(0.1, 0.1))
    assert torch.allclose(times[:, 0], torch.arange(5, dtype=torch.float64) / 10)


def seen(
    task: str, length: int, batch: int, drawn: torch.Generator, gaps: Gaps = TYPICAL_GAPS, noise: float = 0.02
) -> IrregularBatch:
    """A course of this task, seen at times with these gaps."""
    times = irregular_times(length, batch, drawn, gaps)
    return observed(times, COURSES[task](batch, drawn)(times), noise, drawn)


def test_the_oscillator_solves_its_equation():
    batch = seen("oscillator", 400, 3, generator(), Gaps(1e-3, 1e-3), noise=0.0)
    x = batch.clean.double()[..., 0]
    w, step = 2 * math.pi, 1e-3
    velocity, force = (x[2:] - x[:-2]) / (2 * step), (x[2:] - 2 * x[1:-1] + x[:-2]) / step**2
    residual = force + 2 * 0.03 * w * velocity + w**2 * x[1:-1]
    assert float(residual.abs().max()) < 0.03 * w**2  # float32 values, differenced twice


def test_predicting_zero_costs_the_oscillators_variance():
    batch = seen("oscillator", 2, 200_000, generator(), Gaps(1.7, 1.7))
    assert float(batch.clean[0].square().mean()) == pytest.approx(1, rel=0.01)
    assert float(batch.clean[1:].square().mean()) == pytest.approx(math.exp(-2 * 0.03 * 2 * math.pi * 1.7), rel=0.05)


def test_the_linear_system_goes_on_by_the_matrix_exponential():
    batch = seen("linear", 12, 4, generator())
    A = torch.tensor([[-0.2, math.pi], [-math.pi, -0.2]], dtype=torch.float64)
    for i in range(11):
        for s in range(4):
            flow = torch.matrix_exp(A * (batch.times[i + 1, s] - batch.times[i, s]))
            assert torch.allclose(flow @ batch.clean[i, s].double(), batch.clean[i + 1, s].double(), atol=1e-6)


def test_sines_have_mean_square_one_half():
    batch = seen("sines", 10, 40_000, generator())
    assert float(batch.clean[1:].square().mean()) == pytest.approx(0.5, abs=5e-3)


@pytest.mark.parametrize("task", COURSES)
def test_noise_is_what_was_asked_for_and_the_generator_decides(task):
    batch = seen(task, 10, 5000, generator(3), noise=0.1)
    assert float((batch.values - batch.clean).std()) == pytest.approx(0.1, rel=0.02)
    assert batch.mask.all()
    assert torch.equal(seen(task, 10, 5000, generator(3), noise=0.1).values, batch.values)
    assert not torch.equal(seen(task, 10, 5000, generator(4), noise=0.1).values, batch.values)


@given(probability=st.floats(0, 1), seed=st.integers(0, 99))
def test_partial_observation_hides_values_but_never_the_first_row(probability, seed):
    whole = seen("linear", 20, 50, generator(seed))
    batch = partially_observed(whole, probability, generator(seed + 1))
    assert batch.mask[0].all()
    assert torch.equal(batch.values.isnan(), ~batch.mask)
    assert torch.equal(batch.values[batch.mask], whole.values[batch.mask])
    assert torch.equal(batch.clean, whole.clean)
    share = float(batch.mask[1:].double().mean())
    assert share == pytest.approx(probability, abs=5 * math.sqrt(0.25 / batch.mask[1:].numel()))
