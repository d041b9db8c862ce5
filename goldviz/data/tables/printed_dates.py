"""Dates as people and programs print them, read without guessing: where two readings fit, both are given.

Time stamps become days. A stamp at midnight of its own zone names a day; any other one is a moment, and counts for
the day that it falls on in UTC.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import MONTH_WORDS
from goldviz.data.tables.file_table import FileTable, is_missing, printed

DateOrder = Literal["year", "day", "month", "either"]
Moments = NDArray[np.datetime64]

ALLOWED_DATES = "2024-12-31, 31/12/2024, 12/31/24, Dec 31, 2024, 2024-12, 2024M12, 2024-Q4 and 20241231"
PERIODS = {
    period: f"Dates name {period}s; each value is put on the last day of its {period}, for it is not known earlier."
    for period in ("month", "quarter", "half-year", "year")
} | {
    "week": "Dates name weeks; each value is put on the Monday of its week.",
    "later": "Years such as 2023/24 are put on the last day of the second one: they may end earlier, but not later.",
}
"""What is said where dates name no days."""
FIRST_SHORT_YEAR = 69
"""Of years with two digits this one and later ones are of the last century, as in C's library."""
FARTHEST_ZONE = 14 * 3600
"""Seconds from UTC; 15:00-16:00 is an hour, and no time in a zone."""
FIRST_DAY = np.datetime64("1700-01-01", "s")
LAST_DAY = np.datetime64("2200-01-01", "s")
LAST_SECOND = 24 * 3600 - 1
"""Where 24:00 is put, which ends a day and counts on it."""
READ_FOR_FORM = 500
ENOUGH = 0.8
"""Share of the first cells that must have a form for the column to have it."""
MOST = 0.5
"""The same where all of these are dates, some in another form."""

MONTHS = {word: number for number, words in enumerate(MONTH_WORDS, 1) for word in words}
_NAME = f"(?P<name>{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DAY, _YEAR, _ANY_YEAR = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})", r"(?P<year>\d{4}|\d{2})"
_ASIDE = r"(?: *[(（][^()（）\d]{1,9}[)）])?"
"""The month or weekday, which some calendars say again in brackets."""
ZONES = {
    **{"EST": -5, "EDT": -4, "PST": -8, "PDT": -7, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2},
    **{"EET": 2, "EEST": 3, "MSK": 3, "HKT": 8, "SGT": 8, "JST": 9},
}
"""Hours ahead of UTC in zones whose short names mean one thing; CST is in Chicago and in Shanghai."""
_CLOCK = (
    r"(?:(?:T| +)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?(?P<half> ?[ap]m)?"
    rf" ?(?P<zone>Z|(?:UTC|GMT)?[+-]\d{{2}}(?::?\d{{2}})?|UTC|GMT|{'|'.join(ZONES)})?"
    r"(?: [-–] (?:[\d./-]+ )?\d{1,2}:\d{2}(?::\d{2})?)?)?"
)
_TH = "(?:st|nd|rd|th|er)?"
_WEEKDAY = "(?:(?:mo|tu|we|th|fr|sa|su|di|mi|do|so|lu|ma|me|je|ve|ju|vi|sá|gi|se|te|qu)[a-zà-ÿ-]*[.,]* +)?"
"""Begins a weekday in the languages in which months are read."""
_OF = "(?:de )?"
_REST = f"{_ASIDE}{_CLOCK}{_ASIDE}"


@dataclass(frozen=True)
class DateForm:
    """A way of writing dates; the named groups of ``pattern`` say what its parts are.

    ``digits_alone`` says that its cells could as well be numbers.
    """

    order: DateOrder
    pattern: str
    digits_alone: bool = False


