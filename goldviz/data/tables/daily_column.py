"""One channel out of a file: its values by day, and whatever speaks against using them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.data.tables.file_table import FileTable
from goldviz.data.tables.printed_dates import Moments, PrintedDates, ascending
from goldviz.data.tables.printed_numbers import ReadNumbers
from goldviz.plurals import how_many

FEWEST_VALUES = 30
LARGEST_VALUE = 1e15
LONGEST_STEP = 3
"""Days between two values, in the median, of a series whose weekdays are worth a word."""

LONGEST_HOLE = 30
"""Days without a value, in such a series, that are worth a word."""

WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


@dataclass(frozen=True)
class DatedTable:
    """A table whose dates, in the column at ``place``, have been read."""

    table: FileTable
    place: int
    dates: PrintedDates

    @cached_property
    def days(self) -> tuple[pd.DatetimeIndex, NDArray[np.intp]]:
        """The days of its rows, ascending, for all columns together; and which of them each row is of."""
        days, of_day = np.unique(self.dates.moments.astype("datetime64[D]"), return_inverse=True)
        return pd.DatetimeIndex(days.astype("datetime64[s]")), of_day


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
    latest_clock: int = 0
    """The latest time of day among the values' stamps, in seconds; 0 for days, and for several stamps a day."""
    one_clock: bool = False
    """Whether all stamps have that time of day."""
    behind: int = 0
    """Seconds by which the midnights of the stamps' zone are behind those of UTC."""
    unit: str = ""
    """What the file says above the table."""
    change_of: str = ""
    """The column of which this is the change from row to row."""
    of: str = ""
    """The column of the values in a long table, or of a bar's prices: what they are of is no other number."""


def daily_column(
    source: DatedTable, column: int, numbers: ReadNumbers, rows: NDArray[np.int64], words: str
) -> DailyColumn:
    """The values in these rows of a column by day.

    A value that stands twice at one moment counts once, and two different ones are trouble; of a day's several
    moments the last counts. ``words`` name the column in sentences.
    """
    moments, values = source.dates.moments[rows], numbers.values[rows]
    rows_with_values = np.flatnonzero(np.isfinite(values))
    rows_with_values = rows_with_values[np.argsort(moments[rows_with_values], kind="stable")]
    at, there = moments[rows_with_values], values[rows_with_values]
    again = np.flatnonzero(at[1:] == at[:-1])
    some = len(rows) < len(source.dates.moments)
    days, of_day = (replace(source, dates=replace(source.dates, moments=moments)) if some else source).days
    by_day = np.full(len(days), np.nan)
    # Of several for one day numpy keeps the last, and they are in the order of time.
    by_day[of_day[rows_with_values]] = there
    days_with_values = np.flatnonzero(np.isfinite(by_day))
    inside = slice(days_with_values[0], days_with_values[-1] + 1) if len(days_with_values) else slice(0)
    series = pd.Series(by_day[inside], days[inside])
    several = len(at) - len(again) > len(days_with_values)
    differ = again[there[again + 1] != there[again]]
    trouble = _wrong_cell(source, column, numbers, rows, words)
    if not trouble and len(differ):
        trouble = _two_values(
            source, column, rows[rows_with_values[differ[0]]], rows[rows_with_values[differ[0] + 1]], words
        )
    if not trouble and len(days_with_values) < FEWEST_VALUES:
        days_of_many = f"{how_many(len(at), 'value')} on {how_many(len(days_with_values), 'day')}, and one a day counts"
        count = days_of_many if several else how_many(len(days_with_values), "value")
        trouble = f"{words} has {count}; at least {FEWEST_VALUES} are needed. Choose a longer file."
    notes = _order_notes(moments, source.dates)
    if len(again):
        notes += (f"{how_many(len(again), 'value', 'stands', 'stand')} there twice for the same time: one counts.",)
    if several:
        notes += ("There are several values a day; the last of each day counts.",)
        notes += _sampling(at)
    else:
        notes += _calendar(days[days_with_values].to_numpy().astype("datetime64[D]"), by_day[days_with_values])
    clocks = (at - at.astype("datetime64[D]")).astype(int)
    latest_clock = 0 if several else int(clocks.max(initial=0))
    empty = int((moments > at[-1]).sum()) if len(at) else 0
    if empty:
        notes += (f"{how_many(empty, 'row')} after the last value {'are' if empty > 1 else 'is'} empty.",)
    return DailyColumn(
        series,
        notes,
        trouble,
        several,
        numbers.percent,
        len(values) - len(rows_with_values),
        latest_clock,
        len(at) > 0 and not several and bool((clocks == latest_clock).all()),
        source.dates.behind,
    )


