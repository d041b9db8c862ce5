"""Which columns of a table hold the dates, and which one the times of day that belong to them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import CLOCK_WORDS, DATE_WORDS, name_words
from goldviz.data.tables.file_table import FileTable, plain_words, printed
from goldviz.data.tables.printed_dates import ALLOWED_DATES, SERIAL_DAYS, DateForm, PrintedDates, date_form

DATE_TYPES = (pa.types.is_string, pa.types.is_date, pa.types.is_timestamp, pa.types.is_integer)
CLOCK = r"^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?$"
CLOCK_DIGITS = r"^(?:[01]?\d|2[0-3])[0-5]\d(?:[0-5]\d)?$"


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
        raise MarketError(
            f"{table.file} has no column of dates: its first cells are {_first_cells(table)}. Allowed are dates like "
            f"{ALLOWED_DATES}; where the names stand in another row, say which."
        )
    return [(place, form) for _, place, form in sorted(candidates, key=lambda item: item[:2])]


def _first_cells(table: FileTable) -> str:
    return " and ".join(repr(table.cell(place, 0)) for place in range(min(2, len(table.names))))


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
    raise MarketError(f"{table.file} has no dates in {plain_words(name)!r}; allowed are {plain_words(choices, 300)}.")


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
        pattern = f"{CLOCK}|{CLOCK_DIGITS}" if has_clock_name or (has_repeats and column == place + 1) else CLOCK
        if pa.types.is_time(cells.type) or pc.all(pc.match_substring_regex(printed(cells), pattern)).as_py():
            return column
    return None
