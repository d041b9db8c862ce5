"""Excel workbooks from strangers: one sheet of cells, with the numbers and dates that a person sees in it.

A workbook is a zip archive of XML. Its parts are looked through before anything is built of them
(:mod:`goldviz.data.tables.workbook_parts`), and formulas are never computed: the values that Excel last saved count.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from datetime import date, datetime
from functools import cache
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

import numpy as np
import pyarrow as pa
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import is_date_format, is_timedelta_format
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.xml.constants import SHARED_STRINGS

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_extent, distinct_names, plain_words
from goldviz.data.tables.sheet_cells import Percentage, Sheet, Style, Value, shared_strings, sheet_cells
from goldviz.data.tables.workbook_parts import Parts, Report, unheard

WORKBOOK_PART = b"xl/workbook.xml"
EMPTY_ARCHIVE = b"PK\x05\x06" + bytes(18)
"""What openpyxl is given to open: it reads the parts that were looked through."""

PERCENT_DIGITS = 12
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    InvalidFileException,
    SyntaxError,
    expat.ExpatError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    OSError,
    EOFError,
    ArithmeticError,
    RuntimeError,
)
"""How damage shows itself: bad XML, missing parts, a password, numbers that are none, dates beyond the calendar."""


def is_workbook(content: bytes) -> bool:
    """Whether bytes are an Excel workbook of today's format, told from the names in the archive."""
    return content.startswith(b"PK\x03\x04") and WORKBOOK_PART in content


def workbook_table(content: bytes, file: str, sheet: str = "", report: Report = unheard) -> FileTable:
    """The table in one sheet of a workbook: the first sheet with cells, or the one of this name.

    Raises :class:`MarketError` for a damaged or locked workbook, one without such a sheet, and one that is too large,
    in a sentence that names the file and what is allowed; what ``report`` raises is passed on.
    """
    try:
        with Parts(content, file, report) as parts:
            sheets, cells, sheet_name = _cells_of(parts, sheet, file)
        return _table(cells, file, sheet_name, sheets)
    except MarketError:
        raise
    except DAMAGE as error:
        raise MarketError(
            f"{file} begins as an Excel workbook but cannot be read as one; allowed are whole workbooks without a "
            "password, CSV and Parquet files."
        ) from error


def _cells_of(parts: Parts, sheet: str, file: str) -> tuple[tuple[str, ...], Sheet, str]:
    """The names of all sheets, the cells of the one that is read, and its name."""
    reader = ExcelReader(BytesIO(EMPTY_ARCHIVE), read_only=True, data_only=True, keep_links=False)
    reader.archive = parts
    reader.read_manifest()
    reader.read_workbook()
    apply_stylesheet(parts, reader.wb)
    names = set(parts.namelist())
    sheets = {
        plain_words(one.name): relation.target
        for one, relation in reader.parser.find_sheets()
        if relation.target in names and "chartsheet" not in relation.Type
    }
    if sheet and sheet not in sheets:
        raise MarketError(f"{file} has no sheet {plain_words(sheet)!r}; allowed are {', '.join(sheets)}.")
    table = reader.package.find(SHARED_STRINGS)
    strings = shared_strings(parts, table.PartName[1:], file) if table is not None else []
    # Hundreds of sheets can name one part, which is read once.
    targets: dict[str, str] = {}
    for name in [sheet] if sheet else sheets:
        targets.setdefault(sheets[name], name)
    match = sheet_cells(parts, targets, file, strings, _styles_of(reader.wb), reader.wb.epoch)
    if match is not None:
        part, cells = match
        return tuple(sheets), cells, targets[part]
    what = f"Sheet {sheet} of {file} is" if sheet else f"{file} is"
    raise MarketError(f"{what} empty; allowed are sheets with a header, dates and numbers.")


def _styles_of(workbook: Any) -> Callable[[int], Style]:
    """What a number of each style looks like."""
    sheet = SimpleNamespace(parent=workbook)

    @cache
    def style(place: int) -> Style:
        number_format = ReadOnlyCell(sheet, 1, 1, None, style_id=place).number_format
        return Style("%" in number_format, is_date_format(number_format), is_timedelta_format(number_format))

    return style


def _table(cells: Sheet, file: str, sheet: str, sheets: tuple[str, ...]) -> FileTable:
    """The table below the first row with two cells; what stands above is a title."""
    top = next((place for place, count in enumerate(cells.filled) if count > 1), None)
    if top is None:
        raise MarketError(f"Sheet {sheet} of {file} has one column only; expected are dates and numbers side by side.")
    used = sorted(number for number, (places, _) in cells.columns.items() if places[-1] >= top)
    check_extent(file, len(used), len(cells.numbers) - top - 1)
    headers, columns = [], []
    for number in used:
        header, *below = cells.column(number, top)
        headers.append("" if header is None else str(header))
        columns.append(_column(below))
    names = distinct_names(headers)
    for name, column in zip(names, columns, strict=True):
        _check_lengths(column, name, file)
    notes = [f"Sheet {sheet} of {len(sheets)} was read."] if len(sheets) > 1 else []
    if top:
        notes.append(f"{top} row{'s' if top > 1 else ''} above the header {'were' if top > 1 else 'was'} left out.")
    rows = np.array(cells.numbers[top + 1 :])
    return FileTable(file, "workbook", names, tuple(columns), rows, "", tuple(notes), sheets, sheet)


def _column(values: list[Value | None]) -> pa.Array:
    """Cells as numbers or as days where all are, else as the text that a person sees."""
    cells_with_values = [value for value in values if value is not None]
    percent = any(isinstance(value, Percentage) for value in cells_with_values)
    if cells_with_values and not percent and all(_is_number(value) for value in cells_with_values):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())  # type: ignore[arg-type]
    if cells_with_values and all(isinstance(value, date) for value in cells_with_values):
        return pa.array([_moment(value) if isinstance(value, date) else None for value in values], pa.timestamp("s"))
    return pa.array([_printed(value) for value in values], pa.string())


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _moment(value: date) -> datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


PRINTED: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (date, lambda value: _moment(value).isoformat(sep=" ").removesuffix(" 00:00:00")),
    (Percentage, lambda value: f"{round(100 * value, PERCENT_DIGITS):.15g}%"),
    (float, lambda value: f"{value:.15g}"),
)


def _printed(value: Value | None) -> str:
    if value is None:
        return ""
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