DATE_FORMS = (
    DateForm("year", rf"(?i)^{_WEEKDAY}{_YEAR}[-/.年] ?(?P<month>\d{{1,2}})[-/.月] ?{_DAY}[日.]?{_REST}$"),
    DateForm("year", rf"(?i)^{_YEAR}(?:[-/]| ?M)(?P<month>\d{{1,2}})$"),
    DateForm("year", rf"(?i)^(?:FY ?)?{_YEAR}[-/](?P<later>\d{{4}}|\d{{2}})$"),
    DateForm("year", rf"(?i)^(?P<month>\d{{1,2}})[-/]{_YEAR}$"),
    DateForm("year", rf"(?i)^{_YEAR}[- ]?[HS](?P<semester>[12])$"),
    DateForm("year", rf"(?i)^[HS](?P<semester>[12])[-/ ']*{_ANY_YEAR}$"),
    DateForm("year", rf"(?i)^{_YEAR}-?W(?P<week>\d{{2}})$"),
    DateForm("year", rf"(?i)^{_YEAR}[- ]?[QT](?P<quarter>[1-4])$"),
    DateForm("year", rf"(?i)^[QT](?P<quarter>[1-4])[-/ ']*{_ANY_YEAR}$"),
    DateForm("year", rf"(?i)^(?P<quarter>[1-4])[QT][-/ ']*{_ANY_YEAR}$"),
    DateForm("year", r"^(?P<year>1[789]\d\d|2[01]\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)$", digits_alone=True),
    DateForm("year", r"^(?P<year>1[789]\d\d|2[01]\d\d)(?P<month>0[1-9]|1[0-2])$", digits_alone=True),
    DateForm(
        "year",
        r"^(?P<year>1[789]\d\d|2[01]\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)[ T_;] ?"
        r"(?P<hour>\d{2}):?(?P<minute>\d{2}):?(?P<second>\d{2})(?P<zone>Z?)$",
    ),
    DateForm("either", rf"(?i)^{_WEEKDAY}(?P<first>\d{{1,2}})[-/.] ?(?P<last>\d{{1,2}})[-/.] ?{_YEAR}{_REST}$"),
    DateForm("either", rf"(?i)^{_WEEKDAY}(?P<first>\d{{1,2}})[/.](?P<last>\d{{1,2}})[/.](?P<year>\d{{2}}){_REST}$"),
    DateForm("month", rf"(?i)^{_WEEKDAY}{_NAME}[. -]+{_DAY}{_TH},?[ -]+{_YEAR}{_REST}$"),
    DateForm("day", rf"(?i)^{_WEEKDAY}{_DAY}{_TH}[. -]+{_OF}{_NAME}[., -]+{_OF}{_ANY_YEAR}{_REST}$"),
    DateForm("month", rf"(?i)^{_NAME}[., '-]+{_ANY_YEAR}$"),
    DateForm("year", r"^(?P<epoch>-?\d{9,10}|-?\d{12,13})(?:\.0+)?$", digits_alone=True),
)
"""Tried in this order; the last one is seconds or milliseconds since 1970."""

ANY_DATE = re.sub(r"\?P<\w+>", "?:", "|".join(f"(?:{form.pattern})" for form in DATE_FORMS))
_LOOKS = {
    form: re.compile(form.pattern.removeprefix("(?i)"), re.ASCII | re.IGNORECASE * form.pattern.startswith("(?i)"))
    for form in DATE_FORMS
}
"""The same patterns ready made: of a few cells Arrow would make them anew each time."""
_LIKE_ONE = re.compile(ANY_DATE.replace("(?i)", ""), re.ASCII | re.IGNORECASE)
"""Most columns hold numbers, which one pattern tells faster than many."""
SERIAL_DAYS = DateForm("year", r"^(?P<serial>[1-6]\d{4})(?:\.\d+)?$", digits_alone=True)
"""Days since 1899-12-30, as a spreadsheet counts them: taken for dates only where a table has no others."""
SERIAL_START = np.datetime64("1899-12-30", "s")


@dataclass(frozen=True)
class PrintedDates:
    """``moments`` (n,) count seconds and have no zone.

    With ``order`` 'either' they are read with the day first, and ``month_first`` (n,) holds the other reading.
    """

    order: DateOrder
    moments: Moments
    month_first: Moments | None = None
    notes: tuple[str, ...] = ()
    behind: int = 0
    """Seconds by which stamps at midnight of their zones are behind midnight of UTC, at most."""
    by_rows: bool = False
    """Whether nothing but the order of the rows tells that of day and month."""


