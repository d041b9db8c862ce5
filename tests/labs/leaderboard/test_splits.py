"""Parts of a series, what they have room for, and how channels are standardised."""

import numpy as np
import pytest

from goldviz.labs.leaderboard.multivariate import MultivariateSeries, SeriesError, checked_values
from goldviz.labs.leaderboard.public_characters import SIMULATED_SERIES
from goldviz.labs.leaderboard.splits import SPLITS, Parts, Scaling, parts_of
from tests.refusals import refused


def series_of(values) -> MultivariateSeries:
    names = tuple(f"c{number}" for number in range(np.shape(values)[1]))
    return MultivariateSeries(names, np.asarray(values, float), "row", "test")


def test_the_published_parts():
    assert SPLITS["months-hourly"].parts(17_420) == Parts(8640, 11_520, 14_400)
    assert SPLITS["70-10-20"].parts(7588) == Parts(5311, 6071, 7588)
    assert len(SPLITS["70-10-20"].parts(7588).tested(720)) == 798


@pytest.mark.parametrize("split", SPLITS)
def test_windows_lie_in_their_part(split):
    parts = parts_of(split, 60_000, 96, 24)
    for rows, start, end in (
        (parts.training(96, 24), 0, parts.train),
        (parts.validation(24), parts.train, parts.test),
        (parts.tested(24), parts.test, parts.end),
    ):
        assert start <= rows[0]
        assert rows[-1] + 24 == end
    assert parts.training(96, 24)[0] == 96


@pytest.mark.parametrize(
    ("asked", "code", "fact"),
    [
        (("months-hourly", 5000, 96, 24), "too_short", "takes 14,400 rows; the series has 5,000"),
        (("70-10-20", 2, 1, 1), "too_short", "2 rows, none of them in the test part"),
        (("70-10-20", 100, 8, 21), "not_allowed", "Horizon is 21; the test part of 100 rows has 20"),
        (("60-20-20", 100, 50, 20), "not_allowed", "Look-back is 50 and horizon 20; the training part has 60 rows"),
    ],
)
def test_what_has_no_room_is_said(asked, code, fact):
    with refused(SeriesError, code, fact):
        parts_of(*asked)


def test_a_constant_channel_and_a_gap_are_named():
    values = np.random.default_rng(0).standard_normal((20, 2))
    values[:10, 1] = 4
    with refused(SeriesError, "constant", "Channel c1 is 4 in all of the first 10 rows"):
        Scaling.of(series_of(values), 10)
    values[3, 0] = np.nan
    with refused(SeriesError, "not_finite", "Channel c0 ", "row 4;"):
        checked_values(series_of(values))


def test_standardised_values_have_mean_0_and_deviation_1_in_the_training_part():
    values = np.random.default_rng(1).normal(3, 5, (50, 3))
    scaled = Scaling.of(series_of(values), 30).applied(values)[:30]
    np.testing.assert_allclose([scaled.mean(axis=0), scaled.std(axis=0)], [[0] * 3, [1] * 3], atol=1e-12)


@pytest.mark.parametrize("name", SIMULATED_SERIES)
def test_a_longer_series_and_one_of_more_channels_begin_alike(name):
    simulated = SIMULATED_SERIES[name]
    np.testing.assert_array_equal(simulated(300, 3, 5).values[:200], simulated(200, 3, 5).values)
    assert not np.allclose(simulated(50, 2, 5).values, simulated(50, 2, 6).values)


def test_exchange_rates_have_no_memory_and_load_has_a_day():
    moves = np.diff(SIMULATED_SERIES["exchange"](20_000, 2, 0).values, axis=0)
    for lag in (1, 2, 5):
        assert abs(np.corrcoef(moves[lag:, 0], moves[:-lag, 0])[0, 1]) < 3 / np.sqrt(20_000)
    load = SIMULATED_SERIES["load"](2000, 1, 0).values[:, 0]
    assert np.mean((load[24:] - load[:-24]) ** 2) < 0.3 * np.mean((load[12:] - load[:-12]) ** 2)
