"""Series with a known answer are what their pages say, and those that cannot be learned from are refused."""

import math

import numpy as np
import pytest
import torch

from goldviz.labs.series_attention.tasks.cycles import NOISE, cycle_problem, cycles
from goldviz.labs.series_attention.tasks.market_returns import market_problem
from goldviz.labs.series_attention.tasks.oscillator import DAMPING, FREQUENCY, oscillators, position
from goldviz.labs.series_attention.tasks.piecewise_sines import piecewise_sines, sines_problem
from goldviz.labs.series_attention.tasks.surroundings import BUMP, CONTEXT, LEVEL_ROWS, equal_values
from goldviz.labs.series_attention.tasks.windows import SeriesProblemError
from goldviz.training.seeds import DATA, TEST_DATA, stream


def streams() -> tuple[torch.Generator, torch.Generator]:
    return stream(0, DATA), stream(0, TEST_DATA)


def height(values: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """The least-squares height of a sine around 72."""
    return (values - 72) @ np.sin(angle) / np.square(np.sin(angle)).sum()


def test_the_last_sine_is_as_high_as_the_higher_of_the_first_two() -> None:
    values = piecewise_sines(200, 36, 24, stream(0, DATA)).values.double().numpy()
    x = np.arange(60)
    first, second, last = (
        height(values[:, part], math.pi * x[part] / rows)
        for part, rows in ((slice(12), 6), (slice(12, 24), 6), (slice(36, 60), 12))
    )
    # Heights are told by 12 or 24 noisy values, whose standard errors are 0.41 and 0.29.
    assert np.abs(last - np.maximum(first, second)).max() < 2.5
    assert 0 < last.min() < last.max() < 63


def test_the_mean_curve_is_a_better_forecast_than_the_replica_published() -> None:
    """R_0.5 of the best forecast that reads nothing: the median of max(A1, A2) is 42.4; published are 0.121."""
    values = piecewise_sines(4000, 24, 24, stream(0, DATA)).values[:, 24:].double().numpy()
    curve = 72 + 60 / math.sqrt(2) * np.sin(math.pi * np.arange(24, 48) / 12)
    assert np.abs(values - curve).sum() / np.abs(values).sum() == pytest.approx(0.104, abs=0.003)


def test_a_problem_is_standardised_and_names_its_floor() -> None:
    problem = sines_problem(50, 20, 24, 24, *streams())
    assert (len(problem.train), len(problem.test), problem.horizon) == (50, 20, 24)
    raw = problem.train.values * problem.scale + problem.location
    torch.testing.assert_close(raw, piecewise_sines(50, 24, 24, stream(0, DATA)).values, rtol=1e-4, atol=1e-3)
    assert problem.floor == pytest.approx(1 / problem.scale**2)


def test_equal_bumps_lead_to_the_levels_that_their_surroundings_tell() -> None:
    windows = equal_values(300, stream(1, DATA))
    values = windows.values.numpy()
    assert values.shape == (300, CONTEXT + LEVEL_ROWS)
    bumps = np.arange(1, CONTEXT, 2 + LEVEL_ROWS)
    assert (values[:, bumps] == BUMP).all()
    signs, levels = np.sign(values[:, bumps - 1]), values[:, bumps + 1]
    assert (signs[:, 0] == -signs[:, 1]).all()
    known = np.where(signs[:, -1] == signs[:, 0], levels[:, 0], levels[:, 1])
    assert np.abs(levels[:, -1] - known).max() < 0.5


def test_a_pattern_comes_again_with_twice_its_noise() -> None:
    values = cycles(2000, 21, 7, stream(0, DATA)).values
    again = (values[:, 7:] - values[:, :-7]).square().mean()
    assert float(again) == pytest.approx(2 * NOISE**2, rel=0.05)


def test_the_calendar_tells_the_place_in_the_period() -> None:
    problem = cycle_problem(4, 3, 10, 5, 5, *streams(), calendar=True, longest=30)
    assert problem.train.covariates.shape == (4, 15, 2)
    torch.testing.assert_close(problem.train.covariates[:, :10], problem.train.covariates[:, 5:])
    assert problem.longer is not None
    assert problem.longer.rows == 30


def test_the_oscillator_solves_its_equation() -> None:
    times = torch.linspace(0, 2, 4001, dtype=torch.float64)
    x = position(torch.tensor([[1.0, 0.5]], dtype=torch.float64), times)[0]
    step = float(times[1])
    speed, bend = (x[2:] - x[:-2]) / (2 * step), (x[2:] - 2 * x[1:-1] + x[:-2]) / step**2
    rest = bend + 2 * DAMPING * FREQUENCY * speed + FREQUENCY**2 * x[1:-1]
    assert float(rest.abs().max()) < 1e-3
    assert float(x[0]) == 1.0
    assert float(speed[0]) == pytest.approx(0.5 * FREQUENCY, rel=0.01)


def test_irregular_times_rise_and_their_gaps_are_known_beforehand() -> None:
    windows = oscillators(5, 12, stream(0, DATA))
    gaps = windows.times.diff(dim=1)
    assert bool((gaps > 0).all())
    torch.testing.assert_close(gaps, windows.covariates[:, 1:, 0], rtol=1e-4, atol=1e-5)


def test_rows_hold_the_value_before_them() -> None:
    windows = cycles(2, 6, 3, stream(0, DATA), calendar=True)
    rows = windows.inputs()
    assert rows.shape == (2, 6, 3)
    assert not rows[:, 0, 0].any()
    torch.testing.assert_close(rows[:, 1:, 0], windows.values[:, :-1])


def test_a_market_s_tests_come_after_all_that_is_learned() -> None:
    problem = market_problem("simulated", 0, 20, 5)
    assert problem.train.rows == problem.test.rows == 25
    assert float(problem.train.values.mean()) == pytest.approx(0, abs=0.05)
    assert problem.train.covariates.shape[-1] == 0
    assert bool((problem.train.times.diff(dim=1) >= 1).all())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: piecewise_sines(2, 23, 4, stream(0, DATA)), "context is 23 rows; allowed are at least 24"),
        (lambda: cycle_problem(2, 2, 6, 2, 7, *streams()), "period is 7 rows; allowed are at most the 6 rows"),
        (lambda: market_problem("simulated", 0, 2000, 500), "a window has 2500 rows. Allowed"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_a_sentence(make, words) -> None:
    with pytest.raises(SeriesProblemError, match=words):
        make()