def date_form(cells: pa.StringArray) -> DateForm | None:
    """The form that most of these trimmed cells have, or half of them where all are dates; None where there is none.

    >>> date_form(pa.array(["31.12.2024", "2.1.2025"])).order
    'either'
    """
    with_text = cells[:READ_FOR_FORM].filter(pc.invert(is_missing(cells[:READ_FOR_FORM]))).to_pylist()
    with_text = with_text or cells.filter(pc.invert(is_missing(cells)))[:READ_FOR_FORM].to_pylist()
    forms: Counter[DateForm | None] = Counter()
    for cell in with_text:
        looks = _LOOKS.items() if _LIKE_ONE.match(cell) else ()
        forms[next((form for form, look in looks if look.match(cell)), None)] += 1
        if len(with_text) - forms[None] < ENOUGH * len(with_text):
            return None
    least = {form: (ENOUGH if form.digits_alone else MOST) * len(with_text) for form in DATE_FORMS}
    common = [form for form in DATE_FORMS if forms[form] >= max(1, least[form])]
    return max(common, key=forms.__getitem__, default=None)


def read_dates(table: FileTable, column: int, form: DateForm, day_first: bool | None = None) -> PrintedDates:
    """The dates in a column of this form, read with the day first or not where the data leave it open.

    Raises :class:`MarketError` for a cell that is no such date, lies before 1700 or after 2199,
    and for time stamps of which some have a time zone and some have none; it names the row.
    """
    cells = printed(table.columns[column])
    groups = pc.extract_regex(cells, form.pattern)
    fits = pc.is_valid(groups)
    if not pc.all(fits).as_py() and (other := _second_form(cells, fits, form)):
        return _read_both(table, column, fits, (form, other), day_first)
    parts = {name: pc.struct_field(groups, name) for name in re.findall(r"\?P<(\w+)>", form.pattern)}
    _refuse(table, column, ~_flags(fits), lambda cell: f"{cell!r} is not a date as the others are")
    if "epoch" in parts:
        return _since_1970(table, column, parts["epoch"])
    if "serial" in parts:
        moments = SERIAL_START + (_whole(parts["serial"]) * 86_400).astype("timedelta64[s]")
        note = f"Dates are a spreadsheet's serial numbers: {cells[0].as_py()} is {moments[0].astype('datetime64[D]')}."
        return PrintedDates("year", moments, notes=(note,))
    if "first" in parts:
        reading = _ordered(table, column, parts, day_first)
    else:
        if parts.keys() == {"year", "month"}:
            # 1998/99, 1999/00, 2000/01 and so on are years from one into the next, and no months.
            later = _whole(parts["month"])
            follow = (_whole(parts["year"]) + 1 - later) % 100 == 0
            if later.max() > 12 and follow.mean() > ENOUGH:
                parts["later"] = parts.pop("month")
        period = next((name for name in ("week", "quarter", "later") if name in parts), "month")
        alone = PERIODS["half-year" if "semester" in parts else period]
        reading = PrintedDates(form.order, _days(parts), notes=() if "day" in parts else (alone,))
        if "name" in parts and "day" not in parts:
            _check_years(table, column, parts, reading.moments)
    days = reading.moments
    standing = f" when the {reading.order} stands first" if reading.order in ("day", "month") else ""
    _refuse(table, column, np.isnat(days), lambda cell: f"{cell!r} is no day of the calendar{standing}")
    _in_range(table, column, days)
    shift, notes, behind = _clocks(table, column, parts)
    return replace(_later(reading, shift, *_short_year(parts), *notes), behind=behind)


def _later(dates: PrintedDates, shift: NDArray[np.timedelta64], *notes: str) -> PrintedDates:
    """The dates at these times of their days, and what is said of it."""
    month_first = None if dates.month_first is None else dates.month_first + shift
    return replace(dates, moments=dates.moments + shift, month_first=month_first, notes=(*dates.notes, *notes))


