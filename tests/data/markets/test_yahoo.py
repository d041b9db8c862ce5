"""The real yfinance client against a loopback Yahoo: what comes back, and what is said when it goes wrong."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets import yahoo as yahoo_module
from goldviz.data.markets.market import END_OF_DAY, MarketError
from goldviz.data.markets.symbols import SYMBOLS
from goldviz.data.markets.yahoo import fetch, valid_symbol
from goldviz.data.markets.yahoo_faults import DownloadError
from goldviz.data.markets.yahoo_session import YahooSession
from tests.data.markets.fake_yahoo import FakeYahoo, walk
from tests.places import ROOT
from tests.refusals import refused

START = date(2024, 1, 1)


def forget_time_zones():
    """yfinance asks for a symbol's time zone once, so a symbol that was asked for before fails in another place."""
    from yfinance.cache import get_tz_cache

    for symbol in (*SYMBOLS, "GC=G", "QQQQQQ", "N225", "SPREAD"):
        get_tz_cache().store(symbol, None)


@pytest.fixture
def yahoo(monkeypatch, tmp_path_factory):
    # yfinance stays with its first folder, which must outlive the test that came first.
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path_factory.getbasetemp() / "yahoo"))
    with FakeYahoo() as server:
        monkeypatch.setenv("GOLDVIZ_YAHOO", server.address)
        yield server


def refused_download(code, *facts, symbol="GC=F", everywhere=False, **options):
    with refused(DownloadError, code, f"{symbol}: ", *facts) as caught:
        fetch(symbol, start=START, **options)
    assert caught.value.everywhere == everywhere


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_closes_come_as_naive_days_of_the_exchange_with_the_gaps_that_yahoo_lists(yahoo, symbol):
    channel = fetch(symbol, start=START, end=date(2025, 7, 2))
    expected = yahoo.series[symbol].loc["2024-01-01":"2025-07-01"]
    pd.testing.assert_series_equal(channel.values, expected, check_freq=False, check_index_type=False, rtol=1e-12)
    assert channel.values.isna().sum() == expected.isna().sum() > 0
    assert channel.values.index.tz is None
    about = SYMBOLS[symbol]
    assert (channel.name, channel.words, channel.unit) == (symbol, about.words, about.unit)
    assert (channel.transformation, channel.release) == (about.transformation, about.release)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Pacific/Auckland", "America/Sao_Paulo", "Europe/London"])
def test_days_are_those_of_the_exchange_wherever_it_is(yahoo, zone):
    # Tokyo's midnight is still the day before in UTC; in these years Sao Paulo's clocks skipped midnight.
    days = pd.date_range("2016-01-01", "2018-12-31")
    yahoo.series["N225"] = expected = pd.Series(np.arange(1.0, len(days) + 1), days)
    yahoo.zones["N225"] = zone
    forget_time_zones()
    channel = fetch("N225", start=date(2016, 1, 1), end=date(2019, 1, 1))
    pd.testing.assert_series_equal(channel.values, expected, check_freq=False, check_index_type=False)
    assert (channel.words, channel.release) == ("N225", END_OF_DAY)


@pytest.mark.parametrize(
    ("symbol", "moment", "last"),
    [
        ("GC=F", "2025-01-08 18:29", "2025-01-07"),
        ("GC=F", "2025-01-08 18:30", "2025-01-08"),
        ("N225", "2025-01-08 23:58", "2025-01-07"),
        ("N225", "2025-01-08 23:59", "2025-01-08"),
        ("N225", "2025-01-09 00:00", "2025-01-08"),
    ],
)
def test_without_an_end_the_days_go_up_to_the_last_that_is_over(yahoo, monkeypatch, symbol, moment, last):
    yahoo.series["N225"] = pd.Series(range(1, 7), pd.bdate_range("2025-01-03", periods=6), float)
    forget_time_zones()
    monkeypatch.setattr(yahoo_module, "utc_now", lambda: pd.Timestamp(moment, tz="UTC"))
    assert fetch(symbol, start=START).values.index[-1] == pd.Timestamp(last)


def test_unsorted_days_are_sorted(yahoo):
    orderly = walk("GC=F", last="2025-12-31").loc["2024":]
    yahoo.series["GC=F"] = orderly.sample(frac=1, random_state=1)
    values = fetch("GC=F", start=START, end=date(2026, 1, 1)).values
    pd.testing.assert_series_equal(values, orderly, check_freq=False, check_index_type=False, rtol=1e-12)


def test_of_several_prices_for_a_day_one_stays_and_on_the_latest_day_it_is_the_last(yahoo):
    days = pd.DatetimeIndex(["2024-01-02", "2024-01-03", "2024-01-03", "2024-01-04", "2024-01-05", "2024-01-05"])
    yahoo.series["GC=F"] = pd.Series([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], days)
    values = fetch("GC=F", start=START).values
    assert list(values.index) == list(days.unique())
    assert list(values) == [1.0, 2.0, 4.0, 6.0]


def test_values_that_are_not_finite_count_as_missing(yahoo):
    yahoo.series["GC=F"] = pd.Series([1.0, np.inf, 3.0], pd.date_range("2024-01-02", periods=3))
    np.testing.assert_array_equal(fetch("GC=F", start=START).values, [1.0, np.nan, 3.0])


def test_an_unknown_symbol_below_zero_is_seen_as_differences(yahoo):
    days = pd.date_range("2024-01-02", periods=3)
    yahoo.series |= {"SPREAD": pd.Series([1.0, -0.5, 2.0], days), "N225": pd.Series([1.0, 0.5, 2.0], days)}
    assert fetch("SPREAD", start=START).transformation == "difference"
    assert fetch("N225", start=START).transformation == "log_return"


