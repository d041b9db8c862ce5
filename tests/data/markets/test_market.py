"""Markets, channels and release times hold what they promise."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.market import END_OF_DAY, Channel, Market, MarketError, Release
from goldviz.data.markets.symbols import COMEX_SETTLEMENT, PUBLISHED, SYMBOLS, described
from tests.refusals import refused

NOW = pd.Timestamp("2026-11-20", tz="UTC")
ALL_KNOWN = {**SYMBOLS, **PUBLISHED}


def series(values, first="2024-01-01"):
    return pd.Series(values, pd.date_range(first, periods=len(values)), dtype="float64")


def channel(values, transformation="log_return", name="gold"):
    return Channel(name, name.capitalize(), series(values), transformation)


@pytest.mark.parametrize(
    ("release", "date", "moment"),
    [
        (COMEX_SETTLEMENT, "2024-07-01", "2024-07-01T17:30"),
        (COMEX_SETTLEMENT, "2024-01-02", "2024-01-02T18:30"),
        (Release("16:15", "America/New_York", days=7), "2024-03-04", "2024-03-11T20:15"),
        (Release("00:00", "Asia/Tokyo"), "2024-07-02", "2024-07-01T15:00"),
        (END_OF_DAY, "2024-07-01", "2024-07-01T23:59"),
    ],
)
def test_a_release_is_a_moment_in_its_zone(release, date, moment):
    assert release.moments(pd.DatetimeIndex([date]))[0] == pd.Timestamp(moment, tz="UTC")


def test_an_hour_that_comes_twice_counts_as_the_later_one_and_a_skipped_one_moves_on():
    twice = Release("01:30", "America/New_York").moments(pd.DatetimeIndex(["2024-11-03"]))
    assert twice[0] == pd.Timestamp("2024-11-03T06:30", tz="UTC")
    skipped = Release("02:30", "America/New_York").moments(pd.DatetimeIndex(["2024-03-10"]))
    assert skipped[0] == pd.Timestamp("2024-03-10T07:00", tz="UTC")


@given(st.sampled_from([*ALL_KNOWN.values()]), st.lists(st.integers(0, 20_000), min_size=2, max_size=40, unique=True))
def test_later_days_are_released_later(symbol, days):
    moments = symbol.release.moments(pd.DatetimeIndex(np.sort(days).astype("datetime64[D]").astype("datetime64[s]")))
    assert moments.is_monotonic_increasing
    # What is dated on a weekend is published with the next working day's values.
    assert moments.is_unique or symbol.release.business_days is not None


def test_increments_are_taken_between_the_values_that_there_are():
    values = [100.0, np.nan, 110.0, 99.0]
    days = series(values).index
    returns = channel(values).increments()
    assert list(returns.index) == [days[2], days[3]]
    assert returns.to_numpy() == pytest.approx([np.log(1.1), np.log(0.9)], abs=1e-15)
    assert channel(values, "difference").increments().tolist() == [10.0, -11.0]
    assert channel(values, "level").increments().tolist() == [100.0, 110.0, 99.0]


@given(st.lists(st.floats(0.01, 1e6) | st.just(np.nan), min_size=1, max_size=30))
def test_returns_and_differences_add_up_to_the_levels(values):
    observed = channel(values).observed.to_numpy()
    if len(observed) > 0:
        returns = channel(values).increments().to_numpy()
        assert np.exp(returns.cumsum()) * observed[0] == pytest.approx(observed[1:], rel=1e-12)
        differences = channel(values, "difference").increments().to_numpy()
        # 1e6 is the largest level, and 30 roundings at its size come to less.
        assert differences.cumsum() + observed[0] == pytest.approx(observed[1:], abs=1e-8)


def test_a_log_return_of_a_price_below_zero_is_refused_with_its_date():
    oil = Channel("CL=F", "Crude oil", series([18.27, -37.63, 10.01], "2020-04-17"), "log_return")
    with refused(MarketError, "not_positive", "Crude oil", "-37.63 on 2020-04-18"):
        oil.increments()


@pytest.mark.parametrize(
    ("index", "code"),
    [
        (pd.RangeIndex(2), "bad_date"),
        (pd.date_range("2024-01-01", periods=2, tz="UTC"), "bad_date"),
        (pd.DatetimeIndex(["2024-01-01 10:00", "2024-01-02"]), "bad_date"),
        (pd.DatetimeIndex(["2024-01-02", "2024-01-01"]), "not_ascending"),
        (pd.DatetimeIndex(["2024-01-01", "2024-01-01"]), "not_ascending"),
    ],
)
def test_dates_that_are_none_or_out_of_order_are_refused(index, code):
    with refused(MarketError, code, "gold"):
        Channel("gold", "Gold", pd.Series([1.0, 2.0], index), "level")


def test_a_channel_is_finite():
    with refused(MarketError, "not_finite", "Gold"):
        channel([1.0, np.inf])


def test_a_market_knows_its_target_and_its_last_day():
    gold, silver = channel([1.0, 2.0, np.nan]), channel([3.0, 4.0, 5.0], name="silver")
    market = Market((gold, silver), "file", "a file", NOW)
    assert market.target is gold
    assert market.last == pd.Timestamp("2024-01-02")
    assert market.channel("silver") is silver
    assert market.only(["silver", "gold"]).target is silver
    assert not market.simulated
    assert Market((gold,), "simulated", "made up", NOW).simulated


def test_markets_that_cannot_be_are_refused():
    gold = channel([1.0, 2.0])
    with refused(MarketError, "empty"):
        Market((), "file", "a file", NOW)
    with refused(MarketError, "twice", "gold, gold"):
        Market((gold, gold), "file", "a file", NOW)
    with refused(MarketError, "not_offered", "'silver'", "gold"):
        Market((gold,), "file", "a file", NOW).channel("silver")
    with refused(MarketError, "no_values", "Gold"):
        _ = Market((channel([np.nan]),), "file", "a file", NOW).last


def test_every_known_symbol_can_be_used():
    assert next(iter(SYMBOLS)) == "GC=F"
    assert not set(SYMBOLS) & set(PUBLISHED)
    for name, known in ALL_KNOWN.items():
        assert described(name) is known
        released = known.release.moments(pd.DatetimeIndex(["2024-07-01"]))[0]
        # No value is out before its own day has begun at the market.
        assert released >= pd.Timestamp("2024-07-01", tz=known.release.zone)


def test_an_unknown_symbol_is_read_as_a_price_known_at_the_end_of_its_day():
    unknown = described("PLATINUM")
    assert (unknown.words, unknown.transformation, unknown.release) == ("PLATINUM", "log_return", END_OF_DAY)


@pytest.mark.parametrize(
    ("series", "day", "known"),
    [
        ("DGS10", "2024-05-23", "2024-05-24"),  # Thursday
        ("DGS10", "2024-05-24", "2024-05-28"),  # the Friday before Memorial Day
        ("DTWEXBGS", "2024-05-13", "2024-05-20"),
        ("DTWEXBGS", "2024-05-20", "2024-05-28"),  # a week later is Memorial Day
    ],
)
def test_published_series_wait_for_the_next_working_day(series: str, day: str, known: str) -> None:
    [moment] = described(series).release.moments(pd.DatetimeIndex([day]))
    assert f"{moment.tz_convert('America/New_York'):%Y-%m-%d}" == known
