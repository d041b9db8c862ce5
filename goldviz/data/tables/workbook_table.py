"""Workbooks from strangers: one sheet of cells, with the numbers and dates that a person sees in it.

Excel's (.xlsx, and the old .xls) and OpenDocument's (.ods) are read by calamine, once their parts or records were
looked through (:mod:`goldviz.data.tables.workbook_parts`, :mod:`goldviz.data.tables.old_workbook`). Formulas are never
computed: the values that were saved count.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from html import unescape
from typing import Any

import numpy as np
import pyarrow as pa
from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_width, cut_table, plain_words, printed
from goldviz.data.tables.old_workbook import COMPOUND_FILE, compound_file, sound_records
from goldviz.data.tables.table_head import FIRST_ROWS, extent
from goldviz.data.tables.workbook_parts import (
    MOST_SHEETS,
    MOST_SPANNED,
    WORKBOOK_PART,
    Part,
    Report,
    looked_through,
    repacked,
    unheard,
)

OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
PERCENT_DIGITS = 12
MOST_RELATED = 5_000
SOME_VALUE = rb"<(?:\w+:)?(?:v|is)[ >]"
Value = float | str | bool | date | time | timedelta
DAMAGE = (
    CalamineError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    SyntaxError,
    LookupError,
    ValueError,
    TypeError,
    OSError,
    EOFError,
    ArithmeticError,
    RuntimeError,
    NotImplementedError,
)
"""How damage shows itself: bad XML, missing parts, a password, numbers that are none, dates beyond the calendar."""


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook, told from the names in the archive.

    Excel's old format is known by its first bytes.
    """
    if content.startswith(COMPOUND_FILE):
        return True
    archive = content.startswith(b"PK\x03\x04")
    return archive and (WORKBOOK_PART.encode() in content or OPEN_DOCUMENT in content[:200])


def workbook_table(content: bytes, file: str, sheet: str = "", report: Report = unheard, header: int = 0) -> FileTable:
    """The table in one sheet of a workbook: the first visible sheet with two columns, or the one of this name.

    ``header`` is the row of its names where a person said it. Raises :class:`MarketError` for a damaged or locked
    workbook, one without such a sheet, and one that is too large, in a sentence that names the file and what is
    allowed; what ``report`` raises is passed on.
    """
    try:
        if content.startswith(COMPOUND_FILE):
            return _read_old(content, file, sheet, report, header)
        return _read(looked_through(content, file, report), file, sheet, header)
    except (MarketError, MemoryError):
        raise
    except DAMAGE as error:
        raise _damaged(file) from error
    except BaseException as error:
        # The library is written in Rust, whose own faults are no exceptions of Python's.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(file) from error


def _damaged(file: str) -> MarketError:
    return MarketError(
        f"{file} begins as a workbook but cannot be read as one; allowed are whole workbooks without a password, CSV "
        "and Parquet files."
    )


def _read(parts: dict[str, Part], file: str, sheet: str, header: int) -> FileTable:
    places = _parts_of_sheets(parts)
    of_sheets = set(places.values()) & parts.keys()
    empty = {name for name in of_sheets if not re.search(SOME_VALUE, parts[name])}
    percents = {name: _percents(parts, parts[name]) for name in of_sheets - empty}
    with repacked(parts) as path:
        workbook = CalamineWorkbook.from_path(path)
        seen = {name: percents.get(places.get(name, ""), {}) for name in workbook.sheet_names}
        without = {name for name in workbook.sheet_names if places.get(name) in empty}
        return _of_sheets(workbook, seen, without, file, sheet, header)


def _read_old(content: bytes, file: str, sheet: str, report: Report, header: int) -> FileTable:
    stream, sheets = sound_records(content, file, report)
    with compound_file(stream) as path:
        workbook = CalamineWorkbook.from_path(path)
        seen = {name: one.percents for name, one in zip(workbook.sheet_names, sheets, strict=True)}
        return _of_sheets(workbook, seen, set(), file, sheet, header)


