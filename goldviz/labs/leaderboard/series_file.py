"""A visitor's file as a series: a column of times, then a channel in each column, as forecasting benchmarks lay it out.

The house's readers take CSV, Excel and Parquet apart; here are the rules of a series at equal steps. Some benchmarks
are distributed without times, as numbers alone: their rows are taken as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from goldviz.data.markets.files import check_size, table_in
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.brought_files import Told, brought_content, told
from goldviz.data.tables.column_words import DATE_PARTS, DATE_WORDS, name_words
from goldviz.data.tables.date_columns import date_columns
from goldviz.data.tables.file_table import FileTable, Report, plain_words, unheard
from goldviz.data.tables.kept_labels import keep_label
from goldviz.data.tables.printed_dates import Moments, ascending, read_dates
from goldviz.data.tables.printed_numbers import ReadNumbers, decimal_mark, read_numbers
from goldviz.data.tables.whole_files import digest, disk_faults_as
from goldviz.labs.leaderboard.multivariate import KEPT_SERIES, SOURCE, MultivariateSeries, SeriesError, packed

FEWEST_ROWS, MOST_ROWS, MOST_NUMBERS = 30, 100_000, 2_000_000
STEPS = {60: "minute", 900: "quarter of an hour", 1800: "half hour", 3600: "hour", 86_400: "day", 604_800: "week"}
"""Seconds between two rows, and what a row is then called."""
WITHOUT_TIMES = "No column has times: rows are taken in the file's order, at equal steps."


@dataclass(frozen=True)
class SeriesFile:
    """The series in a file, and sentences on what was noticed."""

    series: MultivariateSeries
    notes: tuple[str, ...]


def read_series(content: bytes, name: str, report: Report = unheard) -> SeriesFile:
    """The series in a file, oldest row first, without columns that hold no number or never change.

    Raises :class:`SeriesError` for a file that cannot be read, with too few or too many rows, times that come again or
    are out of order, and a channel with a gap; the sentence names the column and the row.

    >>> rows = "".join(f"2024-01-{day:02d},{day % 7},4\\n" for day in range(1, 32))
    >>> file = read_series(f"date,load,flat\\n{rows}".encode(), "load.csv")
    >>> file.series.names, file.series.row, file.notes
    (('load',), 'day', ('Left out, for it is 4 in every row: flat.',))
    """
    file = plain_words(name) or "The file"
    try:
        check_size(len(content), file)
        return _series(table_in(content, file, "", report))
    except MarketError as error:
        raise SeriesError(str(error), error.code) from None


def _series(table: FileTable) -> SeriesFile:
    count = len(table.rows)
    if not FEWEST_ROWS <= count <= MOST_ROWS:
        raise SeriesError(
            f"{table.file} has {count:,} rows; allowed are {FEWEST_ROWS} to {MOST_ROWS:,}.",
            "too_few" if count < FEWEST_ROWS else "too_large",
        )
    order, row = slice(None), "step"
    notes: tuple[str, ...] = (WITHOUT_TIMES,)
    numbers = _numbers_alone(table)
    if not numbers:
        place, form = date_columns(table)[0]
        order, moments, notes = _in_order(table, read_dates(table, place, form).moments)
        row, uneven = _step(moments)
        notes += uneven
        numbers = _numbers(table, [column for column in range(len(table.names)) if column != place])
    others = list(numbers)
    numeric = [column for column in others if numbers[column].numeric]
    if not numeric:
        raise SeriesError(
            f"{table.file} has no column of numbers beside its times; allowed is a channel a column.", "no_numbers"
        )
    if count * len(numeric) > MOST_NUMBERS:
        raise SeriesError(
            f"{table.file} has {count * len(numeric):,} numbers; allowed are at most {MOST_NUMBERS:,}. "
            "Take fewer columns.",
            "too_large",
        )
    if left_out := [table.names[column] for column in others if column not in numeric]:
        notes += (f"Left out, as they hold no numbers: {', '.join(left_out)}.",)
    for column in numeric:
        _check_whole(table, column, numbers[column])
    flat = [column for column in numeric if np.ptp(numbers[column].values) == 0]
    if len(flat) == len(numeric):
        raise SeriesError(f"No channel of {table.file} ever changes; allowed are channels that vary.", "constant")
    notes += tuple(
        f"Left out, for it is {numbers[column].values[0]:g} in every row: {table.names[column]}." for column in flat
    )
    channels = [column for column in numeric if column not in flat]
    values = np.stack([numbers[column].values[order] for column in channels], axis=1)
    return SeriesFile(MultivariateSeries(tuple(table.names[column] for column in channels), values, row, SOURCE), notes)


def _numbers(table: FileTable, columns: Sequence[int]) -> dict[int, ReadNumbers]:
    """These columns as numbers, by place."""
    text = [table.columns[column] for column in columns if pa.types.is_string(table.columns[column].type)]
    decimal, _ = decimal_mark(text, table.separator)
    return {column: read_numbers(table.columns[column], decimal) for column in columns}


def _numbers_alone(table: FileTable) -> dict[int, ReadNumbers]:
    """The columns of a file that has no other: none is named like a date, can be read as one, or counts the rows."""
    with suppress(MarketError):
        if date_columns(table):
            return {}
    if any(name_words(name) & DATE_WORDS.union(*DATE_PARTS.values()) for name in table.names):
        return {}
    numbers = _numbers(table, range(len(table.names)))
    counting = (np.all(np.diff(column.values) == 1) for column in numbers.values())
    return numbers if all(column.numeric for column in numbers.values()) and not any(counting) else {}


def _in_order(table: FileTable, moments: Moments) -> tuple[slice, Moments, tuple[str, ...]]:
    """The rows oldest first, their times, and a note where the newest stood first."""
    newest_first = bool(moments[0] > moments[-1])
    order = slice(None, None, -1) if newest_first else slice(None)
    times, rows = moments[order], table.rows[order]
    again = np.flatnonzero(np.diff(times).astype(np.int64) == 0)
    if len(again):
        first, second = sorted((rows[again[0]], rows[again[0] + 1]))
        raise SeriesError(
            f"Rows {first} and {second} of {table.file} have the same time; allowed is each time once.", "twice"
        )
    if not ascending(times):
        place = int(np.argmax(np.diff(times).astype(np.int64) < 0))
        raise SeriesError(
            f"The time in row {rows[place + 1]} of {table.file} is before that in row {rows[place]}; allowed are times "
            "in order.",
            "not_ascending",
        )
    return order, times, ("The newest row stood first: sorted oldest first.",) if newest_first else ()


def _check_whole(table: FileTable, column: int, numbers: ReadNumbers) -> None:
    bad = numbers.wrong | ~np.isfinite(numbers.values)
    if bad.any():
        place = int(np.argmax(bad))
        cell = table.cell(column, place)
        what = f"has {cell!r}" if cell else "has no number"
        raise SeriesError(
            f"Column {table.names[column]} of {table.file} {what} in row {table.rows[place]}; allowed is a number in "
            "every row.",
            "bad_column",
        )


def _step(moments: Moments) -> tuple[str, tuple[str, ...]]:
    """What a row is called by the commonest step between two, and a note where others differ."""
    steps, counts = np.unique(np.diff(moments).astype(np.int64), return_counts=True)
    usual = int(counts.argmax())
    row, others = STEPS.get(int(steps[usual]), "step"), int(counts.sum() - counts[usual])
    if not others:
        return row, ()
    noun = "step between rows is" if others == 1 else "steps between rows are"
    return row, (f"{others:,} {noun} longer or shorter than the rest; all count as one.",)


@dataclass(frozen=True)
class BroughtSeries:
    """The name of a kept series, and sentences on how its file was read."""

    name: str
    notes: tuple[str, ...]


def keep(report: Report, key: str, file: str) -> Told[BroughtSeries]:
    """Keep the series in the file of this key, or say why it is refused.

    Raises :class:`SeriesError` where the server has let go of the file.
    """
    content = brought_content(key, file, SeriesError)
    return told(lambda: keep_series(content, file, report), SeriesError)


def keep_series(content: bytes, file: str, report: Report = unheard) -> BroughtSeries:
    """Keep the series in a file; the same series kept again has the same name.

    Raises :class:`SeriesError` as :func:`read_series` does, and where the folder cannot be written.
    """
    read = read_series(content, file, report)
    data = packed(read.series)
    name = digest(data)
    with disk_faults_as(SeriesError, "Series that are brought cannot be written on this server"):
        KEPT_SERIES.write(name, data)
        KEPT_SERIES.make_room(survivor=name)
    keep_label(name, file)
    return BroughtSeries(name, read.notes)