def _sampling(moments: Moments) -> tuple[str, ...]:
    """What is said where one half of the time has other numbers of values a day than the other."""
    counts = np.unique(moments.astype("datetime64[D]"), return_counts=True)[1]
    half = len(counts) // 2
    if half < 2:
        return ()
    first, last = (int(np.median(part)) for part in (counts[:half], counts[half:]))
    if max(first, last) < 2 * min(first, last):
        return ()
    return (f"Sampling changes: {first} values a day in the first half of the time, {last} in the second.",)


def _calendar(days: NDArray[np.datetime64], values: NDArray[np.float64]) -> tuple[str, ...]:
    """What is said of a long time without values, and of a week that is not Monday to Friday."""
    gaps = np.diff(days).astype(int)
    if len(days) < FEWEST_VALUES or 2 * (gaps > LONGEST_STEP).sum() > len(gaps):
        return ()
    longest = int(np.argmax(gaps))
    hole = f"No values for {gaps[longest]} days, until {days[longest + 1]}."
    return (*([hole] if gaps[longest] > LONGEST_HOLE else []), *_weekdays(days, values))


def _weekdays(days: NDArray[np.datetime64], values: NDArray[np.float64]) -> tuple[str, ...]:
    of_week = (days.astype(int) + 3) % 7
    counts = np.bincount(of_week, minlength=7)
    none = [WEEKDAYS[day] for day in range(5) if not counts[day]]
    weekend = [f"{counts[day]} on {WEEKDAYS[day]}" for day in (5, 6) if counts[day]]
    opened_on_sundays = none == ["Fridays"] and not counts[5]  # told with what it means for when values are known
    if opened_on_sundays or not (none or weekend):
        return ()
    parts = [f"none on {', '.join(none)}"] if none else []
    flat = int(((of_week[1:] > 4) & (values[1:] == values[:-1])).sum())
    repeats = f" {flat} of these repeat the value of the day before." if 2 * flat > counts[5:].sum() else ""
    return (f"Values by weekday: {', '.join([*parts, *weekend])}.{repeats}",)


def _wrong_cell(source: DatedTable, column: int, numbers: ReadNumbers, rows: NDArray[np.int64], words: str) -> str:
    wrong = numbers.wrong[rows] | (np.abs(numbers.values[rows]) > LARGEST_VALUE)
    if not wrong.any():
        return ""
    row = int(rows[np.argmax(wrong)])
    expectation = "numbers and empty cells" if numbers.wrong[row] else f"sizes up to {LARGEST_VALUE:g}"
    return f"{words} has {source.table.cell(column, row)!r} in row {source.table.rows[row]}; allowed are {expectation}."


def _two_values(source: DatedTable, column: int, first: int, second: int, words: str) -> str:
    table = source.table
    return (
        f"{words} has two values for {table.cell(source.place, first)}, {table.cell(column, first)} in row "
        f"{table.rows[first]} and {table.cell(column, second)} in row {table.rows[second]}; each date may have one."
    )


def _order_notes(moments: Moments, dates: PrintedDates) -> tuple[str, ...]:
    if dates.order == "either" or ascending(moments):
        return ()
    if ascending(moments[::-1]):
        return ("The newest row stood first: sorted oldest first.",)
    return ("The rows were not in the order of their dates: sorted oldest first.",)