FAULTS = {
    "429": ("busy", "429"),
    "401": ("bad_answer", "401: Invalid Crumb"),
    "404": ("not_offered", "404"),
    "500": ("bad_answer", "500: backend failure"),
    "500 page": ("bad_answer", "(500)"),
    "maintenance": ("busy", "maintenance"),
    "page": ("bad_answer", "a web page"),
    "other json": ("bad_answer", "cannot be read"),
    "unfinished": ("bad_answer", "cannot be read"),
    "cut": ("no_answer", "broke off"),
    "hang up": ("no_answer", "broke off"),
    "reset": ("no_answer", "broke off"),
    "empty": ("no_values", "these dates"),
    "no rows": ("no_values", "these dates"),
    "delisted": ("no_values", "these dates"),
    "no prices": ("no_values", "30 days"),
}


ASKED_BEFORE = {"429", "404", "cut", "empty"}
"""Faults that are also tried when the time zone is known: then prices are what fails."""


@pytest.mark.parametrize(
    ("fault", "asked_before"),
    [*((fault, False) for fault in FAULTS), *((fault, True) for fault in sorted(ASKED_BEFORE))],
)
def test_each_fault_is_named(yahoo, fault, asked_before):
    forget_time_zones()
    if asked_before:
        fetch("GC=F", start=START)
    yahoo.faults["GC=F"] = fault
    refused_download(*FAULTS[fault])
    del yahoo.faults["GC=F"]
    assert fetch("GC=F", start=START).name == "GC=F"


@pytest.mark.parametrize("asked_before", [True, False])
def test_a_slow_answer(yahoo, asked_before):
    forget_time_zones()
    if asked_before:
        fetch("GC=F", start=START)
    yahoo.faults["GC=F"] = "slow"
    refused_download("no_answer", "1.5 seconds", seconds=1.5)


def test_no_network(yahoo, monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("GOLDVIZ_YAHOO", f"http://127.0.0.1:{closed.getsockname()[1]}")
        refused_download("no_answer", everywhere=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse at once when a queue is full")
def test_a_network_that_swallows_connections(yahoo, monkeypatch):
    with ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        monkeypatch.setenv("GOLDVIZ_YAHOO", f"http://127.0.0.1:{full.getsockname()[1]}")
        refused_download("no_answer", everywhere=True, seconds=0.3)


@pytest.mark.parametrize(
    ("symbol", "advice"),
    [
        ("GC=G", "GC=F (Gold, COMEX front future)?"),
        ("VIX", "^VIX (VIX, implied stock volatility)?"),
        ("QQQQQQ", "finance.yahoo.com"),
    ],
)
def test_an_unknown_symbol_gets_a_hint_at_its_spelling(yahoo, symbol, advice):
    refused_download("not_offered", "404", advice, symbol=symbol)


def test_a_failure_is_not_remembered_after_yahoo_has_recovered(yahoo):
    """For dates that are past, yfinance repeats its last answer, failures included."""
    fetch("GC=F", start=START, end=date(2025, 1, 1))
    yahoo.faults["GC=F"] = "500"
    refused_download("bad_answer", end=date(2025, 1, 1))
    del yahoo.faults["GC=F"]
    assert len(fetch("GC=F", start=START, end=date(2025, 1, 1)).values) == 262


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("", "''; allowed are up to 24"),
        ("../../x", "'../../x'"),
        ("A" * 2000, f"'{'A' * 24}…'"),
        ("us0378331005", "US0378331005 is a securities number (ISIN)"),
    ],
)
def test_what_cannot_be_a_symbol_is_refused_before_anything_is_asked(yahoo, typed, shown):
    with refused(MarketError, "not_allowed", shown):
        fetch(typed, start=START)
    assert yahoo.asked == []


@given(st.text(max_size=40) | st.text("abzABZ09.=&_-^/%?# ", max_size=30))
def test_a_symbol_is_either_harmless_in_an_address_and_a_file_name_or_refused(typed):
    try:
        symbol = valid_symbol(typed)
    except MarketError:
        return
    assert 1 <= len(symbol) <= 24
    assert set(symbol) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.=&_-^")
    assert not symbol.startswith((".", "-"))
    assert valid_symbol(symbol) == symbol


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", ""])
@pytest.mark.parametrize("url", ["https://example.com/", "https://notyahoo.com/", "https://yahoo.com.example.org/"])
def test_hosts_that_are_not_yahoos_are_never_asked(address, url):
    with YahooSession(address, 0.1) as session, pytest.raises(PermissionError, match="is not a host of Yahoo"):
        session.get(url)


ALONE = """
import sys
from datetime import date
from goldviz.data.markets.yahoo import fetch
assert not {"yfinance", "curl_cffi"} & set(sys.modules)
print(len(fetch("GC=F", start=date(2024, 1, 1), end=date(2025, 1, 1)).values))
"""


def fetched_alone(yahoo, data_folder):
    """What a process of its own prints that has warnings as errors."""
    environment = {**os.environ, "GOLDVIZ_DATA": str(data_folder), "GOLDVIZ_YAHOO": yahoo.address}
    script = [sys.executable, "-W", "error", "-c", ALONE]
    root = ROOT
    ended = subprocess.run(script, env=environment, cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.slow
def test_yfinance_loads_late_and_keeps_its_files_in_the_data_folder(yahoo, tmp_path):
    assert fetched_alone(yahoo, tmp_path) == "262"
    assert (tmp_path / "yfinance" / "tkr-tz.db").is_file()


@pytest.mark.slow
def test_a_data_folder_that_cannot_be_made_does_not_stop_a_download(yahoo, tmp_path):
    (tmp_path / "file").touch()
    assert fetched_alone(yahoo, tmp_path / "file" / "folder") == "262"
