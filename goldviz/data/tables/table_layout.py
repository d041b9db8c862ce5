"""What the columns of a table mean: which holds the dates, which can be channels, and which is meant as the price.

Known layouts: one price; open, high, low, close; a column for each channel; and long tables, with a row for each
value and a column that names its channel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.daily_column import FEWEST_VALUES, DailyColumn, DatedTable, daily_column
from goldviz.data.tables.file_table import FileTable, distinct_names, is_missing, plain_words, printed
from goldviz.data.tables.printed_dates import ALLOWED_DATES, DateForm, PrintedDates, date_form, read_dates
from goldviz.data.tables.printed_numbers import ReadNumbers, decimal_mark, read_numbers

MOST_CHANNELS = 200
DATE_TYPES = (pa.types.is_string, pa.types.is_date, pa.types.is_timestamp, pa.types.is_integer)
DATE_WORDS = {"date", "day", "time", "timestamp", "datetime", "month", "period", "epoch"}
CHANNEL_WORDS = {"channel", "symbol", "ticker", "series", "variable", "instrument", "asset", "name"}
PRICE_WORDS = ("close", "settle", "settlement", "price", "last", "pm", "gold", "xau", "value")
"""A column with the first of these words in its name is taken for what is to be forecast."""

BAR_WORDS = ("open", "high", "low")
ADJUSTED_WORDS = {"adj", "adjusted"}


@dataclass(frozen=True)
class TableLayout:
    """``columns`` are the candidates for channels in order, ``target`` one of them that can be used.

    ``chosen``, the target first, is what is used where nobody chooses: all that can be, or of open, high, low and
    close the close alone. ``date_columns`` are all that could hold the dates. ``unclear`` is a cell that the decimal
    mark could be read from in two ways, where no other cell decides; else empty.
    """

    date_column: str
    dates: PrintedDates
    decimal: str
    columns: dict[str, DailyColumn]
    target: str
    chosen: tuple[str, ...]
    notes: tuple[str, ...]
    date_columns: tuple[str, ...] = ()
    unclear: str = ""


@dataclass(frozen=True)
class Told:
    """What a person said of a table's dates and numbers; what is left out is found out from the table."""

    date_column: str = ""
    day_first: bool | None = None
    decimal: str = ""


def name_words(name: str) -> set[str]:
    """The words of a column's name in small letters.

    >>> sorted(name_words("observation_date (USD)"))
    ['date', 'observation', 'usd']
    """
    return set(re.findall("[a-z0-9]+", name.lower()))


def understood(table: FileTable, answers: Told = Told()) -> TableLayout:
    """Read a table's dates and numbers and find out what they are, as far as they were not ``told``.

    Raises :class:`MarketError` where there are no dates, no numbers, fewer than 30 rows, or where
    the column that is clearly meant as the price cannot be used.
    """
    if len(table.rows) < FEWEST_VALUES:
        raise MarketError(f"{table.file} has {len(table.rows)} rows; at least {FEWEST_VALUES} values are needed.")
    candidates = date_columns(table)
    place, form = _chosen_dates(table, candidates, answers.date_column)
    source = DatedTable(table, place, read_dates(table, place, form, answers.day_first))
    others = [column for column in range(len(table.names)) if column != place]
    text = [table.columns[column] for column in others if pa.types.is_string(table.columns[column].type)]
    mark, unclear = decimal_mark(text, table.separator)
    decimal = answers.decimal or mark
    numbers = {column: read_numbers(table.columns[column], decimal) for column in others}
    numeric = {table.names[column]: column for column in others if numbers[column].numeric}
    if not numeric:
        raise MarketError(
            f"{table.file} has no column of numbers beside the dates in {table.names[place]}; allowed are numbers like "
            "1925.45, 1,925.45 and 1.925,45."
        )
    left_out = [column for column in others if not numbers[column].numeric]
    key = _channel_names(source, left_out)
    if key is None:
        columns = {name: _whole_column(source, column, numbers[column]) for name, column in numeric.items()}
    else:
        value = numeric[_priced(list(numeric))[0] or next(iter(numeric))]
        columns = _by_channel(source, key[1], value, numbers[value])
        left_out.remove(key[0])
    target, value_columns = _target(columns)
    notes = [*table.notes, *source.dates.notes]
    if unclear:
        notes.append(f"{unclear} was read with {'a comma' if decimal == ',' else 'a point'} as decimal mark.")
    if left_out:
        notes.append(f"Left out, for no numbers are in it: {', '.join(table.names[column] for column in left_out)}.")
    notes += [f"{column.trouble} It is left out." for column in columns.values() if column.trouble]
    return TableLayout(
        table.names[place],
        source.dates,
        decimal,
        columns,
        target,
        value_columns,
        tuple(notes),
        tuple(table.names[candidate] for candidate, _ in candidates),
        unclear,
    )


