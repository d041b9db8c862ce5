"""Daily prices of one symbol from Yahoo Finance, through yfinance.

yfinance is not affiliated with Yahoo; Yahoo's data are meant for personal use, and none come with goldviz.
"""

from __future__ import annotations

import re
import threading
import warnings
from contextlib import suppress
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.market import Channel, MarketError
from goldviz.data.markets.symbols import described
from goldviz.data.markets.yahoo_faults import download_fault, no_prices, no_rows
from goldviz.data.tables.kept_files import market_folder
from goldviz.data.tables.private_files import private_folder

if TYPE_CHECKING:
    from goldviz.data.markets.yahoo_session import YahooSession

PATIENCE = 10.0
"""Seconds that Yahoo has for each answer."""

LONGEST_SYMBOL = 24
SPELLING = re.compile(r"\^?[A-Z0-9][A-Z0-9.=&_-]*")
SECURITIES_NUMBER = re.compile("[A-Z]{2}[A-Z0-9]{9}[0-9]")
ONE_AT_A_TIME = threading.Lock()


def valid_symbol(text: str) -> str:
    """The symbol that was typed in, in capitals; raises :class:`MarketError` for what cannot be one.

    >>> valid_symbol(" gc=f ")
    'GC=F'
    """
    symbol = text.strip().upper()
    if len(symbol) > LONGEST_SYMBOL or not SPELLING.fullmatch(symbol):
        excerpt = text if len(text) <= LONGEST_SYMBOL else f"{text[:LONGEST_SYMBOL]}…"
        raise MarketError(
            f"The symbol is {excerpt!r}; allowed are up to {LONGEST_SYMBOL} letters, digits and . = & _ -, "
            "with a ^ before them for an index, for example GC=F or ^VIX.",
            "not_allowed",
        )
    # yfinance would search for such a number and take the first symbol found, whatever it is.
    if SECURITIES_NUMBER.fullmatch(symbol):
        raise MarketError(
            f"{symbol} is a securities number (ISIN); enter Yahoo's own symbol, for example GC=F.", "not_allowed"
        )
    return symbol


def fetch(symbol: str, *, start: date, end: date | None = None, seconds: float = PATIENCE) -> Channel:
    """Ask Yahoo for the closes of ``symbol`` from ``start`` to the day before ``end`` (None: to now).

    Days are those of the exchange, ascending. Days that Yahoo lists without a price stay, as NaN. Prices are adjusted
    for splits and dividends, so a fund's dividend is no loss. A day whose release lies ahead is left out: its price
    still moves. Of several prices for one day yfinance keeps one: the last if it is the latest day, else the first.
    Where a price is at or below zero there is no log return, and differences are taken.

    Raises :class:`MarketError` for what cannot be a symbol, :class:`DownloadError` for what Yahoo does not deliver.
    """
    symbol = valid_symbol(symbol)
    closes = _closes(symbol, start, end, seconds)
    if closes.empty:
        raise no_rows(symbol)
    if closes.isna().all():
        raise no_prices(symbol, len(closes))
    about = described(symbol)
    over = about.release.moments(pd.DatetimeIndex(closes.index)) <= utc_now()
    closes = closes[over]
    if closes.isna().all():
        raise no_rows(symbol)
    transformation = about.transformation
    if transformation == "log_return" and (closes <= 0).any():
        transformation = "difference"
    return Channel(symbol, about.words, closes, transformation, about.release, about.unit)


def _closes(symbol: str, start: date, end: date | None, seconds: float) -> pd.Series:
    """Yahoo's closes by the exchange's days; whatever goes wrong comes out as a :class:`DownloadError`."""
    # yfinance keeps one session, one set of options and one memory of answers for the whole process.
    with ONE_AT_A_TIME, warnings.catch_warnings():
        # Loading yfinance sets filters of its own, so these come after it.
        client = _client()
        warnings.filterwarnings("ignore", module="yfinance")
        from goldviz.data.markets.yahoo_session import shared_session

        session = shared_session(seconds)
        try:
            return _asked(client, session, symbol, start, end)
        except Exception as error:
            raise download_fault(symbol, error, session.answer, seconds) from error


def _asked(client: Any, session: YahooSession, symbol: str, start: date, end: date | None) -> pd.Series:
    # yfinance remembers answers, failures too, and would repeat them after Yahoo has recovered.
    client.data.YfData.cache_get.cache_clear()
    session.answer = None
    table = client.Ticker(symbol, session=session).history(
        start=f"{start:%Y-%m-%d}",
        end=None if end is None else f"{end:%Y-%m-%d}",
        keepna=True,
        auto_adjust=True,
        actions=False,
        timeout=session.seconds,
    )
    days = pd.DatetimeIndex(table.index.tz_localize(None).normalize().to_numpy()).as_unit("s")
    closes = table["Close"].to_numpy(dtype=np.float64)
    return pd.Series(np.where(np.isfinite(closes), closes, np.nan), index=days)


@cache
def _client() -> Any:
    """yfinance, told once to raise what goes wrong and to keep its cookies and time zones in goldviz's folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import yfinance
    yfinance.config.debug.hide_exceptions = False
    # After its first use yfinance goes on with the folder that it has, and would make it for everybody.
    folder = market_folder() / "yfinance"
    with suppress(OSError):
        private_folder(folder)
    yfinance.set_tz_cache_location(str(folder))
    return yfinance
