"""Several files become one market: nothing is lost, filled in or looked ahead for, and what never meets is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets import calendars as calendars_module
from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.calendars import calendars
from goldviz.data.markets.joining import joined
from goldviz.data.markets.market import Channel, Market, MarketError, Release
from goldviz.data.markets.simulated import simulated_market
from tests.refusals import refused

NOW = pd.Timestamp("2026-11-20", tz="UTC")


def market(origin: str, days: pd.DatetimeIndex, name: str = "Close", clock: str = "13:30") -> Market:
    values = pd.Series(np.arange(1.0, len(days) + 1), days)
    channel = Channel(name, name, values, "log_return", Release(clock, "UTC"))
    return Market((channel,), "file", origin, NOW, {name: f"A note on {origin}."})


GOLD = market("gold.csv", pd.bdate_range("2024-01-01", periods=100))
COIN = market("coin.csv", pd.date_range("2024-02-01", periods=100), clock="18:00")
RATE = market("rate.csv", pd.date_range("2024-01-05", periods=12, freq="7D"), "Rate")


def test_every_channel_keeps_its_days_values_release_and_notes() -> None:
    found = joined([GOLD, COIN, RATE])
    assert [channel.name for channel in found.channels] == ["Close", "Close (coin)", "Rate"]
    assert found.origin == "gold.csv, coin.csv and rate.csv"
    for channel, source in zip(found.channels, (GOLD, COIN, RATE), strict=True):
        pd.testing.assert_series_equal(channel.values, source.target.values)
        assert channel.release == source.target.release
        assert found.notes[channel.name] == f"A note on {source.origin}."


def test_joined_channels_meet_by_release_and_never_look_ahead() -> None:
    panel = aligned(joined([GOLD, COIN]))
    for row, moment in enumerate(panel.moments):
        seen = COIN.target.observed
        known = seen.loc[COIN.target.release.moments(pd.DatetimeIndex(seen.index)) <= moment]
        told = panel.values[: row + 1, 1]
        assert np.nansum(told) == pytest.approx(np.log(known.iloc[-1]) - np.log(known.iloc[0]) if len(known) else 0)


def test_calendars_say_rhythm_gaps_and_what_is_shared() -> None:
    found = calendars(joined([GOLD, COIN, RATE]))
    assert [calendar.rhythm for calendar in found.values()] == ["weekdays", "every day", "about every 7 days"]
    assert found["Close"].shared(found["Close (coin)"]) == len(
        GOLD.target.values.index.intersection(COIN.target.values.index)
    )
    assert (found["Rate"].longest_gap, found["Rate"].gap_ends) == (7.0, "2024-01-12")


def test_what_never_overlaps_and_what_is_simulated_is_refused() -> None:
    early = market("old.csv", pd.bdate_range("2010-01-01", periods=40), "Old")
    with refused(MarketError, "no_overlap", "Old (old)", "2010-01-01"):
        joined([GOLD, early])
    for first in (GOLD.target.values.index[-1], GOLD.target.values.index[0] - pd.Timedelta(days=39)):
        touching = market("touching.csv", pd.date_range(first, periods=40))
        assert len(joined([GOLD, touching]).channels) == 2, "a day in common is enough"
    with refused(MarketError, "simulated"):
        joined([GOLD, simulated_market(0)])
    assert joined([GOLD]) is GOLD
    assert len(joined([GOLD, GOLD, GOLD]).channels) == 3
    assert joined([replace(GOLD, source="yahoo"), GOLD]).source == "file"


@pytest.mark.parametrize(("weekend_days", "rhythm"), [(1, "weekdays"), (2, "every day")])
def test_every_day_has_more_than_one_value_in_seven_on_weekends(weekend_days: int, rhythm: str) -> None:
    weekdays = pd.bdate_range("2024-01-01", periods=7 - weekend_days)
    days = weekdays.append(pd.date_range("2024-01-06", periods=weekend_days)).sort_values()
    assert calendars_module.ChannelCalendar(days.to_numpy().astype("datetime64[D]")).rhythm == rhythm
