"""Long tables: a row for each value, and a column that names its channel, or what the whole table is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import CHANNEL_WORDS, KNOWN_WORDS, name_words
from goldviz.data.tables.daily_column import DailyColumn, DatedTable, daily_column
from goldviz.data.tables.file_table import FileTable, distinct_names, is_missing, plain_words, printed
from goldviz.data.tables.printed_numbers import ReadNumbers
from goldviz.data.tables.understood import Question, Told
from goldviz.plurals import how_many

MOST_CHANNELS = 200
ROWS_FOR_DAYS = 200
"""So many rows, spread over a table, tell whether a column is a part of the dates."""
MOSTLY_REPEATED = 0.6
"""Where there are fewer different dates than this share of the rows, names beside them are channels without a doubt."""


def channel_names(
    source: DatedTable, columns: Sequence[int], answers: Told
) -> tuple[tuple[int, pa.DictionaryArray] | None, Question | None]:
    """The column of a long table that names the channels, with its names; and a question where that is not sure."""
    moments, table = source.dates.moments, source.table
    different = len(np.unique(moments)) if columns else 0
    for column in columns:
        name = table.names[column]
        is_answer = answers.split == name
        has_name = bool(name_words(name) & CHANNEL_WORDS) or (different < len(moments) and len(columns) == 1)
        if not (is_answer or has_name):
            continue
        names = pc.dictionary_encode(printed(table.columns[column]))
        few = 1 < len(names.dictionary) <= min(MOST_CHANNELS, len(names) // 10)
        if not few or pc.any(is_missing(names.dictionary)).as_py():
            continue
        if is_answer or different <= MOSTLY_REPEATED * len(moments):
            return (column, names), None
        sentence = (
            f"{name} has {len(names.dictionary)} names, and most dates have one row: is each name its own column?"
        )
        return (column, names), None if answers.split == "" else Question("split", sentence, {})
    if answers.split:
        raise MarketError(
            f"{table.file} has no names in {plain_words(answers.split)!r}; allowed is a column of names "
            "that come again.",
            "not_offered",
        )
    return None, None


def split_question(
    question: Question,
    source: DatedTable,
    key: tuple[int, pa.DictionaryArray],
    whole: DailyColumn,
    numbers: ReadNumbers,
    price: int,
) -> Question:
    """The question with what comes of each answer."""
    counts = np.bincount(key[1].indices.to_numpy())
    names = [plain_words(name, 20) for name in key[1].dictionary.to_pylist()]
    by_name = ", ".join(f"{names[code]} {counts[code]}" for code in np.argsort(-counts, kind="stable")[:6])
    repeats = len(source.dates.moments) - len(np.unique(source.dates.moments))
    twice = f", {how_many(repeats, 'row', 'repeats', 'repeat')} a date" if repeats else ""
    name = source.table.names[price]
    last = whole.values.iloc[-1] if len(whole.values) else float("nan")
    return replace(
        question,
        answers={
            "": f"all rows are one {name}: {how_many(len(whole.values.dropna()), 'day')}{twice}, last {last:,.10g}",
            source.table.names[key[0]]: f"a column for each: {by_name} rows",
        },
    )


def one_row_a_moment(source: DatedTable) -> tuple[NDArray[np.int64], list[str]]:
    """Each moment's first row, and how many others there are."""
    firsts = np.sort(np.unique(source.dates.moments, return_index=True)[1])
    again = len(source.dates.moments) - len(firsts)
    note = f"{how_many(again, 'row', 'repeats', 'repeat')} a date; the first of each date counts."
    return firsts, [note] if again else []


def without_entities(
    source: DatedTable, numeric: list[int], text: Sequence[int], numbers: Mapping[int, ReadNumbers]
) -> tuple[list[int], list[str]]:
    """The columns of numbers without those that name what the table is of or count its rows or days, and what they
    say."""
    table = source.table
    names = [column for column in text if one_name(table, column)]
    codes = [
        column
        for column in numeric
        if name_words(table.names[column]) & CHANNEL_WORDS and np.ptp(numbers[column].values) == 0
    ]
    moments = source.dates.moments
    rows = np.linspace(0, len(moments) - 1, min(ROWS_FOR_DAYS, len(moments))).astype(int)
    days = pd.DatetimeIndex(moments[rows])
    week, weekday = days.isocalendar().week, days.day_of_week
    # What a calendar counts of each day.
    parts = (days.year, days.quarter, days.month, days.day, week, days.day_of_year, weekday, weekday + 1)
    counts = [
        column
        for column in numeric
        if _counts_rows(table.names[column], numbers[column].values)
        or any(np.array_equal(numbers[column].values[rows], part) for part in parts)
    ]
    others = [column for column in numeric if column not in (*codes, *counts)]
    notes = [f"{table.names[column]} is {table.cell(column, 0)} in every row." for column in (*names, *codes)]
    if others:
        notes += [f"{table.names[column]} only counts rows or days and is left out." for column in counts]
    return others or numeric, notes


def _counts_rows(name: str, values: NDArray[np.float64]) -> bool:
    """Whether a column numbers the rows from 0 or 1, as an index does that was written beside them."""
    up = values if values[0] in (0, 1) else values[::-1]
    return up[0] in (0, 1) and bool((np.diff(up) == 1).all()) and not name_words(name) & KNOWN_WORDS


def one_name(table: FileTable, column: int) -> bool:
    """Whether a column of text has the same in all of its rows."""
    names = pc.unique(printed(table.columns[column]))
    return len(names) == 1 and bool(names[0].as_py())


def by_channel(
    source: DatedTable, key: pa.DictionaryArray, column: int, numbers: ReadNumbers
) -> dict[str, DailyColumn]:
    """A candidate for each name in a long table, in the order in which they appear."""
    codes = key.indices.to_numpy()
    file, unit = source.table.file, source.table.units.get(source.table.names[column], "")
    return {
        name: replace(
            daily_column(source, column, numbers, np.flatnonzero(codes == code), f"Column {name} of {file}"),
            unit=unit,
            of=source.table.names[column],
        )
        for code, name in enumerate(distinct_names(key.dictionary.to_pylist()))
    }
