"""*How a leaderboard fools*, computed once more by plain loops, by numpy's least squares and from other records."""

import numpy as np
import pytest
import xarray as xr

import goldviz.api
from goldviz.labs.leaderboard import measures
from goldviz.labs.leaderboard.public_characters import SIMULATED_SERIES
from goldviz.labs.leaderboard.settings import Leaderboard

SETTINGS = {
    "rows": 260,
    "channels": 2,
    "look_back": 8,
    "horizon": 5,
    "season": 4,
    "contenders": "nlinear",
    "epochs": 3,
    "test_batch": 16,
    "learning_rate": 0.05,
    "seeds": (0, 7),
    "series_seed": 3,
}
TRAIN, TEST = 182, 208
"""70 and 80 % of 260 rows."""


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return goldviz.api.run(Leaderboard(**SETTINGS), progress=False)


def values(rows=slice(TRAIN)):
    """The series, standardised by some of its rows."""
    plain = SIMULATED_SERIES["exchange"](260, 2, 3).values
    return (plain - plain[rows].mean(axis=0)) / plain[rows].std(axis=0)


def windows(series, start, stop):
    """Every window's past of 8 and future of 5 rows whose first forecast row lies in [start, stop)."""
    return [(series[row - 8 : row], series[row : row + 5]) for row in range(start, stop)]


def repeat_errors(series):
    return np.array([np.mean((future - past[-1]) ** 2) for past, future in windows(series, TEST, 256)])


def least_squares_errors(series, look_back):
    def pairs(start, stop):
        rows = [(row, channel) for row in range(start, stop) for channel in range(2)]
        past = np.array([series[row - look_back : row, channel] for row, channel in rows])
        future = np.array([series[row : row + 5, channel] for row, channel in rows])
        return np.c_[past[:, :-1] - past[:, -1:], np.ones(len(rows))], future - past[:, -1:]

    x, y = pairs(look_back, TRAIN - 4)
    ridge = np.sqrt(1e-6 * len(x)) * np.eye(look_back - 1, look_back)
    weights = np.linalg.lstsq(np.r_[x, ridge], np.r_[y, np.zeros((look_back - 1, 5))], rcond=None)[0]
    x, y = pairs(TEST, 256)
    return ((x @ weights - y) ** 2).mean()


def trap(run, name, forecaster):
    last = run.isel(epoch=-1).sel(trap=name, forecaster=forecaster)
    return float(last["trap_honest"]), float(last["trap_score"])


def test_the_scores_of_what_needs_no_training(run):
    told = run["told"].isel(epoch=-1)
    assert float(told.sel(forecaster="repeat")) == pytest.approx(repeat_errors(values()).mean(), rel=1e-5)
    assert float(told.sel(forecaster="least_squares")) == pytest.approx(least_squares_errors(values(), 8), rel=1e-5)
    seasons = [np.mean((future - past[[4, 5, 6, 7, 4]]) ** 2) for past, future in windows(values(), TEST, 256)]
    assert float(told.sel(forecaster="seasonal_repeat")) == pytest.approx(np.mean(seasons), rel=1e-5)


def test_a_dropped_batch(run):
    errors = repeat_errors(values())
    assert len(errors) == 48 == run.attrs["windows"]
    for size in (8, 32, 40):
        by_size = run["batch_score"].isel(epoch=-1).sel(forecaster="repeat", batch_size=size)
        assert float(by_size) == pytest.approx(errors[: 48 - 48 % size].mean(), rel=1e-5)
    assert np.isnan(run["batch_score"].sel(batch_size=56)).all()
    fair, without = trap(run, "dropped_batch", "repeat")
    assert (fair, without) == (pytest.approx(errors.mean(), rel=1e-5), pytest.approx(errors.mean(), rel=1e-5))


def test_scaling_with_the_whole_series(run):
    fair, leaked = trap(run, "whole_scaling", "repeat")
    assert fair == pytest.approx(repeat_errors(values()).mean(), rel=1e-5)
    assert leaked == pytest.approx(repeat_errors(values(slice(None))).mean(), rel=1e-5)
    change = measures.CHANGED["repeat.whole_scaling"](run)
    assert change == pytest.approx(leaked / fair - 1, rel=1e-5)


def test_a_longer_look_back(run):
    fair, longer = trap(run, "longer_look_back", "least_squares")
    assert fair == pytest.approx(least_squares_errors(values(), 8), rel=1e-5)
    assert longer == pytest.approx(least_squares_errors(values(), 32), rel=1e-5)
    assert np.isnan(trap(run, "longer_look_back", "repeat")).all()


def test_stopping_by_the_test_part_and_the_best_seed(run):
    test, validation = (run[name].sel(network="nlinear").values for name in ("test_error", "validation_error"))
    chosen = test[validation.argmin(axis=0), [0, 1]]
    assert trap(run, "test_stopping", "nlinear") == pytest.approx((chosen.mean(), test.min(axis=0).mean()), rel=1e-5)
    assert trap(run, "best_seed", "nlinear") == pytest.approx((chosen.mean(), chosen.min()), rel=1e-5)
    np.testing.assert_allclose(run["score"].isel(epoch=-1).sel(forecaster="nlinear"), chosen, rtol=1e-5)


def test_one_step_forecasts_that_follow(run):
    series = values()
    came, before = series[TEST:256], series[TEST - 1 : 255]
    last = run.isel(epoch=-1).sel(forecaster="repeat")
    assert float(last["level_r2"]) == pytest.approx(
        1 - np.mean((came - before) ** 2) / came.var(axis=0).mean(), rel=1e-5
    )
    assert float(last["move_r2"]) == 0
    assert float(last["shift_error"].sel(shift=1)) == 0
    assert float(last["shift_error"].sel(shift=0)) == pytest.approx(np.mean((came - before) ** 2), rel=1e-5)


def test_leader_and_rows_abreast_are_those_of_the_intervals(run):
    last = run.isel(epoch=-1)
    told = last["told"].to_series()
    first = measures.leader(last["told"])
    assert first == told.idxmin()
    low, high = (last[name].sel(rival=first).to_series() for name in ("difference_low", "difference_high"))
    abreast = [name for name in told.index if name != first and low[name] <= 0 <= high[name]]
    assert measures.abreast(last["told"], last["difference_low"], last["difference_high"]) == abreast
    signs = measures.order(last["difference_low"], last["difference_high"]).sel(rival=first)
    assert [name for name in told.index if float(signs.sel(forecaster=name)) == 0] == sorted(
        [*abreast, first], key=list(told.index).index
    )
