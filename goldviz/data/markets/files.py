"""A visitor's own file as a market: CSV in any dialect, an Excel workbook, or Parquet.

What can be told from the file is told and noted; what cannot, such as whether 01/02/2024 is in January, is asked.
Nothing in a file is ever run, and its size is checked before it is unpacked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd

from goldviz.cache import Cache
from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.file_channel import (
    NOTHING_CHOSEN,
    Choices,
    ColumnReading,
    FileChannel,
    NameQuestion,
    asked_of_name,
    column_reading,
    file_channel,
)
from goldviz.data.markets.market import END_OF_DAY, Market, MarketError, Transformation
from goldviz.data.tables.daily_column import DailyColumn
from goldviz.data.tables.date_columns import with_whole_dates
from goldviz.data.tables.delimited_text import delimited_table
from goldviz.data.tables.file_table import FileTable, Report, plain_words, unheard
from goldviz.data.tables.parquet_table import ENCRYPTED_MARK, PARQUET_MARK, parquet_table
from goldviz.data.tables.printed_dates import DateOrder
from goldviz.data.tables.table_layout import TableLayout, understood
from goldviz.data.tables.understood import Question, Understood
from goldviz.data.tables.workbook_table import is_workbook, workbook_table

LARGEST_FILE = 50 * 10**6
"""Bytes."""

MIDNIGHT = " 00:00:00"
FIRST_ROWS = 5
"""Rows whose dates a preview shows in both readings."""
BYTES_OF_A_COLUMN = 4_000
"""About what is read in a column takes in memory."""


@dataclass(frozen=True)
class TablePreview:
    """What was read in a file, with what was chosen so far.

    ``columns`` are the cleaned names in order, ``values`` those that can be channels (in a long table the channels'
    own names), ``target`` the suggested one of them, ``chosen`` what is used where nobody chooses, the target first.
    ``readings_of`` says what was read in each, ``dates`` what was read as dates. ``date_order`` is 'either' where the
    dates fit both readings and the caller must choose; ``readings`` then holds the first rows' dates as ISO for 'day'
    and for 'month', else the one under ``date_order``. ``separator`` and ``decimal`` are empty but for text;
    ``unclear`` is a cell whose decimal mark is a guess. ``sheets`` are a workbook's. ``questions`` are what only the
    file's name says. ``notes`` are sentences on what was noticed. ``understood`` is what was understood, with a
    confidence for each, ``header`` the row of names, and ``question`` what the caller must tell.
    """

    name: str
    rows: int
    columns: tuple[str, ...]
    dates: DateReading
    date_order: DateOrder
    readings: Mapping[str, tuple[str, ...]]
    separator: str
    decimal: str
    unclear: str
    sheets: tuple[str, ...]
    sheet: str
    values: tuple[str, ...]
    target: str
    chosen: tuple[str, ...]
    readings_of: Mapping[str, ColumnReading]
    questions: tuple[NameQuestion, ...]
    notes: tuple[str, ...]
    header: int = 0
    understood: tuple[Understood, ...] = ()
    question: Question | None = None

    @property
    def nbytes(self) -> int:
        """About what it takes in memory: what was read in each column."""
        return BYTES_OF_A_COLUMN * (1 + len(self.columns))


@dataclass(frozen=True)
class DateReading:
    """The column of dates: the oldest and the newest cell, each with the day that it was read as."""

    column: str
    first: tuple[str, str]
    last: tuple[str, str]


def look_into(content: bytes, name: str, choices: Choices = NOTHING_CHOSEN, report: Report = unheard) -> TablePreview:
    """What a file holds, told from its bytes and what was chosen, and never from its name.

    ``report`` is told how far the reading of a workbook is; what it raises ends it.

    Raises :class:`MarketError` where it cannot be used, in one sentence that names the file, the
    place, and what is allowed.

    >>> rows = "".join(f"{day}.01.2024;{1900 + day},5\\n" for day in range(31, 0, -1))
    >>> found = look_into(f"Datum;Preis\\n{rows}".encode(), "gold.csv")
    >>> found.date_order, found.readings["day"][0], found.separator, found.decimal, found.target
    ('day', '2024-01-31', ';', ',', 'Preis')
    """
    table, layout = _read(content, name, choices, report)
    target = layout.columns[layout.target]
    usable = {name: column for name, column in layout.columns.items() if not column.trouble}
    channels = {column: file_channel(column, daily, choices) for column, daily in usable.items()}
    by_name = [asked_of_name(column, table.file) for column in usable]
    return TablePreview(
        name=table.file,
        rows=len(table.rows),
        columns=table.names,
        dates=_date_reading(table, layout),
        date_order=layout.dates.order,
        readings=_readings(layout),
        separator=table.separator,
        decimal=layout.decimal if table.kind == "text" else "",
        unclear=layout.unclear,
        sheets=table.sheets,
        sheet=table.sheet,
        values=tuple(usable),
        target=layout.target,
        chosen=layout.chosen,
        readings_of={column: column_reading(column, usable[column], channels[column]) for column in usable},
        questions=tuple(question for question in by_name if question),
        notes=(*layout.notes, *channels[layout.target].notes, *_future_notes([target], utc_now())),
        header=table.header,
        understood=layout.understood,
        question=layout.question,
    )


def market_from_file(
    content: bytes, name: str, choices: Choices = NOTHING_CHOSEN, *, retrieved: pd.Timestamp, report: Report = unheard
) -> Market:
    """The market in a file, with the columns, the reading of dates and the transformations that were chosen.

    Words, release and transformation come from :mod:`symbols` where a column is named like a symbol, or was said to be
    one. Otherwise a value is taken to be known at the end of its day in UTC, and log returns are taken where all values
    are above zero, differences elsewhere and for rates. Of a day's several time stamps the last counts. The file's name
    is the market's origin, and changes nothing else.

    Raises :class:`MarketError` as :func:`look_into` does, for choices that the file does not
    offer, and where the dates can be read in two ways and neither was chosen.
    """
    table, layout = _read(content, name, choices, report)
    _check(choices, table, layout)
    value_columns = choices.values or layout.chosen
    if choices.price:
        value_columns = (layout.target, *(column for column in value_columns if column != layout.target))
    channels: list[FileChannel] = []
    for column in value_columns:
        names = {one.channel.name for one in channels}
        channels.append(file_channel(column, layout.columns[column], choices, names))
    retrieved = retrieved.tz_localize("UTC") if retrieved.tz is None else retrieved.tz_convert("UTC")
    notes = _market_notes(
        layout, channels, _future_notes([layout.columns[column] for column in value_columns], retrieved)
    )
    return Market(tuple(one.channel for one in channels), "file", table.file, retrieved, notes)


def _market_notes(layout: TableLayout, channels: Sequence[FileChannel], future: Sequence[str]) -> dict[str, str]:
    """What should be known of each channel; what holds for the whole file stands with the target alone."""
    general = [*layout.notes, *future]
    names = [one.channel.name for one in channels if not one.release_known and one.channel.release == END_OF_DAY]
    if names:
        # The target's own name stands before its notes already.
        of = "" if names == [channels[0].channel.name] else f" of {', '.join(names)}"
        general.append(f"Release time{of} unknown: end of day (UTC) assumed.")
    general += channels[0].notes
    notes = {one.channel.name: [note for note in one.notes if note not in general] for one in channels}
    notes[channels[0].channel.name] = general
    return {name: " ".join(sentences) for name, sentences in notes.items() if sentences}


def _read(content: bytes, name: str, choices: Choices, report: Report) -> tuple[FileTable, TableLayout]:
    """The table and its layout, kept for a while: a person looks at the same file again with every choice."""
    file = plain_words(name) or "The file"
    check_size(len(content), file)
    if isinstance(choices.header, bool) or not isinstance(choices.header, int) or choices.header < 0:
        raise MarketError(
            f"The header is to stand in row {choices.header!r}; allowed is a row's number, such as 3.", "not_allowed"
        )
    if choices.decimal not in ("", ".", ","):
        raise MarketError(f"The decimal mark is {choices.decimal!r}; allowed are '.' and ','.", "not_allowed")
    key = (hashlib.sha256(content).digest(), file, choices.sheet, choices.header)
    table = _TABLES.get(key, lambda: with_whole_dates(_beginning(content, file, choices, report)))
    if not table.fault:
        return table, _LAYOUTS.get((*key, choices.told), lambda: understood(table, choices.told))
    try:
        layout = understood(table, choices.told)
    except MarketError as error:
        raise MarketError(f"{table.fault} {error}", "too_large") from None
    # All that is known of a file that is too large is told at once.
    raise MarketError(" ".join([table.fault, *layout.dates.notes]), "too_large")


def _beginning(content: bytes, file: str, choices: Choices, report: Report) -> FileTable:
    if content[:4] in (PARQUET_MARK, ENCRYPTED_MARK):
        if choices.header:
            raise MarketError(
                f"{file} is a Parquet file, whose names stand in no row; leave the header out.", "no_header"
            )
        return parquet_table(content, file)
    if is_workbook(content):
        return workbook_table(content, file, choices.sheet, report, choices.header)
    return delimited_table(content, file, choices.header)


def table_in(content: bytes, file: str, sheet: str, report: Report) -> FileTable:
    """The table in a file of any kind; raises :class:`MarketError` for one that cannot be read."""
    table = _beginning(content, file, Choices(sheet=sheet), report)
    if table.fault:
        raise MarketError(table.fault, "too_large")
    return table


def _layout_size(layout: TableLayout) -> int:
    return sum(16 * len(column.values) for column in layout.columns.values()) + 24 * len(layout.dates.moments)


_TABLES: Cache[FileTable] = Cache(100 * 10**6, lambda table: sum(column.nbytes for column in table.columns))
_LAYOUTS: Cache[TableLayout] = Cache(50 * 10**6, _layout_size)


def check_size(size: int, file: str) -> None:
    """Raise :class:`MarketError` for a file of more than :data:`LARGEST_FILE` bytes."""
    if size > LARGEST_FILE:
        raise MarketError(
            f"{file} has {size / 1e6:,.1f} MB; allowed are at most {LARGEST_FILE / 1e6:.0f} MB.", "too_large"
        )


def _date_reading(table: FileTable, layout: TableLayout) -> DateReading:
    place, moments = table.names.index(layout.date_column), layout.dates.moments
    ends = [
        (table.cell(place, row).removesuffix(MIDNIGHT), str(moments[row].astype("datetime64[D]")))
        for row in (int(moments.argmin()), int(moments.argmax()))
    ]
    return DateReading(layout.date_column, ends[0], ends[1])


def _readings(layout: TableLayout) -> dict[str, tuple[str, ...]]:
    dates = layout.dates
    both = {dates.order: dates.moments}
    if dates.month_first is not None:
        both = {"day": dates.moments, "month": dates.month_first}
    return {order: tuple(map(str, read[:FIRST_ROWS].astype("datetime64[D]"))) for order, read in both.items()}


def _future_notes(columns: Sequence[DailyColumn], now: pd.Timestamp) -> tuple[str, ...]:
    last = max(column.values.index[-1] for column in columns)
    if last <= now.tz_localize(None).normalize():
        return ()
    return (f"The last date, {last:%Y-%m-%d}, is still to come.",)


def _check(choices: Choices, table: FileTable, layout: TableLayout) -> None:
    """Refuse what the file does not offer."""
    usable = ", ".join(name for name, column in layout.columns.items() if not column.trouble)
    choice_tables = (choices.transformations, choices.kinds, choices.releases, choices.symbols, choices.units)
    for column in (*choices.values, *(column for mapping in choice_tables for column in mapping)):
        if column not in layout.columns:
            raise MarketError(
                f"{table.file} has no column {plain_words(column)!r}; allowed are {plain_words(usable, 300)}.",
                "not_offered",
            )
    for column in choices.values:
        if layout.columns[column].trouble:
            raise MarketError(layout.columns[column].trouble, "bad_column")
    if len(set(choices.values)) < len(choices.values):
        raise MarketError(f"A column of {table.file} is chosen twice; allowed is each of {usable} once.", "twice")
    if layout.question is not None:
        raise MarketError(_unanswered(layout.question, table), "unanswered")
    transformations = get_args(Transformation)
    for column, transformation in choices.transformations.items():
        if transformation not in transformations:
            raise MarketError(
                f"{column} is to be seen as {transformation!r}; allowed are {', '.join(transformations)}.",
                "not_allowed",
            )
    if layout.dates.month_first is not None:
        row = int(np.argmax(layout.dates.moments != layout.dates.month_first))
        cell = table.cell(table.names.index(layout.date_column), row)
        day, month = (
            np.datetime_as_string(read[row], "D") for read in (layout.dates.moments, layout.dates.month_first)
        )
        raise MarketError(
            f"The dates of {table.file} can be read in two ways, {cell} as {day} or as {month}. Say day_first=True or "
            "day_first=False; in a shell, --market-dates day-first or month-first.",
            "two_readings",
        )


def _unanswered(question: Question, table: FileTable) -> str:
    """The sentence for a question that nobody has answered, with the argument that answers it."""
    choices = " or ".join(f"{question.argument}={answer!r} ({words})" for answer, words in question.answers.items())
    return f"{table.file}: {question.sentence} Say {choices}; in a shell --market-{question.argument}."