def _second_form(cells: pa.StringArray, fits: pa.BooleanArray, form: DateForm) -> DateForm | None:
    """Another form, of one reading alone, that all cells have which do not have the first."""
    others = cells.filter(pc.invert(fits))
    clear = (one for one in DATE_FORMS if one is not form and one.order != "either" and not one.digits_alone)
    return next((one for one in clear if pc.all(pc.match_substring_regex(others, one.pattern)).as_py()), None)


def _read_both(
    table: FileTable, column: int, fits: pa.BooleanArray, forms: tuple[DateForm, DateForm], day_first: bool | None
) -> PrintedDates:
    """A column in which some cells have one form and the others another."""
    first = _flags(fits)
    moments = np.empty(len(first), "datetime64[s]")
    notes: list[str] = []
    readings = []
    for form, rows in zip(forms, (first, ~first), strict=True):
        columns = tuple(one.filter(pa.array(rows)) for one in table.columns)
        part = read_dates(replace(table, columns=columns, rows=table.rows[rows]), column, form, day_first)
        moments[rows] = part.moments
        readings.append(part)
        notes += part.notes
    cells = [repr(table.cell(column, int(np.argmax(rows)))) for rows in (first, ~first)]
    notes.append(f"Dates stand in two forms, {' and '.join(cells)}; both were read.")
    if "?P<first>" in forms[0].pattern and not in_order(moments):
        turned = np.where(first, moments, _turned(moments))
        if in_order(turned):
            moments = turned
            notes.append(f"Day and month of {cells[1]} and the like were turned round: so the rows are in order.")
    month_first = None
    if readings[0].month_first is not None:
        month_first = moments.copy()
        month_first[first] = readings[0].month_first
    return PrintedDates(readings[0].order, moments, month_first, tuple(dict.fromkeys(notes)))


def _turned(moments: Moments) -> Moments:
    """Each day and its month exchanged, as a spreadsheet of another country does; NaT where that is no day."""
    turned = pd.to_datetime(pd.DatetimeIndex(moments).strftime("%Y-%d-%m"), format="%Y-%m-%d", errors="coerce")
    return turned.to_numpy().astype("datetime64[s]")


def _short_year(parts: dict[str, pa.StringArray]) -> tuple[str, ...]:
    """What is said where years have two digits."""
    years = parts["year"]
    if not pc.any(pc.equal(pc.utf8_length(years), 2)).as_py():
        return ()
    short = years.filter(pc.equal(pc.utf8_length(years), 2))[0].as_py()
    return (f"Years have two digits: {short} is read as {_full_years(np.array([int(short)]))[0]}.",)


def _check_years(table: FileTable, column: int, parts: dict[str, pa.StringArray], months: Moments) -> None:
    """Raise :class:`MarketError` for Jan-02, Jan-03, Jan-04, which are days without a year."""
    short = pc.all(pc.equal(pc.utf8_length(parts["year"]), 2)).as_py()
    if short and not (in_order(months) and len(np.unique(months.astype("datetime64[M]").astype(int) % 12)) > 2):
        raise MarketError(
            f"The dates of {table.file} have no year, or one of two digits, as in {table.cell(column, 0)!r}. Write "
            f"years of four digits. Allowed are {ALLOWED_DATES}.",
            "two_digit_years",
        )


def _full_years(years: NDArray[np.int64]) -> NDArray[np.int64]:
    """Years of four digits for those of two; 24 is 2024, 69 is 1969."""
    return years + np.where(years < FIRST_SHORT_YEAR, 2000, 1900)


