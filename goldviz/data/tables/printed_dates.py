"""Dates as people and programs print them, read without guessing: where two readings fit, both are given.

Time stamps become days. A stamp at midnight of its own zone names a day; any other one is a moment, and counts for
the day that it falls on in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import FileTable, is_missing, printed

DateOrder = Literal["year", "day", "month", "either"]
Moments = NDArray[np.datetime64]

ALLOWED_DATES = "2024-12-31, 31/12/2024, 12/31/2024, Dec 31, 2024, 2024-12, 20241231 and seconds since 1970"
MONTHS_ALONE = "Dates name months; each value is put on the last day of its month, for it is not known earlier."
FIRST_DAY = np.datetime64("1700-01-01", "s")
LAST_DAY = np.datetime64("2200-01-01", "s")
READ_FOR_FORM = 500
ENOUGH = 0.8
"""Share of the first cells that must have a form for the column to have it."""

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NAME = "(?P<name>" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + "|sept)"
_DAY, _YEAR = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})"
_CLOCK = (
    r"(?:(?:T| +)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r" ?(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?"
)


@dataclass(frozen=True)
class DateForm:
    """A way of writing dates; the named groups of ``pattern`` say what its parts are.

    ``digits_alone`` says that its cells could as well be numbers.
    """

    order: DateOrder
    pattern: str
    digits_alone: bool = False


DATE_FORMS = (
    DateForm("year", rf"(?i)^{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.]{_DAY}{_CLOCK}$"),
    DateForm("year", rf"^{_YEAR}[-/](?P<month>\d{{1,2}})$"),
    DateForm("year", r"^(?P<year>1[789]\d\d|2[01]\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)$", digits_alone=True),
    DateForm("either", rf"(?i)^(?P<first>\d{{1,2}})[-/.](?P<last>\d{{1,2}})[-/.]{_YEAR}{_CLOCK}$"),
    DateForm("month", rf"(?i)^{_NAME}[. -]+{_DAY},?[ -]+{_YEAR}{_CLOCK}$"),
    DateForm("day", rf"(?i)^{_DAY}[. -]+{_NAME}[., -]+{_YEAR}{_CLOCK}$"),
    DateForm("month", rf"(?i)^{_NAME}[., -]+{_YEAR}$"),
    DateForm("year", r"^(?P<epoch>-?\d{9,10}|-?\d{12,13})$", digits_alone=True),
)
"""Tried in this order; the last one is seconds or milliseconds since 1970."""


@dataclass(frozen=True)
class PrintedDates:
    """``moments`` (n,) count seconds and have no zone.

    With ``order`` 'either' they are read with the day first, and ``month_first`` (n,) holds the other reading.
    """

    order: DateOrder
    moments: Moments
    month_first: Moments | None
    notes: tuple[str, ...] = ()
    behind: int = 0
    """Seconds by which stamps at midnight of their zones are behind midnight of UTC, at most."""


def date_form(cells: pa.StringArray) -> DateForm | None:
    """The form that most of these trimmed cells have, if any.

    >>> date_form(pa.array(["31.12.2024", "2.1.2025"])).order
    'either'
    """
    cells_with_text = cells[:READ_FOR_FORM].filter(pc.invert(is_missing(cells[:READ_FOR_FORM])))
    if len(cells_with_text) == 0:
        cells_with_text = cells.filter(pc.invert(is_missing(cells)))[:READ_FOR_FORM]
    for form in DATE_FORMS:
        fits = pc.sum(pc.match_substring_regex(cells_with_text, form.pattern)).as_py() or 0
        if fits and fits >= ENOUGH * len(cells_with_text):
            return form
    return None


def read_dates(table: FileTable, column: int, form: DateForm, day_first: bool | None = None) -> PrintedDates:
    """The dates in a column of this form, read with the day first or not where the data leave it open.

    Raises :class:`MarketError` for a cell that is no such date, lies before 1700 or after 2199,
    and for time stamps of which some have a time zone and some have none; it names the row.
    """
    cells = printed(table.columns[column])
    groups = pc.extract_regex(cells, form.pattern)
    parts = {name: pc.struct_field(groups, name) for name in re.findall(r"\?P<(\w+)>", form.pattern)}
    _refuse(table, column, ~_flags(pc.is_valid(groups)), lambda cell: f"{cell!r} is not a date as the others are")
    if "epoch" in parts:
        return _since_1970(table, column, parts["epoch"])
    if "first" in parts:
        reading = _ordered(parts, day_first)
    else:
        reading = _Reading(form.order, _days(parts), notes=() if "day" in parts else (MONTHS_ALONE,))
    order, days = reading.order, reading.days
    standing = {"day": " when the day stands first", "month": " when the month stands first"}.get(order, "")
    _refuse(table, column, np.isnat(days), lambda cell: f"{cell!r} is no day of the calendar{standing}")
    _in_range(table, column, days)
    clock, offsets, notes, behind = _clocks(table, column, parts)
    shift = clock - offsets
    month_first = None if reading.month_first is None else reading.month_first + shift
    return PrintedDates(order, days + shift, month_first, reading.notes + notes, behind)


def ascending(moments: Moments) -> bool:
    """Whether no moment is before the one in front of it."""
    return bool((np.diff(moments).astype(np.int64) >= 0).all())


def _since_1970(table: FileTable, column: int, counts: pa.StringArray) -> PrintedDates:
    whole = counts.cast(pa.int64()).to_numpy()
    moments = np.where(np.abs(whole) >= 10**11, whole // 1000, whole).astype("datetime64[s]")
    _in_range(table, column, moments)
    return PrintedDates("year", moments, None, ("Dates are seconds since 1970, read as days of UTC.",))


def _days(parts: dict[str, pa.StringArray], day: str = "day", month: str = "month") -> Moments:
    """The days that these parts name, NaT where there is no such day; a month alone stands for its last day."""
    years = _whole(parts["year"])
    if "name" in parts:
        starts = pc.utf8_lower(pc.utf8_slice_codeunits(parts["name"], 0, 3))
        months = pc.index_in(starts, value_set=pa.array([name[:3] for name in MONTHS])).to_numpy() + 1
    else:
        months = _whole(parts[month])
    sane = (months >= 1) & (months <= 12)
    begins = ((years - 1970) * 12 + np.where(sane, months, 1) - 1).astype("datetime64[M]")
    if day not in parts:
        days = (begins + 1).astype("datetime64[D]") - 1
    else:
        numbers = _whole(parts[day])
        days = begins.astype("datetime64[D]") + (numbers - 1)
        sane &= (numbers >= 1) & (days.astype("datetime64[M]") == begins)
    return np.where(sane, days, np.datetime64("NaT")).astype("datetime64[s]")


@dataclass(frozen=True)
class _Reading:
    order: DateOrder
    days: Moments
    month_first: Moments | None = None
    notes: tuple[str, ...] = ()


def _ordered(parts: dict[str, pa.StringArray], day_first: bool | None) -> _Reading:
    """Day or month first: the caller's word, else told by a part over 12, else by the order of the rows."""
    by_day, by_month = _days(parts, "first", "last"), _days(parts, "last", "first")
    day, month = _Reading("day", by_day), _Reading("month", by_month)
    if day_first is not None:
        return day if day_first else month
    days_fail, months_fail = np.isnat(by_day).sum(), np.isnat(by_month).sum()
    if days_fail or months_fail:
        return day if days_fail <= months_fail else month
    if (by_day == by_month).all():
        return day
    day_sorted, month_sorted = (ascending(days) or ascending(days[::-1]) for days in (by_day, by_month))
    if day_sorted == month_sorted:
        return _Reading("either", by_day, by_month)
    first = day if day_sorted else month
    return replace(first, notes=(f"The {first.order} is taken to stand first in dates: so the rows are in order.",))


