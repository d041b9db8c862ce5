"""A column of a file as a channel: what it is called, when its values become known, and what a network sees of it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import PurePath

from goldviz.data.markets.market import END_OF_DAY, Channel, Release, Transformation
from goldviz.data.markets.symbols import PUBLISHED, SYMBOLS, Symbol, described
from goldviz.data.tables.daily_column import DailyColumn
from goldviz.data.tables.table_layout import ADJUSTED_WORDS, PRICE_WORDS, name_words

LONDON_FIXES = {"am": Release("10:30", "Europe/London"), "pm": Release("15:00", "Europe/London")}
FIX_CURRENCIES = {"usd": "USD", "gbp": "GBP", "eur": "EUR", "euro": "EUR"}
"""A file of London fixes has a column for each currency and time: USD (AM), USD (PM), GBP (AM), ..."""

PRICE_ALONE = {*PRICE_WORDS, *ADJUSTED_WORDS, "closing"} - {"gold", "xau", "pm"}
"""A column named with such words alone says nothing of what is priced; the file's name may."""


@dataclass(frozen=True)
class FileChannel:
    """A channel with what should be known of it; ``release_known`` is false where END_OF_DAY is a guess."""

    channel: Channel
    notes: tuple[str, ...]
    release_known: bool


def file_channel(
    column: str, daily: DailyColumn, file: str, chosen: Transformation | None, taken: Container[str]
) -> FileChannel:
    """The channel that a column makes, seen as ``chosen`` or else as its values allow.

    Its name is the symbol that the column or the file is named by (``GC=F_daily.csv``, ``DGS10``), else the
    column's, or the file's where the column is merely the close; never one of those that are ``taken``.

    Raises :class:`goldviz.data.markets.market.MarketError` where a chosen log return meets a price at or below zero.
    """
    recognised = _recognised(column, file)
    name, facts = recognised or (_name(column, file), described(""))
    if name in taken:
        name = column
    transformation, notes = chosen or facts.transformation, daily.notes
    if chosen is None and transformation == "log_return" and (daily.values <= 0).any():
        transformation = "difference"
        notes += (f"{name} has values at or below zero, so differences are taken.",)
    channel = Channel(
        name,
        facts.words or name,
        daily.values,
        transformation,
        END_OF_DAY if daily.several_a_day else facts.release,
        facts.unit or ("percent" if daily.percent else ""),
    )
    channel.increments()
    return FileChannel(channel, notes, recognised is not None and not daily.several_a_day)


def _recognised(column: str, file: str) -> tuple[str, Symbol] | None:
    """The symbol, series or fix that a column is, with its name."""
    words = name_words(column)
    stem = PurePath(file).stem
    whole = [column, *([stem, stem.split("_")[0], stem.split(" ")[0]] if words <= PRICE_ALONE else [])]
    spellings = [spelled for name in whole for spelled in (name, name.upper(), f"^{name.upper()}")]
    for name in (*spellings, *column.split()):
        if name in SYMBOLS or name in PUBLISHED:
            return name, described(name)
    times, currencies = words & LONDON_FIXES.keys(), words & FIX_CURRENCIES.keys()
    if len(times) == len(currencies) == 1 and len(words) == 2:
        time, currency = times.pop(), FIX_CURRENCIES[currencies.pop()]
        facts = Symbol(f"London {time.upper()} fix in {currency}", "log_return", LONDON_FIXES[time], f"{currency}/oz")
        return column, facts
    return None


def _name(column: str, file: str) -> str:
    stem = PurePath(file).stem
    return stem if stem and name_words(column) <= PRICE_ALONE else column