def with_clock(dates: PrintedDates, table: FileTable, column: int) -> PrintedDates:
    """The dates at the times of day in another column: 17:30, 9:30 PM, 93000, 0930, 13, HE 13 or 12:00 - 13:00.

    Raises :class:`MarketError` for a cell that is no such time.
    """
    cells = pc.replace_substring_regex(printed(table.columns[column]), r"(?i)^[a-z]+ ?| ?h$| ?[-–].*$", "")
    longest = pc.max(pc.utf8_length(cells)).as_py()
    if longest <= 2:
        # Hours to 24; with a 25th on the day on which clocks are set back they are no more than counted.
        counts = _whole(cells)
        seconds = np.minimum(counts * (3600 if counts.max() <= 24 else 60), LAST_SECOND)
        return _later(dates, seconds.astype("timedelta64[s]"), f"The hour of the day stands in {table.names[column]}.")
    if pc.all(pc.match_substring_regex(cells, r"^\d+$")).as_py():
        cells = pc.utf8_lpad(cells, 4 if longest <= 4 else 6, "0")
    pattern = r"(?i)^(?P<hour>\d{1,2}):?(?P<minute>\d{2})?(?::?(?P<second>\d{2})(?:[.,]\d+)?)?(?P<half> ?[ap]m)?$"
    groups = pc.extract_regex(cells, pattern)
    _refuse(table, column, ~_flags(pc.is_valid(groups)), lambda cell: f"{cell!r} is no time of day")
    parts = {name: pc.struct_field(groups, name) for name in ("hour", "minute", "second", "half")}
    return _later(dates, _since_midnight(table, column, parts), f"The time of day stands in {table.names[column]}.")


def ascending(moments: Moments) -> bool:
    """Whether no moment is before the one in front of it."""
    return bool((np.diff(moments).astype(np.int64) >= 0).all())


def in_order(moments: Moments) -> bool:
    """Whether moments are in the order of time, or all in the opposite one; none of them may be NaT."""
    return not np.isnat(moments).any() and (ascending(moments) or ascending(moments[::-1]))


def _year_first(parts: dict[str, pa.StringArray]) -> Moments:
    """The days where a year of two digits stands first; an order that no calendar has where it cannot."""
    reading = {"year": parts["first"], "month": parts["last"], "day": parts["year"]}
    days = _days(reading)
    short = pc.max(pc.utf8_length(parts["year"])).as_py() == 2 and not np.isnat(days).any()
    return days if short else np.array(["2000-01-02", "2000-01-01", "2000-01-03"], "datetime64[s]")


