"""A column of a file as a channel: what it is called, when its values become known, and what a network sees of it.

Nothing is taken from a file's name. Where the name is that of a known symbol, somebody is asked whether it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

import pandas as pd

from goldviz.data.markets.market import END_OF_DAY, Channel, Release, Transformation
from goldviz.data.markets.release_words import release_words
from goldviz.data.markets.stamps import StampReading, stamp_reading
from goldviz.data.markets.symbols import PUBLISHED, SYMBOLS, Symbol, described
from goldviz.data.tables.column_words import (
    ADJUSTED_WORDS,
    BAR_WORDS,
    CHANGE_WORDS,
    CLOSE_WORDS,
    PRICE_WORDS,
    VOLUME_WORDS,
    name_words,
)
from goldviz.data.tables.daily_column import DailyColumn
from goldviz.data.tables.file_table import plain_words
from goldviz.data.tables.understood import Told

Kind = Literal["price", "rate", "volume", "number"]

LONDON_FIXES = {"am": Release("10:30", "Europe/London"), "pm": Release("15:00", "Europe/London")}
FIX_CURRENCIES = {"usd": "USD", "gbp": "GBP", "eur": "EUR", "euro": "EUR"}
"""A file of London fixes has a column for each currency and time: USD (AM), USD (PM), GBP (AM), ..."""

PRICE_ALONE = {*PRICE_WORDS, *ADJUSTED_WORDS, "closing"} - {"gold", "xau", "pm"}
"""A column named with such words alone says nothing of what is priced; the file's name may, and is asked about."""

RATE_WORDS = {"yield", "rate", "spread"}
RATE_UNITS = {"percent", "pct", "bp", "bps"}
BOUNDED_WORDS = {"rsi", "macd", "stochastic", "oscillator", "percentile", "sentiment", "ratio", "score"}
"""Indicators that go up and down between bounds: what counts is where they are."""
EXCHANGE_WORDS = {"exchange", "fx", "currency"}
"""The rate of an exchange is a price."""

LONGEST_UNIT = 20
_UNIT_IN_BRACKETS = re.compile(r"[(\[] ?(?P<unit>%|[$€£¥]?[A-Za-z/ ]{0,12}[$€£¥/][A-Za-z0-9/ ]{0,12}|[A-Z]{3}) ?[)\]]")
_PRICE_UNIT = re.compile(
    r"(?P<money>[$€£¥]|\b(?:usd|eur|gbp|jpy|chf|cny|pln))[/_ ](?P<per>mwh|kwh|oz|bbl|barrel|mt|tco2|t|kg|g)\b", re.I
)
_MEASURES = {"mwh": "MWh", "kwh": "kWh", "tco2": "tCO2"}


@dataclass(frozen=True)
class Choices:
    """What a visitor chose: ``values`` with the target first, or none of them for what the preview suggests.

    Without a choice all columns that can be channels are used, or of open, high, low and close the close alone.
    ``day_first`` is needed where the preview's ``date_order`` is 'either'. ``sheet`` is a workbook's, ``date_column``
    and ``decimal`` say where the dates stand and what the decimal mark is. The mappings say by column what it is, what
    the network sees, when values are known, in which unit, and which known symbol it is: the answers to the preview's
    questions. ``header`` is the row of names, ``price`` the column to forecast, and ``split`` the column whose names
    are channels, or empty where all rows are one price.
    """

    values: tuple[str, ...] = ()
    day_first: bool | None = None
    transformations: Mapping[str, Transformation] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    releases: Mapping[str, Release] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    sheet: str = ""
    date_column: str = ""
    decimal: str = ""
    header: int = 0
    price: str = ""
    split: str | None = None

    @property
    def told(self) -> Told:
        """What was said of dates and numbers."""
        return Told(self.date_column, self.day_first, self.decimal, self.price, self.split)


NOTHING_CHOSEN = Choices()


@dataclass(frozen=True)
class FileChannel:
    """A channel with what should be known of it.

    ``release_known`` is false where the release is a guess. ``recognised`` is the symbol whose facts hold, if any.
    """

    channel: Channel
    kind: Kind
    notes: tuple[str, ...]
    release_known: bool
    recognised: str = ""


def file_channel(
    column: str, daily: DailyColumn, choices: Choices = NOTHING_CHOSEN, others: Container[str] = ()
) -> FileChannel:
    """The channel that a column makes, as it was chosen or else as its own name and its values say.

    Its name is the symbol that the column is named by (``DGS10``, ``GC=F Close``) or that was chosen, else the
    column's; never one of the ``others``.

    Raises :class:`goldviz.data.markets.market.MarketError` where a chosen log return meets a price at or below zero.
    """
    unit, chosen_symbol = choices.units.get(column), choices.symbols.get(column, "")
    choice, chosen_release = choices.transformations.get(column), choices.releases.get(column)
    symbol, facts = _recognised(column, chosen_symbol) or ("", described(""))
    if symbol and not chosen_symbol and name_words(column) & (VOLUME_WORDS | BOUNDED_WORDS | CHANGE_WORDS):
        # Of a known symbol, but not its price.
        symbol, facts = "", described("")
    name = symbol if symbol and symbol not in others else column
    kind = choices.kinds.get(column) or _kind(column, daily, facts if symbol else None)
    transformation, notes = choice or _transformation(kind, facts, column, daily), daily.notes
    if choice is None and transformation == "log_return" and (daily.values <= 0).any():
        transformation = "difference"
        notes += (f"{name} goes to zero or below: we use changes.",)
    stamps = StampReading()
    if chosen_release is None and not daily.several_a_day:
        days = pd.DatetimeIndex(daily.values.dropna().index)
        stamps = stamp_reading(days, daily.latest_clock, daily.behind, one_clock=daily.one_clock)
    # A known symbol's hours hold, unless its days are those on which bars open.
    own_hours = bool(symbol) and not stamps.release.days
    if stamps.note and not own_hours:
        notes += (stamps.note,)
    release = END_OF_DAY if daily.several_a_day else facts.release if own_hours else stamps.release
    channel = Channel(
        name,
        facts.words or name,
        daily.values,
        transformation,
        chosen_release or release,
        (facts.unit or written_unit(column, daily)) if unit is None else plain_words(unit, LONGEST_UNIT),
    )
    channel.increments()
    certain = chosen_release is not None or (own_hours and not daily.several_a_day)
    return FileChannel(channel, kind, notes, certain, symbol)


