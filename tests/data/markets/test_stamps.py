"""When a value was known, told from how a file stamps it: openings of bars, first days of periods, zones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import goldviz
from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import look_into, market_from_file
from goldviz.data.markets.joining import joined
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import END_OF_DAY, Market, MarketError, Release
from goldviz.data.markets.parquet import market_file, market_name, read_market
from goldviz.data.markets.release_words import release_words, written_release
from goldviz.data.markets.stamps import stamp_reading
from goldviz.diagnostics.forecasts.lookahead import columns_ahead
from tests.refusals import refused

NOW = pd.Timestamp("2026-11-20", tz="UTC")
DAYS = pd.bdate_range("2016-01-04", periods=120)
PRICES = (500 + np.cumsum(np.random.default_rng(0).normal(0, 4, 120))).round(2)


def market(content: str, choices: Choices | None = None) -> Market:
    return market_from_file(content.encode(), "gold.csv", choices or Choices(), retrieved=NOW)


def bars_by_opening(days: pd.DatetimeIndex = DAYS) -> str:
    """A bar of each day, stamped at its opening on the evening before."""
    rows = [f"{day - pd.Timedelta(days=1):%Y-%m-%d}T21:00:00Z,{price}" for day, price in zip(days, PRICES, strict=True)]
    return "\n".join(["time,close", *rows])


def bars_by_close() -> str:
    noise = np.random.default_rng(1).normal(0, 0.05, 120)
    rows = [f"{day:%Y-%m-%d},{price:.2f}" for day, price in zip(DAYS, PRICES + noise, strict=True)]
    return "\n".join(["Date,Close", *rows])


def test_bars_stamped_at_their_opening_count_a_day_later_and_say_so() -> None:
    found = market(bars_by_opening())
    assert found.target.release == Release("21:00", "UTC", days=1)
    assert found.target.observed.iloc[-1] == PRICES[-1]
    # The bar stamped on the evening of June 16 is that of June 17, when it is known.
    assert found.target.release.moments(found.target.observed.index[-1:])[0] == pd.Timestamp("2016-06-17 21:00Z")
    sentence = (
        "None are dated on a Friday, and 24 on Sundays, so stamps may be the openings of bars. "
        "Values count from 21:00 UTC, next day."
    )
    assert sentence in look_into(bars_by_opening().encode(), "gold.csv").notes
    assert sentence in found.notes[found.target.name]


def test_joined_with_the_same_market_by_its_close_nothing_tells_the_next_move() -> None:
    def links(first: Market, second: Market) -> list[str]:
        both = joined([first, second])
        panel = aligned(both)
        kinds = [channel.transformation for channel in both.channels]
        return [link.channel for link in columns_ahead(panel, kinds, next_values(panel, "return"))]

    opening, close = market(bars_by_opening()), market(bars_by_close())
    assert links(close, opening) == links(opening, close) == []
    # Taken for known on the days that they are dated by, they tell all of it.
    wrong = market(bars_by_opening(), Choices(releases={"close": END_OF_DAY}))
    assert links(close, wrong) == ["close"]
    assert "openings" not in str(wrong.notes)


def test_a_known_symbol_s_hours_hold_unless_its_bars_are_stamped_at_their_opening() -> None:
    hours = Choices(symbols={"close": "GC=F"})
    assert market(bars_by_opening(), hours).target.release == Release("21:00", "UTC", days=1)
    assert market(bars_by_opening(DAYS + pd.Timedelta(days=1)), hours).target.release.clock == "13:30"


@pytest.mark.parametrize(
    ("days", "period", "known"),
    [
        (pd.date_range("2016-01-01", periods=40, freq="MS"), "month", "2016-02-29 23:59Z"),
        (pd.date_range("2016-01-01", periods=40, freq="QS"), "quarter", "2016-06-30 23:59Z"),
        (pd.date_range("1980-01-01", periods=40, freq="YS"), "year", "1981-12-31 23:59Z"),
        (pd.date_range("2016-01-04", periods=40, freq="W-MON"), "week", "2016-01-17 23:59Z"),
        (pd.date_range("2016-01-01", periods=40, freq="ME"), "", "2016-02-29 23:59Z"),
        (pd.date_range("2016-01-08", periods=40, freq="W-FRI"), "", "2016-01-15 23:59Z"),
    ],
)
def test_a_period_dated_by_its_first_day_is_known_at_its_end(days: pd.DatetimeIndex, period: str, known: str) -> None:
    rows = [f"{day:%Y-%m-%d},{price}" for day, price in zip(days, PRICES, strict=False)]
    found = market("\n".join(["Date,Close", *rows]))
    release = found.target.release
    assert release.period == period
    assert release.moments(days[1:2])[0] == pd.Timestamp(known)
    note = f"Dated by the first day of their {period}, values count from its end."
    assert (note in found.notes[found.target.name]) == bool(period)
    # What is kept comes back as it was.
    assert read_market(market_file(found)).target.release == release


def test_days_of_a_zone_behind_utc_are_over_on_the_next_morning() -> None:
    def rows(zone: str) -> str:
        return "\n".join(["Date,Close", *(f"{day:%Y-%m-%d} 00:00:00{zone},5.{day.day}" for day in DAYS)])

    found = market(rows("-05:00"))
    assert found.target.release == Release("04:59", "UTC", days=1)
    assert found.target.observed.index[0] == DAYS[0]
    assert "known at 04:59 UTC, next day" in found.notes[found.target.name]
    assert market(rows("+02:00")).target.release == END_OF_DAY


@pytest.mark.parametrize(
    ("days", "clock"),
    [
        (DAYS, 0),
        (DAYS, 16 * 3600),
        (pd.date_range("2016-01-04", periods=90), 0),
        (pd.DatetimeIndex([day for day in pd.date_range("2016-01-02", periods=70) if day.day_of_week != 4]), 0),
        (DAYS[:9] - pd.Timedelta(days=1), 21 * 3600),
        # Numbers that are out on the afternoon of the first.
        (pd.date_range("2016-01-01", periods=40, freq="MS"), 15 * 3600 + 900),
    ],
)
def test_other_weeks_say_nothing_of_openings(days: pd.DatetimeIndex, clock: int) -> None:
    assert stamp_reading(days, clock).release == END_OF_DAY


def test_a_release_after_a_period_is_said_and_written_in_the_same_words() -> None:
    release = Release("10:00", "Europe/London", days=12, business_days=0, period="month")
    assert release_words(Release("23:59", "UTC", period="quarter")) == "23:59 UTC, end of quarter"
    for one in (release, Release("14:30", "America/New_York", period="week")):
        assert written_release(release_words(one)).period == one.period
    assert written_release("10:00 London, end of month, 12 days later").days == 12
    with refused(MarketError, "not_allowed", "end of decade", "end of month"):
        written_release("10:00 London, end of decade")


def test_markets_without_periods_keep_the_names_that_they_had() -> None:
    assert market_name(market(bars_by_close())) == "138cc97327f405b6"


def test_a_notebook_says_when_values_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    file = tmp_path / "gold.csv"
    file.write_text(bars_by_opening())
    assert load_market(goldviz.market(file)).target.release.days == 1
    name = goldviz.market(file, releases={"close": "17:00 New York"})
    assert load_market(name).target.release == Release("17:00", "America/New_York")
    with refused(MarketError, "not_allowed", "'soon'"):
        goldviz.market(file, releases={"close": "soon"})
