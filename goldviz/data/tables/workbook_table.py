"""Excel workbooks from strangers: one sheet of cells, with the numbers and dates that a person sees in it.

A workbook is a zip archive of XML. What it unpacks to is counted before anything is parsed, no document type may
declare entities, and formulas are never computed: the values that Excel last saved are taken.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_extent, distinct_names, plain_words

WORKBOOK_PART = "xl/workbook.xml"
MOST_UNPACKED = 200 * 10**6
"""Bytes of XML in all parts of a workbook."""

MOST_CELLS = 1_500_000
"""Cells of a sheet: they are read one by one, which takes some ten seconds for so many."""

PERCENT_DIGITS = 12
DAMAGE = (
    zipfile.BadZipFile, zlib.error, InvalidFileException, SyntaxError, KeyError, IndexError, ValueError, TypeError,
    AttributeError, OSError, EOFError, ArithmeticError, RuntimeError, MemoryError,
)  # fmt: skip
"""How damage shows itself: bad XML, missing parts, a password, numbers that are none, dates beyond the calendar."""

Cell = Any
"""A cell of openpyxl, which also knows how its value is printed."""


def is_workbook(content: bytes) -> bool:
    """Whether bytes are an Excel workbook of today's format, told from the parts of the archive."""
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return WORKBOOK_PART in archive.namelist()
    except zipfile.BadZipFile:
        return b"xl/" in content


def workbook_table(content: bytes, file: str, sheet: str = "") -> FileTable:
    """The table in one sheet of a workbook: the first sheet with cells, or the one of this name.

    Raises :class:`MarketError` for a damaged or locked workbook, one without such a sheet, and one that is too large,
    in a sentence that names the file and what is allowed.
    """
    try:
        _check_parts(content, file)
        workbook = load_workbook(BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheets = {plain_words(one.title): one for one in workbook.worksheets}
        rows, chosen = _rows_of(sheets, sheet, file)
        workbook.close()
    except MarketError:
        raise
    except DAMAGE as error:
        raise MarketError(
            f"{file} begins as an Excel workbook but cannot be read as one; allowed are whole workbooks without a "
            "password, CSV and Parquet files."
        ) from error
    return _table(rows, file, chosen, tuple(sheets))


def _check_parts(content: bytes, file: str) -> None:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
        if unpacked > MOST_UNPACKED:
            raise MarketError(f"{file} unpacks to {unpacked:,} bytes; allowed are at most {MOST_UNPACKED:,}.")
        for part in archive.infolist():
            with archive.open(part) as opened:
                start = opened.read(1000)
            if b"<!DOCTYPE" in start or b"<!\x00D" in start or b"\x00<\x00!" in start:
                raise MarketError(f"{file} declares a document type, which no workbook needs; allowed are plain ones.")


def _rows_of(sheets: dict[str, Any], sheet: str, file: str) -> tuple[list[tuple[int, list[Cell]]], str]:
    """The rows that hold anything, with their numbers, and the name of their sheet."""
    if sheet and sheet not in sheets:
        raise MarketError(f"{file} has no sheet {plain_words(sheet)!r}; allowed are {', '.join(sheets)}.")
    for name in [sheet] if sheet else sheets:
        rows = _filled_rows(sheets[name], file)
        if rows:
            return rows, name
    what = f"Sheet {sheet} of {file} is" if sheet else f"{file} is"
    raise MarketError(f"{what} empty; allowed are sheets with a header, dates and numbers.")


def _filled_rows(sheet: Any, file: str) -> list[tuple[int, list[Cell]]]:
    # Some programs write a wrong extent, or a million empty rows; what counts is what stands there.
    sheet.reset_dimensions()
    found, cells = [], 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if any(_value(cell) is not None for cell in row):
            found.append((number, list(row)))
            cells += len(row)
        if cells > MOST_CELLS:
            raise MarketError(f"{file} has more than {MOST_CELLS:,} cells; save it as CSV or Parquet.")
    return found


def _value(cell: Cell) -> Any:
    """What a cell holds; nothing for an error such as #DIV/0!, and for blanks."""
    value = cell.value
    if cell.data_type == "e" or (isinstance(value, str) and not value.strip()):
        return None
    return value


def _table(rows: Sequence[tuple[int, list[Cell]]], file: str, sheet: str, sheets: tuple[str, ...]) -> FileTable:
    """The table below the first row with two cells; what stands above is a title."""
    width = max(len(row) for _, row in rows)
    check_extent(file, width, len(rows))
    cells = [[_value(cell) for cell in row] + [None] * (width - len(row)) for _, row in rows]
    top = next((place for place, row in enumerate(cells) if sum(one is not None for one in row) > 1), None)
    if top is None:
        raise MarketError(f"Sheet {sheet} of {file} has one column only; expected are dates and numbers side by side.")
    header = cells[top]
    used = [place for place in range(width) if any(row[place] is not None for row in cells[top:])]
    body, places = rows[top + 1 :], [number for number, _ in rows[top + 1 :]]
    check_extent(file, len(used), len(body))
    names = distinct_names("" if header[place] is None else str(header[place]) for place in used)
    columns = tuple(_column([_of(row, place) for _, row in body]) for place in used)
    for name, column in zip(names, columns, strict=True):
        _check_lengths(column, name, file)
    notes = [f"Sheet {sheet} of {len(sheets)} was read."] if len(sheets) > 1 else []
    if top:
        notes.append(f"{top} row{'s' if top > 1 else ''} above the header {'were' if top > 1 else 'was'} left out.")
    return FileTable(file, "workbook", names, columns, np.array(places), "", tuple(notes), sheets, sheet)


def _of(row: list[Cell], place: int) -> Cell | None:
    return row[place] if place < len(row) else None


def _column(cells: list[Cell | None]) -> pa.Array:
    """Cells as numbers or as days where all are, else as the text that a person sees."""
    values = [None if cell is None else _value(cell) for cell in cells]
    given = [value for value in values if value is not None]
    percent = any(cell is not None and _in_percent(cell) for cell in cells)
    if given and not percent and all(_is_number(value) for value in given):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if given and all(isinstance(value, date) for value in given):
        return pa.array([None if value is None else _moment(value) for value in values], pa.timestamp("s"))
    return pa.array(["" if cell is None else _printed(cell) for cell in cells], pa.string())


def _in_percent(cell: Cell) -> bool:
    return _is_number(_value(cell)) and "%" in str(cell.number_format)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _moment(value: date) -> datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


PRINTED: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (date, lambda value: _moment(value).isoformat(sep=" ").removesuffix(" 00:00:00")),
    (float, lambda value: f"{value:.15g}"),
)


def _printed(cell: Cell) -> str:
    value = _value(cell)
    if value is None:
        return ""
    if _in_percent(cell):
        return f"{round(100 * value, PERCENT_DIGITS):.15g}%"
    for kind, says in PRINTED:
        if isinstance(value, kind):
            return says(value)
    return str(value).strip()


def _check_lengths(column: pa.Array, name: str, file: str) -> None:
    if not pa.types.is_string(column.type):
        return
    longest = max((len(text.as_py().encode()) for text in column), default=0)
    if longest > LONGEST_CELL:
        raise MarketError(f"Column {name} of {file} has a cell of {longest:,} bytes; allowed are {LONGEST_CELL:,}.")
