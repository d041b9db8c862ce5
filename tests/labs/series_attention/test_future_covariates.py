"""Only what is known beforehand of days to come may be a covariate; the rest is refused with the day."""

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.market import Channel, Market, Release
from goldviz.labs.series_attention.tasks.market_returns import calendar_of_days, channel_ahead, market_problem
from goldviz.labs.series_attention.tasks.windows import SeriesProblemError

DAYS = pd.bdate_range("2024-01-01", periods=12)
OUT = Release("17:00", "UTC")
MOMENTS = OUT.moments(DAYS)


def market(values: np.ndarray, release: Release) -> Market:
    target = Channel("gold", "Gold", pd.Series(np.arange(1.0, 13), DAYS), "difference", OUT)
    return Market(
        (target, Channel("plan", "The plan", pd.Series(values, DAYS), "level", release)), "file", "", DAYS[-1]
    )


def ahead(values: np.ndarray, days: int, horizon: int = 3, name: str = "plan") -> np.ndarray:
    return channel_ahead(market(values, Release("12:00", "UTC", days=days)), name, DAYS, MOMENTS, horizon, 10)


def test_the_calendar_is_known() -> None:
    columns = calendar_of_days(DAYS)
    monday, friday = columns[0], columns[4]
    np.testing.assert_allclose(monday[:2], [0, 1], atol=1e-12)
    np.testing.assert_allclose(friday[:2], [np.sin(8 * np.pi / 7), np.cos(8 * np.pi / 7)])
    np.testing.assert_allclose(columns[5:7, 2], [np.log(3), 0], atol=1e-12)
    np.testing.assert_allclose(columns[:5, :2], columns[5:10, :2], atol=1e-12)


def test_what_is_out_long_before_its_day_may_be_read() -> None:
    values = np.arange(12.0)
    np.testing.assert_allclose(ahead(values, -5), (values - 4.5) / np.sqrt(99 / 12))


@pytest.mark.parametrize(
    ("values", "days", "name", "words"),
    [
        (np.arange(12.0), 0, "plan", "The plan of 2024-01-04 is not known yet on 2024-01-01, when a forecast 3 rows"),
        # Three days are three rows but for a weekend: Wednesday of the next week is five days after Friday.
        (np.arange(12.0), -3, "plan", "The plan of 2024-01-08 is not known yet on 2024-01-03"),
        (np.full(12, 2.0), -9, "plan", "The plan never changes"),
        (np.where(np.arange(12) == 4, np.nan, 1.0), -9, "plan", "The plan has no value for 2024-01-05"),
        (np.arange(12.0), -9, "oil", "The covariate is 'oil'; allowed are plan"),
    ],
)
def test_what_is_unknown_in_the_future_is_refused(values, days, name, words) -> None:
    with pytest.raises(SeriesProblemError, match=words):
        ahead(values, days, name=name)


def test_a_market_s_own_channels_are_refused_and_its_calendar_is_not() -> None:
    problem = market_problem("simulated", 0, 20, 5, calendar=True)
    assert problem.train.covariates.shape == (*problem.train.values.shape, 3)
    assert len(problem.covariates) == 3
    with pytest.raises(SeriesProblemError, match="Allowed are covariates that are out before: the calendar is"):
        market_problem("simulated", 0, 20, 5, covariate="silver")


def test_each_row_of_the_tests_is_forecast_once() -> None:
    problem = market_problem("simulated", 0, 20, 5)
    later = problem.test.values[:, 20:]
    whole = market_problem("simulated", 0, 20, 1).test.values[:, 20:].flatten()
    np.testing.assert_allclose(later.flatten(), whole[: later.numel()])
