"""One channel out of a file: its values by day, and whatever speaks against using them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.data.tables.file_table import FileTable
from goldviz.data.tables.printed_dates import Moments, PrintedDates, ascending
from goldviz.data.tables.printed_numbers import ReadNumbers

FEWEST_VALUES = 30
LARGEST_VALUE = 1e15


@dataclass(frozen=True)
class DatedTable:
    """A table whose dates, in the column at ``place``, have been read."""

    table: FileTable
    place: int
    dates: PrintedDates


@dataclass(frozen=True)
class DailyColumn:
    """``values`` over days, ascending, each once, from the first value to the last; NaN on days listed without one.

    ``trouble`` is the sentence that says why it cannot be used, empty where it can. ``several_a_day`` says that each
    day's last moment was taken. ``missing`` counts all rows without a value, before the first and after the last too.
    """

    values: pd.Series
    notes: tuple[str, ...] = ()
    trouble: str = ""
    several_a_day: bool = False
    percent: bool = False
    missing: int = 0


def daily_column(
    dated: DatedTable, column: int, numbers: ReadNumbers, rows: NDArray[np.int64], words: str
) -> DailyColumn:
    """The values in these rows of a column by day.

    A value that stands twice at one moment counts once, and two different ones are trouble; of a day's several
    moments the last counts. ``words`` name the column in sentences.
    """
    moments, values = dated.dates.moments[rows], numbers.values[rows]
    seen = np.flatnonzero(np.isfinite(values))
    seen = seen[np.argsort(moments[seen], kind="stable")]
    at, there = moments[seen], values[seen]
    again = np.flatnonzero(at[1:] == at[:-1])
    days, of_day = np.unique(moments.astype("datetime64[D]"), return_inverse=True)
    by_day = np.full(len(days), np.nan)
    by_day[of_day[seen]] = there  # Of several for one day numpy keeps the last, and they are in the order of time.
    known = np.flatnonzero(np.isfinite(by_day))
    inside = slice(known[0], known[-1] + 1) if len(known) else slice(0)
    series = pd.Series(by_day[inside], pd.DatetimeIndex(days[inside].astype("datetime64[s]")))
    several = len(at) - len(again) > len(known)
    differ = again[there[again + 1] != there[again]]
    trouble = _wrong_cell(dated, column, numbers, rows, words)
    if not trouble and len(differ):
        trouble = _two_values(dated, column, rows[seen[differ[0]]], rows[seen[differ[0] + 1]], words)
    if not trouble and len(known) < FEWEST_VALUES:
        trouble = f"{words} has {len(known)} values; at least {FEWEST_VALUES} are needed."
    notes = _order_notes(moments, dated.dates)
    if len(again):
        notes += (f"{len(again)} values stand there twice for the same time and count once.",)
    if several:
        notes += ("There are several values a day; the last of each day counts.",)
    if len(series) and (pd.DatetimeIndex(series.index).day == 1).all():
        notes += ("All dates are the first of a month: averages of the month would be known only after it.",)
    empty = int((moments > at[-1]).sum()) if len(at) else 0
    if empty:
        notes += (f"{empty} row{'s' if empty > 1 else ''} after the last value {'are' if empty > 1 else 'is'} empty.",)
    return DailyColumn(series, notes, trouble, several, numbers.percent, len(values) - len(seen))


def _wrong_cell(dated: DatedTable, column: int, numbers: ReadNumbers, rows: NDArray[np.int64], words: str) -> str:
    wrong = numbers.wrong[rows] | (np.abs(numbers.values[rows]) > LARGEST_VALUE)
    if not wrong.any():
        return ""
    row = int(rows[np.argmax(wrong)])
    allowed = "numbers and empty cells" if numbers.wrong[row] else f"sizes up to {LARGEST_VALUE:g}"
    return f"{words} has {dated.table.cell(column, row)!r} in row {dated.table.rows[row]}; allowed are {allowed}."


def _two_values(dated: DatedTable, column: int, first: int, second: int, words: str) -> str:
    table = dated.table
    return (
        f"{words} has two values for {table.cell(dated.place, first)}, {table.cell(column, first)} in row "
        f"{table.rows[first]} and {table.cell(column, second)} in row {table.rows[second]}; each date may have one."
    )


def _order_notes(moments: Moments, dates: PrintedDates) -> tuple[str, ...]:
    if dates.order == "either" or ascending(moments):
        return ()
    if ascending(moments[::-1]):
        return ("The newest row stood first: sorted oldest first.",)
    return ("The rows were not in the order of their dates: sorted oldest first.",)
