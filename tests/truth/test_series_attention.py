"""*Transformer for series*: what its first example recorded, computed once more by numpy from series and maps."""

import numpy as np
import pytest

from goldviz.labs.series_attention.problem import problem_of
from goldviz.labs.series_attention.settings import SeriesAttention
from goldviz.runs.examples import example
from goldviz.training.seeds import DATA, TEST_DATA, stream

CONTEXT, AHEAD, WIDTH = 24, 24, 32


@pytest.fixture(scope="module")
def run():
    return example(SeriesAttention, SeriesAttention.presets[0].slug)


@pytest.fixture(scope="module")
def problem():
    return problem_of(SeriesAttention(), stream(0, DATA), stream(0, TEST_DATA))


@pytest.fixture(scope="module")
def rows(problem):
    """The test series, (series, row)."""
    return problem.test.values.double().numpy()


def ahead(run, name):
    return run["simple_error"].isel(seed=0).sel(simple=name).values


def test_repeating_a_value_or_a_season_errs_as_recorded(run, problem, rows):
    later = rows[:, CONTEXT:]
    repeated = [np.mean((later[:, step] - rows[:, CONTEXT - 1]) ** 2) for step in range(AHEAD)]
    np.testing.assert_allclose(ahead(run, "repeat"), repeated, rtol=1e-4)
    last = [CONTEXT - problem.period + step % problem.period for step in range(AHEAD)]
    np.testing.assert_allclose(ahead(run, "seasonal"), np.mean((later - rows[:, last]) ** 2, axis=0), rtol=1e-4)


def test_a_linear_map_errs_as_least_squares_by_numpy(run, problem, rows):
    learned = problem.train.values.double().numpy()
    x, y = (np.c_[values[:, :CONTEXT], np.ones(len(values))] for values in (learned, rows))
    weights = np.linalg.lstsq(x, learned[:, CONTEXT:], rcond=None)[0]
    np.testing.assert_allclose(ahead(run, "linear"), np.mean((y @ weights - rows[:, CONTEXT:]) ** 2, axis=0), rtol=0.02)


def test_attention_by_lag_is_the_mean_of_the_map_s_diagonals(run):
    maps = run["attention"].values.astype(np.float64)
    assert not maps[..., *np.triu_indices(CONTEXT + AHEAD, 1)].any()
    for lag in (0, 1, 12, 47):
        lines = np.stack([maps[..., row, row - lag] for row in range(lag, CONTEXT + AHEAD)])
        np.testing.assert_allclose(run["attention_by_lag"].values[..., lag], lines.mean(axis=0), atol=2e-3)


def test_positions_are_alike_by_a_sum_of_cosines(run):
    lags = np.arange(CONTEXT + AHEAD)
    turns = [np.cos(lags / 10_000 ** (2 * pair / WIDTH)) for pair in range(WIDTH // 2)]
    np.testing.assert_allclose(run["position_product"].values[-1], np.mean(turns, axis=0), atol=1e-5)