def _of_sheets(
    workbook: CalamineWorkbook,
    percents: Mapping[str, Mapping[int, set[int]]],
    empty: set[str],
    file: str,
    sheet: str,
    header: int,
) -> FileTable:
    """The table in the sheet that was asked for, or in the first visible one with two columns; ``empty`` are not read.

    ``percents`` are, by sheet, the rows by column of percentages.
    """
    sheets = tuple(workbook.sheet_names)
    if len(sheets) > MOST_SHEETS:
        raise MarketError(f"{file} has {len(sheets):,} sheets; allowed are at most {MOST_SHEETS}.")
    if sheet and sheet not in sheets:
        raise MarketError(
            f"{file} has no sheet {plain_words(sheet)!r}; allowed are {plain_words(', '.join(sheets), 300)}."
        )
    narrow = ""
    hidden = {one.name for one in workbook.sheets_metadata if one.visible != SheetVisibleEnum.Visible}
    for name in [sheet] if sheet else sorted(sheets, key=lambda one: one in hidden):
        if not sheet and name in empty:
            continue
        top, left, columns = _columns(workbook, name, file)
        if sum(any(value is not None for value in column) for column in columns) > 1:
            seen = {column - left: {row - top for row in rows} for column, rows in percents[name].items()}
            return _table(columns, top, seen, file, (name, sheets), header)
        narrow = narrow or (name if columns else "")
    if narrow:
        raise MarketError(f"Sheet {narrow} of {file} has one column only; expected are dates and numbers side by side.")
    what = f"Sheet {sheet} of {file} is" if sheet else f"{file} is"
    raise MarketError(f"{what} empty; allowed are sheets with a header, dates and numbers.")


def _columns(workbook: CalamineWorkbook, name: str, file: str) -> tuple[int, int, list[list[Value | None]]]:
    """The place of a sheet's first cell, and its columns with None for blanks."""
    cells = workbook.get_sheet_by_name(name)
    if cells.height * cells.width > MOST_SPANNED:
        raise MarketError(f"{file} has cells far from each other; delete what stands beside its table, or save it.")
    top, left = cells.start or (0, 0)
    rows = cells.to_python() if cells.height else []
    # The library's own copy of the cells takes as much again.
    del cells
    return (
        top,
        left,
        [
            [value if type(value) is not str or value.strip() else None for value in column]
            for column in zip(*rows, strict=True)
        ],
    )


def _parts_of_sheets(parts: Mapping[str, Part]) -> dict[str, str]:
    """In which part each sheet of Excel's stands."""
    related = {}
    for one in _attributes(parts.get("xl/_rels/workbook.xml.rels", b""), b"Relationship"):
        target = one.get("Target", "")
        related[one.get("Id", "")] = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    sheets = _attributes(parts.get(WORKBOOK_PART, b""), b"sheet")
    return {one.get("name", ""): related.get(one.get("id", ""), "") for one in sheets}


def _attributes(part: Part, element: bytes) -> list[dict[str, str]]:
    """The attributes of all elements of this name, without their prefixes."""
    found = re.findall(rb"<(?:\w+:)?" + element + rb"\s([^>]*)", part)
    pairs = [re.findall(rb"(?:\w+:)?(\w+)\s*=\s*[\"']([^\"']*)[\"']", tag) for tag in found[:MOST_RELATED]]
    return [{name.decode(): unescape(value.decode("utf-8", "replace")) for name, value in tag} for tag in pairs]


def _percents(parts: Mapping[str, Part], part: Part) -> dict[int, set[int]]:
    """The rows, by column, of cells that a person sees as percentages, both counted from 0."""
    styles = parts.get("xl/styles.xml", b"")
    codes = re.findall(rb'<(?:\w+:)?numFmt\s[^>]*?numFmtId="(\d+)"[^>]*?formatCode="([^"]*)"', styles)
    formats = {b"9", b"10"} | {number for number, code in codes if b"%" in code}
    block = re.search(rb"<(?:\w+:)?cellXfs.*?</(?:\w+:)?cellXfs>", styles, re.DOTALL)
    of_styles = re.findall(rb"<(?:\w+:)?xf\b[^>]*", block[0]) if block else []
    seen = [re.search(rb'numFmtId="(\d+)"', style) for style in of_styles]
    marks = [b"%d" % place for place, match in enumerate(seen) if match and match[1] in formats]
    rows: dict[int, set[int]] = {}
    if marks:
        cell = rb'<(?:\w+:)?c\s(?=[^>]*?\bs="(?:' + b"|".join(marks) + rb')")[^>]*?\br="([A-Z]{1,3})(\d{1,7})"'
        for letters, digits in re.findall(cell, part):
            column = 0
            for letter in letters:
                column = 26 * column + letter - 64
            rows.setdefault(column - 1, set()).add(int(digits) - 1)
    return rows


