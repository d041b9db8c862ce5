"""Forecasts in closed form: exact where a series is what they can say, and refused where they cannot."""

import numpy as np
import pytest

from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS, Problem


def problem(values: np.ndarray, context: int, period: int = 4) -> Problem:
    return Problem(values, values[:, :context], period)


def forecast(name: str, asked: Problem) -> np.ndarray:
    return SIMPLE_FORECASTS[name].forecast(asked)


def test_the_last_value_and_the_last_season_come_again() -> None:
    asked = problem(np.arange(20.0).reshape(2, 10), 6)
    assert forecast("repeat", asked).tolist() == [[5.0] * 4, [15.0] * 4]
    assert forecast("seasonal", asked).tolist() == [[2.0, 3.0, 4.0, 5.0], [12.0, 13.0, 14.0, 15.0]]
    assert forecast("seasonal", problem(asked.learned, 6, 3))[0].tolist() == [3.0, 4.0, 5.0, 3.0]


@pytest.mark.parametrize("name", ["linear", "ar"])
def test_a_sum_of_sines_is_forecast_by_linear_rules(name) -> None:
    generator = np.random.default_rng(0)
    angle = 0.7 * np.arange(30) + generator.uniform(0, 6, (400, 1))
    values = generator.normal(2, 1, (400, 1)) * np.sin(angle)
    asked = problem(values, 20)
    assert np.abs(forecast(name, asked) - values[:, 20:]).max() < 0.05


def test_the_linear_map_is_scikit_learn_s_ridge() -> None:
    from sklearn.linear_model import Ridge

    values = np.random.default_rng(0).normal(size=(60, 14))
    asked = problem(values, 10)
    ridge = Ridge(alpha=1e-3 * 60).fit(values[:, :10], values[:, 10:])
    # Theirs leaves the mean alone as the column of ones does here.
    np.testing.assert_allclose(forecast("linear", asked), ridge.predict(values[:, :10]), rtol=1e-6, atol=1e-8)


def test_a_period_longer_than_the_context_is_refused() -> None:
    with pytest.raises(ValueError, match="period is 9 rows; allowed are at most the context's 6"):
        forecast("seasonal", problem(np.zeros((2, 8)), 6, 9))
