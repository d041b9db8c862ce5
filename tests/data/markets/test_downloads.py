"""A market from a loopback Yahoo: what is kept, what is asked again, and what is said about what is missing."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets import downloads
from goldviz.data.markets.downloads import download
from goldviz.data.markets.kept_markets import keep, kept, load_market
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.yahoo_faults import DownloadError
from tests.data.markets.fake_yahoo import FakeYahoo
from tests.refusals import refused

START = date(2024, 1, 1)
NOW = pd.Timestamp("2026-03-02 09:30:15.5", tz="UTC")
SHOWN = "shown is the download of 2026-03-02 09:30 UTC"
TOO_OFTEN = "Yahoo refuses because it was asked too often (429)"


@pytest.fixture
def yahoo(monkeypatch, tmp_path):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    monkeypatch.setattr(downloads, "utc_now", lambda: NOW)
    with FakeYahoo() as server:
        monkeypatch.setenv("GOLDVIZ_YAHOO", server.address)
        yield server


@pytest.fixture
def never_fresh(monkeypatch):
    monkeypatch.setattr(downloads, "FRESH", pd.Timedelta(0))


@pytest.fixture
def unreachable(yahoo, monkeypatch):
    """A port on which nothing listens, to set when the network should go."""
    with FakeYahoo() as gone:
        return lambda: monkeypatch.setenv("GOLDVIZ_YAHOO", gone.address)


def test_the_target_comes_first_and_the_market_says_where_it_is_from(yahoo):
    market = download(["si=f", "^VIX", "GC=F", "SI=F"], start=START)
    assert [channel.name for channel in market.channels] == ["SI=F", "^VIX", "GC=F"]
    assert market.target.name == "SI=F"
    assert (market.source, market.origin, market.notes) == ("yahoo", "Yahoo Finance", {})
    assert market.retrieved == NOW.floor("s")
    for channel in market.channels:
        served = yahoo.series[channel.name].loc["2024":]
        assert channel.values.index[0] == served.index[0]
        np.testing.assert_allclose(channel.values, served.iloc[: len(channel.values)], rtol=1e-12)


def test_a_downloaded_market_can_be_kept_beside_the_downloads(yahoo):
    market = download(["GC=F", "SI=F"], start=START)
    name = keep(market)
    assert [found.name for found in kept()] == [name]
    pd.testing.assert_series_equal(load_market(name).target.values, market.target.values, check_freq=False)


def test_each_symbol_is_announced_and_the_end_too(yahoo):
    told = []
    download(["GC=F", "SI=F"], start=START, progress=lambda *state: told.append(state))
    assert told == [(0, 2, "GC=F"), (1, 2, "SI=F"), (2, 2, "SI=F")]


def test_a_download_that_is_cancelled_keeps_what_it_has(yahoo):
    class CancelledError(Exception):
        pass

    def cancel(done, total, symbol):
        if done == 1:
            raise CancelledError

    with pytest.raises(CancelledError):
        download(["GC=F", "SI=F", "^VIX"], start=START, progress=cancel)
    assert set(yahoo.asked) == {"GC=F"}
    yahoo.asked.clear()
    download(["GC=F", "SI=F"], start=START)
    assert set(yahoo.asked) == {"SI=F"}


def test_visitors_who_want_the_same_symbols_at_once_cause_one_download(yahoo):
    with ThreadPoolExecutor(4) as visitors:
        markets = list(visitors.map(lambda _: download(["GC=F", "SI=F"], start=START), range(4)))
    for market, other in pairwise(markets):
        pd.testing.assert_series_equal(market.target.values, other.target.values)
    # A download asks for the time zone once, and for the prices.
    assert all(1 <= yahoo.asked.count(symbol) <= 2 for symbol in ("GC=F", "SI=F"))


@pytest.mark.parametrize("start", [date(2024, 1, 1), date(2010, 6, 1), date(1960, 1, 1)])
def test_a_fresh_download_serves_any_start_without_asking_again(yahoo, start):
    download(["GC=F"], start=START)
    yahoo.asked.clear()
    values = download(["GC=F"], start=start).target.values
    assert yahoo.asked == []
    assert values.index[0] == yahoo.series["GC=F"].loc[pd.Timestamp(start) :].index[0]


def test_what_is_not_fresh_is_asked_for_again(yahoo, never_fresh):
    download(["GC=F"], start=START)
    yahoo.series["GC=F"] = 2 * yahoo.series["GC=F"]
    yahoo.asked.clear()
    market = download(["GC=F"], start=START)
    assert set(yahoo.asked) == {"GC=F"}
    served = yahoo.series["GC=F"].loc["2024":]
    np.testing.assert_allclose(market.target.values, served.iloc[: len(market.target.values)], rtol=1e-12)


def test_a_download_from_the_future_is_not_fresh(yahoo):
    """A clock that was set back must not keep a symbol from being asked for again."""
    market = download(["GC=F"], start=START)
    [path] = downloads.DOWNLOADS.path("").parent.iterdir()
    ahead = downloads.Market(market.channels, "yahoo", "Yahoo Finance", NOW.floor("s") + pd.Timedelta(days=2))
    path.write_bytes(downloads.market_file(ahead))
    yahoo.asked.clear()
    assert download(["GC=F"], start=START).retrieved == NOW.floor("s")
    assert set(yahoo.asked) == {"GC=F"}


def test_one_symbol_that_is_refused_is_left_out_with_a_note(yahoo):
    yahoo.faults["SI=F"] = "429"
    market = download(["GC=F", "SI=F", "^VIX"], start=START)
    assert [channel.name for channel in market.channels] == ["GC=F", "^VIX"]
    assert market.notes == {"SI=F": f"SI=F: {TOO_OFTEN}; the channel is left out."}


@pytest.mark.parametrize("symbol", ["GC=F", "SI=F"])
def test_the_last_good_download_is_shown_in_place_of_a_failure(yahoo, never_fresh, symbol):
    first = download(["GC=F", "SI=F"], start=START)
    yahoo.faults[symbol] = "429"
    yahoo.series = {name: 2 * series for name, series in yahoo.series.items()}
    second = download(["GC=F", "SI=F"], start=START)
    assert second.notes == {symbol: f"{symbol}: {TOO_OFTEN}; {SHOWN}."}
    for name in ("GC=F", "SI=F"):
        factor = 1 if name == symbol else 2
        now, before = second.channel(name), first.channel(name)
        np.testing.assert_allclose(now.values, factor * before.values, rtol=1e-12)
        assert (now.words, now.transformation, now.release) == (before.words, before.transformation, before.release)
    yahoo.faults.clear()
    assert download(["GC=F", "SI=F"], start=START).notes == {}


def test_a_target_that_cannot_be_had_ends_it_with_all_reasons(yahoo):
    yahoo.faults |= {"GC=F": "429", "SI=F": "maintenance"}
    with refused(DownloadError, "busy", "GC=F: ", "SI=F: ", "GC=G: ") as caught:
        download(["GC=F", "^VIX", "SI=F", "GC=G"], start=START)
    assert [(one.symbol, one.code) for one in caught.value.others] == [("SI=F", "busy"), ("GC=G", "not_offered")]


def test_without_a_network_yahoo_is_tried_once_and_the_rest_comes_from_disk(
    yahoo, never_fresh, unreachable, monkeypatch
):
    download(["GC=F", "SI=F"], start=START)
    tried = []

    def counted(symbol, **options):
        tried.append(symbol)
        return fetch(symbol, **options)

    fetch = downloads.fetch
    monkeypatch.setattr(downloads, "fetch", counted)
    unreachable()
    market = download(["GC=F", "SI=F", "^VIX"], start=START)
    unreached = "Yahoo cannot be reached from this machine"
    assert market.notes == {
        "GC=F": f"GC=F: {unreached}; {SHOWN}.",
        "SI=F": f"SI=F: {unreached}; {SHOWN}.",
        "^VIX": "^VIX: Yahoo cannot be reached from this machine; the channel is left out.",
    }
    assert tried == ["GC=F"]


@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: old[: len(old) // 2], lambda old: old[:-1] + b"\0"])
def test_a_damaged_download_is_as_good_as_none(yahoo, damage):
    market = download(["GC=F"], start=START)
    [path] = downloads.DOWNLOADS.path("").parent.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    again = download(["GC=F"], start=START)
    pd.testing.assert_series_equal(again.target.values, market.target.values)
    path.write_bytes(b"")
    yahoo.faults["GC=F"] = "maintenance"
    with refused(DownloadError, "busy", "GC=F"):
        download(["GC=F"], start=START)


def test_a_download_that_cannot_be_kept_is_shown_with_a_note(yahoo, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "file"))
    market = download(["GC=F"], start=START)
    where = tmp_path / "file" / "downloads"
    assert market.notes == {"GC=F": f"GC=F: the download could not be kept in {where} (Not a directory)."}
    assert len(market.target.observed) > 500


def test_a_series_that_ended_before_the_start_is_left_out(yahoo):
    yahoo.series["SI=F"] = yahoo.series["SI=F"].loc[:"2020"]
    market = download(["GC=F", "SI=F"], start=START)
    assert market.notes == {
        "SI=F": "SI=F: Yahoo has no prices for these dates, and the symbol may be delisted; the channel is left out."
    }


def test_prices_below_zero_are_noted_also_when_they_come_from_disk(yahoo):
    yahoo.series["SPREAD"] = yahoo.series["SI=F"] - yahoo.series["SI=F"].mean()
    for _ in range(2):
        market = download(["GC=F", "SPREAD"], start=START)
        assert market.channel("SPREAD").transformation == "difference"
        assert market.notes == {"SPREAD": "SPREAD goes to zero or below: we use changes."}
    assert yahoo.asked.count("SPREAD") <= 2


def test_only_the_last_symbols_are_kept(yahoo, monkeypatch):
    monkeypatch.setattr(downloads, "DOWNLOADS", replace(downloads.DOWNLOADS, budget=1))
    download(["GC=F", "SI=F"], start=START)
    assert [path.name for path in downloads.DOWNLOADS.path("").parent.iterdir()] == ["yahoo SI=F.parquet"]


@pytest.mark.parametrize(
    ("symbols", "start", "code", "fact"),
    [
        ([], START, "empty", "symbol"),
        (["GC=F"], date(1900, 1, 1), "not_allowed", "1900-01-01; allowed is a day from 1960-01-01"),
        (["GC=F"], date(2999, 1, 1), "not_allowed", "2999-01-01; allowed is a day from 1960-01-01"),
        (["GC=F", "a b"], START, "not_allowed", "'a b'"),
    ],
)
def test_what_is_out_of_bounds_is_refused_before_anything_is_asked(yahoo, symbols, start, code, fact):
    with refused(MarketError, code, fact):
        download(symbols, start=start)
    assert yahoo.asked == []