def _since_1970(table: FileTable, column: int, counts: pa.StringArray) -> PrintedDates:
    whole = counts.cast(pa.int64()).to_numpy()
    moments = np.where(np.abs(whole) >= 10**11, whole // 1000, whole).astype("datetime64[s]")
    _in_range(table, column, moments)
    return PrintedDates("year", moments, notes=("Dates are seconds since 1970, read as days of UTC.",))


def _days(parts: dict[str, pa.StringArray], day: str = "day", month: str = "month") -> Moments:
    """The days that these parts name, NaT where there is no such day; a month alone stands for its last day."""
    years = _whole(parts["year"])
    years = np.where(pc.equal(pc.utf8_length(parts["year"]), 2).to_numpy(False), _full_years(years), years)
    if "week" in parts:
        weeks = pc.binary_join_element_wise(parts["year"], parts["week"], "1", "-").to_pandas()
        return np.asarray(pd.to_datetime(weeks, format="%G-%V-%u", errors="coerce"), "datetime64[s]")
    if "later" in parts:
        months, years = np.where((years + 1 - _whole(parts["later"])) % 100 == 0, 12, 0), years + 1
    elif "quarter" in parts:
        months = 3 * _whole(parts["quarter"])
    elif "semester" in parts:
        months = 6 * _whole(parts["semester"])
    elif "name" in parts:
        places = pc.index_in(pc.utf8_lower(parts["name"]), value_set=pa.array(list(MONTHS)))
        months = np.array(list(MONTHS.values()))[places.to_numpy()]
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


def _ordered(table: FileTable, column: int, parts: dict[str, pa.StringArray], day_first: bool | None) -> PrintedDates:
    """Day or month first: the caller's word, else told by a part over 12, else by the order of the rows.

    Raises :class:`MarketError` where years of two digits stand first, as their order tells.
    """
    by_day, by_month = _days(parts, "first", "last"), _days(parts, "last", "first")
    if day_first is None and in_order(_year_first(parts)) and not any(map(in_order, (by_day, by_month))):
        cell = table.cell(column, 0)
        raise MarketError(
            f"The dates of {table.file} have a year of two digits in front, as in {cell!r}; they can be read in "
            f"three ways. Write years of four digits. Allowed are {ALLOWED_DATES}.",
            "two_digit_years",
        )
    day, month = PrintedDates("day", by_day), PrintedDates("month", by_month)
    if day_first is not None:
        return day if day_first else month
    days_fail, months_fail = np.isnat(by_day).sum(), np.isnat(by_month).sum()
    if days_fail or months_fail:
        return day if days_fail <= months_fail else month
    if (by_day == by_month).all():
        return day
    day_sorted, month_sorted = in_order(by_day), in_order(by_month)
    if day_sorted == month_sorted:
        return PrintedDates("either", by_day, by_month)
    first = day if day_sorted else month
    note = f"The {first.order} is taken to stand first in dates: so the rows are in order."
    return replace(first, notes=(note,), by_rows=True)


def _clocks(
    table: FileTable, column: int, parts: dict[str, pa.StringArray]
) -> tuple[NDArray[np.timedelta64], tuple[str, ...], int]:
    """Seconds since midnight of UTC, what was noticed, and how far midnights are behind UTC's at most."""
    nothing = np.zeros(len(table.rows), "timedelta64[s]")
    if "hour" not in parts or not pc.any(pc.not_equal(parts["hour"], "")).as_py():
        return nothing, (), 0
    clock = _since_midnight(table, column, parts)
    zones = pc.dictionary_encode(parts["zone"])
    names = zones.dictionary.to_pylist()
    if "" in names:
        if len(names) > 1:
            bare = _flags(pc.equal(parts["zone"], ""))
            _refuse(table, column, bare, lambda cell: f"{cell!r} has no time zone while others have one")
        return clock, (), 0
    ahead = np.array([_seconds_ahead(name) for name in names])[zones.indices.to_numpy()]
    _refuse(table, column, np.abs(ahead) > FARTHEST_ZONE, lambda cell: f"{cell!r} has a time zone that there is not")
    if not clock.astype(int).any():
        note = "Time stamps are at midnight of their time zones; their days stay as written."
        return nothing, (note,), max(0, -int(ahead.min()))
    several = f" in {len(names)} time zones" if len(names) > 1 else " in a time zone"
    return clock - ahead.astype("timedelta64[s]"), (f"Time stamps{several} were converted to days of UTC.",), 0


def _since_midnight(table: FileTable, column: int, parts: dict[str, pa.StringArray]) -> NDArray[np.timedelta64]:
    """The times of day in these parts; of 12 hours where they say am or pm."""
    hours, minutes, seconds = (_whole(parts[name]) for name in ("hour", "minute", "second"))
    if "half" in parts:
        half = pc.utf8_lower(pc.utf8_trim_whitespace(parts["half"]))
        hours = np.where(_flags(pc.equal(half, "am")) & (hours == 12), 0, hours)
        hours = hours + np.where(_flags(pc.equal(half, "pm")) & (hours < 12), 12, 0)
    whole = 3600 * hours + 60 * minutes + seconds
    wrong = ((hours > 23) & (whole != LAST_SECOND + 1)) | (minutes > 59) | (seconds > 60)
    _refuse(table, column, wrong, lambda cell: f"{cell!r} has a time that no clock shows")
    return np.where(hours > 23, LAST_SECOND, whole).astype("timedelta64[s]")


def _seconds_ahead(zone: str) -> int:
    zone = zone.upper().removeprefix("UTC").removeprefix("GMT")
    if not zone or zone[0] not in "+-":
        return 3600 * ZONES.get(zone, 0)
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
            f"{ALLOWED_DATES}.",
            "bad_date",
        )


def _whole(digits: pa.StringArray) -> NDArray[np.int64]:
    """Whole numbers; 0 for the empty text."""
    digits_or_zero = pc.if_else(pc.equal(digits, ""), "0", digits)
    whole: NDArray[np.int64] = digits_or_zero.cast(pa.int64()).to_numpy()
    return whole


def _flags(flags: pa.BooleanArray) -> NDArray[np.bool_]:
    bools: NDArray[np.bool_] = flags.to_numpy(zero_copy_only=False)
    return bools
