"""A market from Yahoo, one symbol after another; what fails is taken from the last download that was good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pandas as pd

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.parquet import DamagedMarketError, market_file, read_market
from goldviz.data.markets.symbols import described
from goldviz.data.markets.yahoo import PATIENCE, fetch, valid_symbol
from goldviz.data.markets.yahoo_faults import DownloadError, no_rows
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import reason_of

EARLIEST = date(1960, 1, 1)
"""Every download begins here: the whole history costs one request too, and serves whatever start is asked for next."""

FRESH = pd.Timedelta(minutes=10)
"""Within this time a symbol is not asked for again."""

DOWNLOADS = PLACES["downloads"]
ONE_DOWNLOAD = threading.Lock()

Progress = Callable[[int, int, str], None]
"""Told how many symbols are done, how many there are, and which is next; what it raises ends the download."""


@dataclass(frozen=True)
class Obtained:
    """The values of one symbol, when they came from Yahoo, and what should be said about them ('': nothing)."""

    channel: Channel
    retrieved: pd.Timestamp
    note: str = ""


def download(
    symbols: Sequence[str], *, start: date, progress: Progress | None = None, seconds: float = PATIENCE
) -> Market:
    """The market of these symbols since ``start``; the first is the target.

    For a symbol that fails, the last good download is shown, or the channel is left out; a note says which and why.
    The market's time is that of the target's download. Yahoo has ``seconds`` for each answer. ``progress`` is called
    before each symbol and at the end; what was downloaded before it raises stays on disk.

    Raises :class:`DownloadError` with all reasons where the target cannot be had, :class:`MarketError` for a symbol
    that cannot be one or a start out of bounds, before anything is asked.
    """
    names = list(dict.fromkeys(valid_symbol(symbol) for symbol in symbols))
    if not names:
        raise MarketError("No symbol is named; at least the target is needed, for example GC=F.", "empty")
    if not EARLIEST <= start < utc_now().date():
        raise MarketError(
            f"The start is {start:%Y-%m-%d}; allowed is a day from {EARLIEST:%Y-%m-%d} to yesterday.", "not_allowed"
        )
    answers: list[Obtained] = []
    notes: dict[str, str] = {}
    failures: list[DownloadError] = []
    unreachable: DownloadError | None = None
    for count, name in enumerate(names):
        if progress is not None:
            progress(count, len(names), name)
        answer, failure = _tried(name, seconds, unreachable)
        if failure is not None and failure.everywhere:
            unreachable = failure
        if answer is not None:
            answer = _since(start, answer)
            failure = no_rows(name) if answer is None else failure
        if answer is not None:
            answers.append(answer)
            sentence = " ".join(filter(None, (answer.note, _how_seen(answer.channel))))
            if sentence:
                notes[name] = sentence
        elif failure is not None:
            failures.append(failure)
            notes[name] = f"{name}: {failure.reason}; the channel is left out."
    if progress is not None:
        progress(len(names), len(names), names[-1])
    if failures and failures[0].symbol == names[0]:
        target, *others = failures
        raise DownloadError(target.symbol, target.reason, target.advice, target.code, target.everywhere, tuple(others))
    channels = tuple(answer.channel for answer in answers)
    return Market(channels, "yahoo", "Yahoo Finance", answers[0].retrieved, notes)


def _tried(
    symbol: str, seconds: float, unreachable: DownloadError | None
) -> tuple[Obtained | None, DownloadError | None]:
    """What there is to show of a symbol, and why Yahoo did not deliver it just now."""
    # Whoever waits for the same symbol finds it fresh.
    with ONE_DOWNLOAD:
        good = _last_good(symbol)
        if good is not None and pd.Timedelta(0) <= utc_now() - good.retrieved < FRESH:
            return good, None
        try:
            if unreachable is not None:
                raise DownloadError(symbol, unreachable.reason, unreachable.advice, unreachable.code, everywhere=True)
            return _downloaded(symbol, seconds), None
        except DownloadError as failure:
            if good is None:
                return None, failure
            note = f"{symbol}: {failure.reason}; shown is the download of {good.retrieved:%Y-%m-%d %H:%M} UTC."
            return Obtained(good.channel, good.retrieved, note), failure


def _downloaded(symbol: str, seconds: float) -> Obtained:
    now = utc_now().floor("s")
    channel = fetch(symbol, start=EARLIEST, seconds=seconds)
    try:
        DOWNLOADS.write(_file_of(symbol), market_file(Market((channel,), "yahoo", "Yahoo Finance", now)))
        DOWNLOADS.make_room(survivor=_file_of(symbol))
    except OSError as error:
        folder, reason = DOWNLOADS.path(symbol).parent, reason_of(error)
        note = f"{symbol}: the download could not be kept in {folder} ({reason})."
        return Obtained(channel, now, note)
    return Obtained(channel, now)


def _how_seen(channel: Channel) -> str:
    if channel.transformation == described(channel.name).transformation:
        return ""
    return f"{channel.name} goes to zero or below: we use changes."


def _since(start: date, answer: Obtained) -> Obtained | None:
    values = answer.channel.values.loc[pd.Timestamp(start) :]
    if values.isna().all():
        return None
    return replace(answer, channel=replace(answer.channel, values=values))


def _file_of(symbol: str) -> str:
    # With a word before it no symbol is a name that a system reserves, such as CON or NUL.
    return f"yahoo {symbol}"


def _last_good(symbol: str) -> Obtained | None:
    """The last good download; None where there is none, or its file is damaged or of another symbol."""
    try:
        market = read_market(DOWNLOADS.read(_file_of(symbol)) or b"")
    except (OSError, DamagedMarketError):
        return None
    return Obtained(market.target, market.retrieved) if market.target.name == symbol else None