def _clocks(
    table: FileTable, column: int, parts: dict[str, pa.StringArray]
) -> tuple[NDArray[np.timedelta64], NDArray[np.timedelta64], tuple[str, ...], int]:
    """Seconds since midnight as written, the seconds by which each zone is ahead of UTC, what was noticed, and how far
    midnights are behind UTC's at most."""
    nothing = np.zeros(len(table.rows), "timedelta64[s]")
    if "hour" not in parts or not pc.any(pc.not_equal(parts["hour"], "")).as_py():
        return nothing, nothing, (), 0
    hours, minutes, seconds = (_whole(parts[part]) for part in ("hour", "minute", "second"))
    wrong = (hours > 23) | (minutes > 59) | (seconds > 60)
    _refuse(table, column, wrong, lambda cell: f"{cell!r} has a time that no clock shows")
    clock = (3600 * hours + 60 * minutes + seconds).astype("timedelta64[s]")
    zones = pc.dictionary_encode(parts["zone"])
    names = zones.dictionary.to_pylist()
    if "" in names:
        if len(names) > 1:
            bare = _flags(pc.equal(parts["zone"], ""))
            _refuse(table, column, bare, lambda cell: f"{cell!r} has no time zone while others have one")
        return clock, nothing, (), 0
    ahead = np.array([_seconds_ahead(name) for name in names])[zones.indices.to_numpy()]
    _refuse(table, column, np.abs(ahead) > 86_400, lambda cell: f"{cell!r} has a time zone that there is not")
    if not clock.astype(int).any():
        note = "Time stamps are at midnight of their time zones; their days stay as written."
        return nothing, nothing, (note,), max(0, -int(ahead.min()))
    several = f" in {len(names)} time zones" if len(names) > 1 else " in a time zone"
    return clock, ahead.astype("timedelta64[s]"), (f"Time stamps{several} were converted to days of UTC.",), 0


def _seconds_ahead(zone: str) -> int:
    if zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return (3600 * int(digits[:2]) + 60 * int(digits[2:])) * (-1 if zone[0] == "-" else 1)


def _in_range(table: FileTable, column: int, days: Moments) -> None:
    outside = (days < FIRST_DAY) | (days >= LAST_DAY)
    _refuse(table, column, outside, lambda cell: f"{cell!r} lies outside the years that are allowed, 1700 to 2199")


def _refuse(table: FileTable, column: int, wrong: NDArray[np.bool_], words: Callable[[str], str]) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        cell = table.cell(column, place)
        what = words(cell) if cell else "there is no date"
        raise MarketError(
            f"In row {table.rows[place]} of {table.file}, column {table.names[column]}, {what}; allowed are "
            f"{ALLOWED_DATES}."
        )


def _whole(digits: pa.StringArray) -> NDArray[np.int64]:
    """Whole numbers; 0 for the empty text."""
    digits_or_zero = pc.if_else(pc.equal(digits, ""), "0", digits)
    whole: NDArray[np.int64] = digits_or_zero.cast(pa.int64()).to_numpy()
    return whole


def _flags(flags: pa.BooleanArray) -> NDArray[np.bool_]:
    bools: NDArray[np.bool_] = flags.to_numpy(zero_copy_only=False)
    return bools