def date_columns(table: FileTable) -> list[tuple[int, DateForm]]:
    """The places that can hold the dates, with their forms: columns named like a date first.

    Raises :class:`MarketError` where there is none.
    """
    candidates: list[tuple[bool, int, DateForm]] = []
    for place, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if not any(allows(column.type) for allows in DATE_TYPES):
            continue
        by_name = bool(name_words(name) & DATE_WORDS)
        form = date_form(printed(column))
        if form and (by_name or place == 0 or not form.digits_alone):
            candidates.append((not by_name, place, form))
    if not candidates:
        raise MarketError(f"{table.file} has no column of dates; allowed are dates like {ALLOWED_DATES}.")
    return [(place, form) for _, place, form in sorted(candidates, key=lambda item: item[:2])]


def _chosen_dates(table: FileTable, candidates: list[tuple[int, DateForm]], name: str) -> tuple[int, DateForm]:
    if not name:
        return candidates[0]
    for place, form in candidates:
        if table.names[place] == name:
            return place, form
    choices = ", ".join(table.names[place] for place, _ in candidates)
    raise MarketError(f"{table.file} has no dates in {plain_words(name)!r}; allowed are {plain_words(choices, 300)}.")


def _whole_column(source: DatedTable, column: int, numbers: ReadNumbers) -> DailyColumn:
    table = source.table
    rows = np.arange(len(table.rows))
    return daily_column(source, column, numbers, rows, f"Column {table.names[column]} of {table.file}")


def _channel_names(source: DatedTable, columns: Sequence[int]) -> tuple[int, pa.DictionaryArray] | None:
    """The column of a long table that names the channels, with its names; None for other tables."""
    moments = source.dates.moments
    repeats = len(np.unique(moments)) < len(moments)
    for column in columns:
        if not (name_words(source.table.names[column]) & CHANNEL_WORDS or (repeats and len(columns) == 1)):
            continue
        names = pc.dictionary_encode(printed(source.table.columns[column]))
        few = len(names.dictionary) <= min(MOST_CHANNELS, len(names) // 10)
        if few and not pc.any(is_missing(names.dictionary)).as_py():
            return column, names
    return None


def _by_channel(
    source: DatedTable, key: pa.DictionaryArray, column: int, numbers: ReadNumbers
) -> dict[str, DailyColumn]:
    """A candidate for each name in a long table, in the order in which they appear."""
    codes = key.indices.to_numpy()
    file = source.table.file
    return {
        name: daily_column(source, column, numbers, np.flatnonzero(codes == code), f"Channel {name} of {file}")
        for code, name in enumerate(distinct_names(key.dictionary.to_pylist()))
    }


def _priced(names: Sequence[str]) -> tuple[str, str]:
    """The name that most clearly says price, and the word that says it; empty where none does.

    Of several the shortest is meant (Close rather than Adj Close), and gold before anything else.
    """
    for word in PRICE_WORDS:
        fitting = [name for name in names if word in name_words(name)]
        if fitting:
            return min(fitting, key=_vagueness), word
    return "", ""


def _vagueness(name: str) -> tuple[int, bool]:
    words = name_words(name)
    return len(words - {"gold"}), "gold" not in words


def _target(columns: dict[str, DailyColumn]) -> tuple[str, tuple[str, ...]]:
    """What is to be forecast, and all that is used where nobody chooses.

    Raises :class:`goldviz.data.markets.market.MarketError` where that column, or every one, cannot be used.
    """
    usable = [name for name, column in columns.items() if not column.trouble]
    target, word = _priced(list(columns))
    target = target or (usable or list(columns))[0]
    if columns[target].trouble:
        raise MarketError(columns[target].trouble)
    words = set().union(*(name_words(name) for name in columns))
    if words.issuperset(BAR_WORDS):
        usable = [name for name in usable if word in name_words(name) and not name_words(name) & ADJUSTED_WORDS]
    return target, (target, *(name for name in usable if name != target))
