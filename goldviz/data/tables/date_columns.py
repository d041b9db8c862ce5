"""Which columns of a table hold the dates, and which one the times of day that belong to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import CLOCK_WORDS, DATE_PARTS, DATE_WORDS, HOUR_WORDS, name_words
from goldviz.data.tables.file_table import FileTable, distinct_names, plain_words, printed
from goldviz.data.tables.printed_dates import (
    ALLOWED_DATES,
    MONTHS,
    PERIODS,
    SERIAL_DAYS,
    DateForm,
    PrintedDates,
    date_form,
)

YEAR = r"^(?:1[789]|2[01])\d{2}(?:[.]0+)?$"
DATE_TYPES = (pa.types.is_string, pa.types.is_date, pa.types.is_timestamp, pa.types.is_integer)
CLOCK = r"^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?: ?[-–] ?\d{1,2}:\d{2})?$"
CLOCK_DIGITS = r"^(?:[01]?\d|2[0-3])[0-5]\d(?:[0-5]\d)?$"
HOURS = r"^(?:HE ?\d{1,2}|\d{1,2} ?(?:h|[AaPp][Mm]))$"
HOURS_BY_NAME = r"^(?:H|Hour)? ?\d{1,2}(?: ?[-–] ?\d{1,2})?$"
"""Hours of dates that come again, the latter in a column that is named as one of hours."""


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
            # A clock alone, or a number, stands behind a whole date that is named like one.
            candidates.append((not by_name or form.digits_alone, place, form))
    if not candidates and (form := _serial_days(table)):
        candidates.append((False, 0, form))
    if not candidates:
        cells = " and ".join(repr(table.cell(place, 0)) for place in range(min(2, len(table.names))))
        aside = "Write the day on which each fiscal year or its part ends. " if "FY" in cells.upper() else ""
        raise MarketError(
            f"{table.file} has no column of dates: its first cells are {cells}. {aside}Allowed are dates like "
            f"{ALLOWED_DATES}; where the names stand in another row, say which.",
            "no_dates",
        )
    return [(place, form) for _, place, form in sorted(candidates, key=lambda item: item[:2])]


def with_whole_dates(table: FileTable) -> FileTable:
    """The table with its dates in front where they stand in parts: a year alone, or with quarter, month or day.

    Raises :class:`MarketError` for a year with a column for each of its months.
    """
    with suppress(MarketError):
        date_columns(table)
        return table
    words = [name_words(name) for name in table.names]
    named = [(part, place) for place, one in enumerate(words) for part in DATE_PARTS if one and one <= DATE_PARTS[part]]
    places = dict(named or [("year", 0)] * bool(words[0] & DATE_WORDS))
    cells = {part: printed(table.columns[place]) for part, place in places.items()}
    years = "year" in cells and pc.all(pc.match_substring_regex(cells["year"], YEAR)).as_py()
    if not years or ("day" in cells and "month" not in cells):
        return table
    cells = {part: pc.replace_substring_regex(column, "[.]0+$", "") for part, column in cells.items()}
    if sum(name.lower() in MONTHS for name in table.names) > 1:
        raise MarketError(
            f"{table.file} has a column for each month. Put the months below one another, with a column of dates such "
            "as 2024-12.",
            "months_in_columns",
        )
    others = [place for place in range(len(words)) if place not in places.values()]
    name = " ".join(table.names[place] for place in places.values())
    return replace(
        table,
        names=distinct_names([name, *(table.names[place] for place in others)]),
        columns=(_whole_dates(cells), *(table.columns[place] for place in others)),
        notes=(*table.notes, PERIODS["year"]) if len(cells) == 1 else table.notes,
    )


def _whole_dates(parts: Mapping[str, pa.StringArray]) -> pa.StringArray:
    """Dates as text, of parts as they are printed: 2024, M03 or Mar, Q1 or 1, 9."""
    year, day = parts["year"], [parts["day"]] if "day" in parts else []
    if "month" in parts:
        month = pc.replace_substring_regex(parts["month"], r"^M(\d)|[.]$", r"\1")
        if pc.any(pc.match_substring_regex(month, r"\pL{2}")).as_py():
            return pc.binary_join_element_wise(*day, month, year, " ")
        return pc.binary_join_element_wise(year, month, *day, "-")
    if "quarter" in parts:
        return pc.binary_join_element_wise(year, pc.replace_substring_regex(parts["quarter"], r"^(\d)$", r"Q\1"), "-")
    return pc.binary_join_element_wise(year, "12-31", "-")


def _serial_days(table: FileTable) -> DateForm | None:
    """The form of a spreadsheet's day numbers, where the first column rises or falls by whole days."""
    cells = printed(table.columns[0])
    if not pc.all(pc.match_substring_regex(cells, SERIAL_DAYS.pattern)).as_py():
        return None
    steps = np.diff(cells.cast(pa.float64()).to_numpy())
    return SERIAL_DAYS if (steps > 0).all() or (steps < 0).all() else None


def chosen_dates(table: FileTable, candidates: list[tuple[int, DateForm]], name: str) -> tuple[int, DateForm]:
    """The candidate of this ``name``, or the first one; raises MarketError for a name of no candidate."""
    if not name:
        return candidates[0]
    for place, form in candidates:
        if table.names[place] == name:
            return place, form
    choices = ", ".join(table.names[place] for place, _ in candidates)
    raise MarketError(
        f"{table.file} has no dates in {plain_words(name)!r}; allowed are {plain_words(choices, 300)}.", "not_offered"
    )


def beside_other_dates(table: FileTable, candidates: list[tuple[int, DateForm]], place: int) -> list[int]:
    """The columns of tables that stand beside the one of these dates: behind other dates of the same name."""
    names = [re.sub(r"[ ._(]*\d+\)?$", "", name) for name in table.names]
    dates = [column for column, _ in candidates if names[column] == names[place]]
    columns = range(len(names))
    owners = [max((column for column in dates if column <= one), default=min(dates)) for one in columns]
    chosen = printed(table.columns[place])
    return [one for one in columns if not printed(table.columns[owners[one]]).equals(chosen)]


def clock_column(table: FileTable, place: int, dates: PrintedDates) -> int | None:
    """The column of times of day that belong to dates without any."""
    if (dates.moments != dates.moments.astype("datetime64[D]")).any():
        return None
    has_repeats = len(np.unique(dates.moments)) < len(dates.moments)
    for column, cells in enumerate(table.columns):
        text = pa.types.is_string(cells.type) or pa.types.is_integer(cells.type)
        if column == place or not (text or pa.types.is_time(cells.type)):
            continue
        has_clock_name = bool(name_words(table.names[column]) & CLOCK_WORDS)
        digits = has_clock_name or (has_repeats and column == place + 1)
        fitting = [CLOCK, *[CLOCK_DIGITS] * digits, *[HOURS] * has_repeats]
        fitting += [HOURS_BY_NAME] * (has_repeats and bool(name_words(table.names[column]) & HOUR_WORDS))
        all_fit = (
            pc.all(pc.match_substring_regex(printed(part), "|".join(fitting))).as_py() for part in (cells[:1], cells)
        )
        if pa.types.is_time(cells.type) or all(all_fit):
            return column
    return None
