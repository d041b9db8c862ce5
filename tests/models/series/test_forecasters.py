"""Forecasters of windows: closed forms against numpy, networks against loops, and all of them alike in shape."""

import numpy as np
import pytest
import torch

from goldviz.models.series.forecasters.at_once import RIDGE, linear_map, repeat, seasonal_repeat
from goldviz.models.series.forecasters.layers import standardised
from goldviz.models.series.forecasters.linear_family import DLinear, NLinear, moving_average
from goldviz.models.series.forecasters.patches import Patches
from goldviz.models.series.forecasters.table import AT_ONCE, FORECASTERS, LEARNED
from goldviz.models.series.sliding_windows import SlidingWindows

LOOK_BACK, HORIZON = 12, 5


@pytest.fixture(scope="module")
def windows() -> SlidingWindows:
    values = np.random.default_rng(0).standard_normal((120, 3)).cumsum(axis=0)
    return SlidingWindows(values, LOOK_BACK, HORIZON)


def network(name, look_back=LOOK_BACK, horizon=HORIZON, channels=3):
    return FORECASTERS[name].build(look_back, horizon, channels, torch.Generator().manual_seed(1))


def test_windows_hold_what_stands_before_and_after_a_row(windows):
    rows = range(20, 25)
    for row, past, future in zip(rows, windows.past(rows), windows.future(rows), strict=True):
        np.testing.assert_array_equal(past.T, windows.values[row - LOOK_BACK : row])
        np.testing.assert_array_equal(future.T, windows.values[row : row + HORIZON])
    assert [row for part in windows.blocks(range(12, 90)) for row in part] == list(range(12, 90))


def test_repeats(windows):
    past = windows.past(range(30, 33))
    assert (repeat(windows, range(0), 4)(past) == past[..., -1:]).all()
    np.testing.assert_array_equal(seasonal_repeat(windows, range(0), 4)(past), past[..., [8, 9, 10, 11, 8]])


def test_least_squares_is_numpy_s(windows):
    rows = range(LOOK_BACK, 100)
    past, future = (np.asarray(one(rows)) for one in (windows.past, windows.future))
    last = past[..., -1:]
    x = np.concatenate([past - last, np.ones_like(last)], axis=-1).reshape(-1, LOOK_BACK + 1)
    ridge = np.sqrt(RIDGE * len(x)) * np.eye(LOOK_BACK, LOOK_BACK + 1)
    y = np.concatenate([(future - last).reshape(-1, HORIZON), np.zeros((LOOK_BACK, HORIZON))])
    expected = np.linalg.lstsq(np.concatenate([x, ridge]), y, rcond=None)[0]
    fitted = linear_map(windows, rows, 1)
    np.testing.assert_allclose(fitted.weights, expected[:-1], atol=1e-9)
    np.testing.assert_allclose(fitted.bias, expected[-1], atol=1e-9)


@pytest.mark.parametrize("name", AT_ONCE)
def test_no_forecast_without_training_reads_the_future(windows, name):
    changed = windows.values.copy()
    changed[60:] += 5
    forecasts = [
        FORECASTERS[name].build(one, range(LOOK_BACK, 50), 4)(one.past(range(58, 61)))
        for one in (windows, SlidingWindows(changed, LOOK_BACK, HORIZON))
    ]
    np.testing.assert_array_equal(*forecasts)


@pytest.mark.parametrize("name", LEARNED)
@pytest.mark.parametrize("look_back", [1, 12, 40])
def test_a_network_forecasts_every_step_of_every_channel(name, look_back):
    past = torch.randn(4, 3, look_back, generator=torch.Generator().manual_seed(0))
    one = network(name, look_back)
    assert one(past).shape == (4, 3, HORIZON)
    torch.testing.assert_close(one(past)[1:2], one(past[1:2]))
    assert all(parameter.grad is None for parameter in one.parameters())


@pytest.mark.parametrize("name", ["linear", "dlinear", "nlinear", "patches"])
def test_a_channel_s_forecast_is_its_own(name):
    past = torch.randn(2, 3, LOOK_BACK, generator=torch.Generator().manual_seed(0))
    changed = past.clone()
    changed[:, 0] += 1
    one = network(name)
    torch.testing.assert_close(one(past)[:, 1:], one(changed)[:, 1:])


def test_the_inverted_transformer_reads_other_channels_and_knows_no_order_of_them():
    past = torch.randn(2, 3, LOOK_BACK, generator=torch.Generator().manual_seed(0))
    one = network("inverted")
    assert not torch.allclose(one(past)[:, 1], one(torch.cat([past[:, :1].flip(-1), past[:, 1:]], dim=1))[:, 1])
    torch.testing.assert_close(one(past[:, [2, 0, 1]]), one(past)[:, [2, 0, 1]])


@pytest.mark.parametrize("name", ["nlinear", "patches", "inverted"])
def test_a_level_goes_through(name):
    past = torch.randn(2, 3, LOOK_BACK, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    one = network(name).double()
    torch.testing.assert_close(one(past + 100), one(past) + 100)


def test_dlinear_with_equal_maps_is_one_linear_map():
    one = DLinear(30, HORIZON, 1, torch.Generator().manual_seed(0)).double()
    one.average = one.average.double()
    one.rest.load_state_dict(one.trend.state_dict())
    past = torch.randn(2, 1, 30, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(one(past), one.trend(past) + one.trend.bias)


def test_the_moving_average_is_that_of_ends_repeated():
    values = np.random.default_rng(0).standard_normal(9)
    filled = np.concatenate([[values[0]] * 2, values, [values[-1]] * 2])
    expected = [filled[start : start + 5].mean() for start in range(9)]
    np.testing.assert_allclose(moving_average(9, kernel=5).numpy() @ values, expected, rtol=1e-6)


def test_nlinear_is_least_squares_form():
    one = NLinear(4, 2, 1, torch.Generator().manual_seed(0))
    past = torch.tensor([[[1.0, 2.0, 4.0, 3.0]]])
    weights, bias = one.map.weight, one.map.bias
    expected = 3 + weights @ torch.tensor([-2.0, -1.0, 1.0, 0.0]) + bias
    torch.testing.assert_close(one(past)[0, 0], expected)


def test_patches_are_cut_as_the_paper_cuts_them():
    one = Patches(336, 96, 7, torch.Generator().manual_seed(0))
    assert (one.fill, len(one.position)) == (0, 41)
    assert (Patches(100, 96, 7, torch.Generator().manual_seed(0)).fill, 336 % 8) == (4, 0)


def test_a_window_is_standardised_by_itself():
    past = torch.randn(2, 3, 50, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 7 + 3
    plain, mean, deviation = standardised(past)
    torch.testing.assert_close(plain * deviation + mean, past)
    torch.testing.assert_close(plain.mean(-1), torch.zeros(2, 3, dtype=torch.float64))