@dataclass(frozen=True)
class NameQuestion:
    """A file's name that is a known symbol's, and what a yes to ``sentence`` would mean for ``column``."""

    column: str
    symbol: str
    sentence: str


def asked_of_name(column: str, file: str) -> NameQuestion | None:
    """What to ask where a column is merely a close, and the file is named like a known symbol.

    >>> asked_of_name("Close", "CL=F_daily.csv").sentence
    'CL=F_daily.csv looks like Crude oil, front future: settled 14:30 New York, in USD/barrel?'
    """
    if _recognised(column, "") or not name_words(column) <= PRICE_ALONE:
        return None
    stem = PurePath(file).stem
    symbol = next((entry for name in (stem, stem.split("_")[0], stem.split(" ")[0]) if (entry := _known(name))), "")
    if not symbol:
        return None
    facts = described(symbol)
    out = "settled" if "future" in facts.words else "known at"
    sentence = f"{file} looks like {facts.words}: {out} {release_words(facts.release)}, in {facts.unit}?"
    return NameQuestion(column, symbol, sentence)


def _known(name: str) -> str:
    """The symbol or series of this name, however it is spelled; empty where there is none."""
    spellings = (name, name.upper(), f"^{name.upper()}")
    return next((spelling for spelling in spellings if spelling in SYMBOLS or spelling in PUBLISHED), "")


def _recognised(column: str, symbol_text: str) -> tuple[str, Symbol] | None:
    """The symbol, series or fix that a column is, with its name."""
    parts = [part for part in column.split() if part in SYMBOLS or part in PUBLISHED]
    for symbol in (_known(symbol_text), _known(column), *parts):
        if symbol:
            return symbol, described(symbol)
    words = name_words(column)
    times, currencies = set(words & LONDON_FIXES.keys()), set(words & FIX_CURRENCIES.keys())
    if len(times) == len(currencies) == 1 and len(words) == 2:
        time, currency = times.pop(), FIX_CURRENCIES[currencies.pop()]
        facts = Symbol(f"London {time.upper()} fix in {currency}", "log_return", LONDON_FIXES[time], f"{currency}/oz")
        return column, facts
    return None


def written_unit(column: str, daily: DailyColumn) -> str:
    """The unit that stands in a column's name, above it, or in its cells; empty where none does.

    >>> [written_unit(name, DailyColumn(pd.Series())) for name in ("Gold ($/troy oz)", "price_eur_mwh", "Close (2)")]
    ['$/troy oz', 'EUR/MWh', '']
    """
    for name in (column, f"({daily.unit})", daily.of):
        if match := _UNIT_IN_BRACKETS.search(name):
            unit = match["unit"].strip()
            return "percent" if unit == "%" else unit
        if match := _PRICE_UNIT.search(name.replace("_", " ")):
            money, per = match["money"], match["per"].lower()
            return f"{money.upper()}/{_MEASURES.get(per, per)}"
    return daily.unit or ("percent" if daily.percent or "%" in column else "")


def _kind(column: str, daily: DailyColumn, facts: Symbol | None) -> Kind:
    if facts:
        return "rate" if facts.unit == "percent" else "price"
    words = name_words(column)
    if words & VOLUME_WORDS or {"open", "interest"} <= words:
        return "volume"
    if words & BOUNDED_WORDS or daily.change_of:
        return "number"
    rate = words & RATE_WORDS and not words & EXCHANGE_WORDS
    if daily.percent or rate or written_unit(column, daily) in RATE_UNITS:
        return "rate"
    return "price" if words & {*PRICE_WORDS, *CLOSE_WORDS, *BAR_WORDS, *ADJUSTED_WORDS} or daily.of else "number"


def _transformation(kind: Kind, facts: Symbol, column: str, daily: DailyColumn) -> Transformation:
    if kind == "number" and (daily.change_of or name_words(column) & (BOUNDED_WORDS | CHANGE_WORDS)):
        return "level"
    return "difference" if kind == "rate" else facts.transformation


@dataclass(frozen=True)
class ColumnReading:
    """What was read in a column: its kind, how many values, the first and the last of them, and what they become.

    ``missing`` are rows of the file without a value, ``not_positive`` values at or below zero.
    """

    column: str
    kind: Kind
    first_day: pd.Timestamp
    first: float
    last_day: pd.Timestamp
    last: float
    values: int
    missing: int
    not_positive: int
    transformation: Transformation
    release: Release
    release_known: bool
    unit: str


def column_reading(column: str, daily: DailyColumn, source: FileChannel) -> ColumnReading:
    """What was read in a column that makes a channel."""
    observations = source.channel.observed
    return ColumnReading(
        column=column,
        kind=source.kind,
        first_day=observations.index[0],
        first=float(observations.iloc[0]),
        last_day=observations.index[-1],
        last=float(observations.iloc[-1]),
        values=len(observations),
        missing=daily.missing,
        not_positive=int((observations <= 0).sum()),
        transformation=source.channel.transformation,
        release=source.channel.release,
        release_known=source.release_known,
        unit=source.channel.unit,
    )