def _table(
    columns: list[list[Value | None]],
    top: int,
    percents: Mapping[int, set[int]],
    file: str,
    of: tuple[str, tuple[str, ...]],
    header: int,
) -> FileTable:
    """The table in the columns of a sheet, whose first row stands below ``top`` others."""
    sheet, sheets = of
    for number, rows in percents.items():
        column = columns[number] if 0 <= number < len(columns) else []
        for row in rows:
            if 0 <= row < len(column) and isinstance(value := column[row], float):
                column[row] = Percentage(value)
    full = np.arange(len(columns[0]))
    columns = [column for column in columns if any(value is not None for value in column)]
    check_width(file, len(columns))
    if all(None in column for column in columns):
        full = np.flatnonzero([any(value is not None for value in row) for row in zip(*columns, strict=True)])
        columns = [[column[place] for place in full] for column in columns]
    numbers = full + top + 1
    if header and header not in numbers[:-1]:
        raise MarketError(f"Row {header} of {file} cannot be its header; allowed is a row of names above the numbers.")
    text = [_text(column) for column in columns]
    table = extent(text, int(np.flatnonzero(numbers == header)[0]) if header else None)
    inside = slice(table.first, table.end)
    made = tuple(_column(column[inside], cells[inside]) for column, cells in zip(columns, text, strict=True))
    for name, column in zip(table.names, made, strict=True):
        _check_lengths(column, name, file)
    notes = [f"Sheet {sheet} of {len(sheets)} was read."] if len(sheets) > 1 else []
    row = 0 if table.header is None else int(numbers[table.header])
    said = (*notes, *table.notes)
    return cut_table(
        FileTable(file, "workbook", table.names, made, numbers[inside], "", said, sheets, sheet, row, table.units)
    )


class Percentage(float):
    """A number that a person sees as a percentage: 0.0406 for 4.06 %."""


def _text(values: list[Value | None]) -> pa.StringArray:
    """Cells as text: one by one at the top, where names stand, and at once below where all are of one kind."""
    top, below = values[:FIRST_ROWS], values[FIRST_ROWS:]
    kinds = {type(value) for value in below} - {type(None)}
    if not kinds or not kinds <= {int, float}:
        return pa.array(map(_printed, values), pa.string())
    return pa.concat_arrays([pa.array(map(_printed, top), pa.string()), printed(pa.array(below, pa.float64()))])


def _column(values: Sequence[Value | None], text: pa.StringArray) -> pa.Array:
    """Cells as numbers or as days where all are, else as the text that a person sees."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())  # type: ignore[arg-type]
    if kinds and kinds <= {date, datetime}:
        return pa.array([_moment(value) if isinstance(value, date) else None for value in values], pa.timestamp("s"))
    return text


def _moment(value: date) -> datetime:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


PRINTED: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (str, str.strip),
    (Percentage, lambda value: f"{round(100 * value, PERCENT_DIGITS):.15g}%"),
    (bool, str),
    (float, lambda value: f"{value:.15g}"),
    (date, lambda value: _moment(value).isoformat(sep=" ").removesuffix(" 00:00:00")),
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
    longest = max((len(text.as_py().encode("utf-8", "replace")) for text in column), default=0)
    if longest > LONGEST_CELL:
        raise MarketError(f"Column {name} of {file} has a cell of {longest:,} bytes; allowed are {LONGEST_CELL:,}.")
