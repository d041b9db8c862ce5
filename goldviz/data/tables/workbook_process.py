"""Reads one sheet of a workbook in a process of its own: ``python workbook_process.py WORKBOOK RESULT SHEET``.

What harm a workbook does ends with the process, whose memory and time are watched by the one that began it. It imports
nothing of goldviz, so it begins in a tenth of a second. Formulas are never computed: the values that were saved count.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from itertools import chain, filterfalse
from typing import Any, NamedTuple
from xml.etree import ElementTree

BLANK, NUMBER, TEXT, MOMENT = range(4)
"""Kinds of cells."""

MOST_MEMORY = 500 * 10**6
MOST_SECONDS = 6.0
"""Of a core."""

FEWEST_ROWS = 30
"""A sheet of fewer may be about the others, and stands behind them."""

MOST_SPANNED = 4_000_000
"""Cells from the first one of a sheet to its last one."""

COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How Excel's old workbooks begin."""

EPOCH = datetime(1970, 1, 1)
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
FIRST_PART = (
    f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Target="xl/workbook.xml" Type="http://schemas.openxml'
    'formats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)


class Unfit(Exception):  # noqa: N818 - an answer, not a fault
    """Why a sheet cannot be read, in words that follow the file's name, and the code of the error."""


class Rows(NamedTuple):
    """The rows of a sheet from the first one with a cell, which stands below ``top`` others."""

    top: int
    width: int
    cells: Iterable[list[Any]]


class Sheets(NamedTuple):
    """The names of a workbook's sheets, which of them are hidden, and what gives the rows of one."""

    names: list[str]
    hidden: Callable[[str], bool]
    rows: Callable[[str], Rows]


def new_workbook(path: str) -> Sheets:
    """Excel's .xlsx, and OpenDocument's .ods, by calamine."""
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    with zipfile.ZipFile(path, "a") as archive:
        # The library needs this part, which some programs omit.
        if "xl/workbook.xml" in archive.namelist() and "_rels/.rels" not in archive.namelist():
            archive.writestr("_rels/.rels", FIRST_PART)
    workbook = CalamineWorkbook.from_path(path)

    def rows(name: str) -> Rows:
        # First, for a part of the archive takes as much memory as all cells.
        percentages = percentages_in(path, name)
        sheet = workbook.get_sheet_by_name(name)
        check_span(sheet.height, sheet.width)
        top, left = sheet.start or (0, 0)
        return Rows(top, sheet.width, with_signs(sheet.iter_rows() if sheet.height else (), percentages, top, left))

    hidden = {one.name for one in workbook.sheets_metadata if one.visible != SheetVisibleEnum.Visible}
    return Sheets(workbook.sheet_names, hidden.__contains__, rows)


def with_signs(
    cells: Iterable[list[Any]], percentages: dict[int, list[int]], top: int, left: int
) -> Iterator[list[Any]]:
    """The rows, in which what a person sees as percentages carries the sign."""
    for number, row in enumerate(cells, top):
        for column in percentages.get(number, ()):
            if left <= column < left + len(row) and isinstance(value := row[column - left], float):
                row[column - left] = percentage(value)
        yield row


def percentages_in(path: str, name: str) -> dict[int, list[int]]:
    """The columns, by row and both from 0, of a sheet's cells that a person sees as percentages; Excel's alone."""
    with zipfile.ZipFile(path) as archive:
        if not {"xl/workbook.xml", "xl/styles.xml"} <= set(archive.namelist()):
            return {}
        styles, workbook, relations = (
            ElementTree.fromstring(archive.read(f"xl/{part}"))  # noqa: S314 - bounded, as all that is done here
            for part in ("styles.xml", "workbook.xml", "_rels/workbook.xml.rels")
        )
        formats = {one.get("numFmtId") for one in styles.iterfind(".//{*}numFmt") if "%" in one.get("formatCode", "")}
        of_cells = styles.iterfind("{*}cellXfs/{*}xf")
        marks = [str(place) for place, one in enumerate(of_cells) if one.get("numFmtId") in formats | {"9", "10"}]
        sheets = [one for one in workbook.iterfind("{*}sheets/{*}sheet") if one.get("name") == name]
        relation_ids = [value for one in sheets[:1] for key, value in one.items() if key.endswith("}id")]
        target = next((one.get("Target", "") for one in relations if one.get("Id") in relation_ids), "")
        part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        if not marks or part not in archive.namelist():
            return {}
        style = "|".join(marks).encode()
        cell = rb'<(?:\w+:)?c\s(?=[^>]*?\bs="(?:' + style + rb')")[^>]*?\br="([A-Z]{1,3})(\d{1,7})"'
        places: dict[int, list[int]] = {}
        for match in re.finditer(cell, archive.read(part)):
            column = 0
            for letter in match[1]:
                column = 26 * column + letter - 64
            places.setdefault(int(match[2]) - 1, []).append(column - 1)
        return places


def old_workbook(path: str) -> Sheets:
    """Excel's old .xls, by xlrd: it alone tells how cells are shown."""
    import xlrd

    # What it notices it would print.
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        book = xlrd.open_workbook(path, logfile=nowhere, formatting_info=True, on_demand=True)

    def value(cell: Any) -> Any:
        match cell.ctype:
            case xlrd.XL_CELL_NUMBER:
                shown_as = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
                return percentage(cell.value) if "%" in shown_as else cell.value
            case xlrd.XL_CELL_DATE:
                moment = xlrd.xldate_as_datetime(cell.value, book.datemode)
                return moment if cell.value >= 1 else moment.time()
            case xlrd.XL_CELL_BOOLEAN:
                return bool(cell.value)
            case xlrd.XL_CELL_ERROR:
                return xlrd.error_text_from_code.get(cell.value, "#N/A")
        return cell.value

    def rows(name: str) -> Rows:
        sheet = book.sheet_by_name(name)
        check_span(sheet.nrows, sheet.ncols)
        return Rows(0, sheet.ncols, ([value(cell) for cell in sheet.row(row)] for row in range(sheet.nrows)))

    return Sheets(book.sheet_names(), lambda name: bool(book.sheet_by_name(name).visibility), rows)


def percentage(value: float) -> str:
    """A number as a percentage: 4.06% for 0.0406."""
    return f"{round(100 * value, 12):.15g}%"


def check_span(height: int, width: int) -> None:
    """Raise :class:`Unfit` where so many cells are spanned that most are empty, or the table is none of prices."""
    if height * width > MOST_SPANNED:
        raise Unfit(
            "has cells far from each other; delete what stands beside its table, or save it as CSV.", "too_large"
        )


class Cells:
    """The cells of a sheet, row by row: their kinds, their numbers, and the bytes of all texts with their ends.

    The first text is the empty one.
    """

    def __init__(self, rows: Rows) -> None:
        self.top, self.width = rows.top, rows.width
        self.kinds, self.numbers = bytearray(), array("d")
        self.texts, self.ends = bytearray(), array("i", [0, 0])
        for row in rows.cells:
            for cell in row:
                self._take(cell)

    def _take(self, cell: Any) -> None:
        kind, number = BLANK, 0.0
        if isinstance(cell, float) or type(cell) is int:
            kind, number = NUMBER, float(cell)
        elif isinstance(cell, date):
            moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
            kind, number = MOMENT, round((moment - EPOCH).total_seconds())
        elif cell is not None and (text := str(cell).strip()):
            kind = TEXT
            self.texts += text.encode(errors="replace")
            self.ends.append(len(self.texts))
        self.kinds.append(kind)
        self.numbers.append(number)

    @property
    def filled(self) -> int:
        """How many columns hold anything."""
        return sum(any(self.kinds[place :: self.width]) for place in range(self.width))


def answer(path: str, sheet: str) -> tuple[dict[str, Any], Cells]:
    """The cells of the sheet of this name, or of the first visible one with a table, and what is said of them."""
    with open(path, "rb") as file:
        old = file.read(8) == COMPOUND_FILE
    sheets = old_workbook(path) if old else new_workbook(path)
    if sheet and sheet not in sheets.names:
        raise Unfit(f"has no sheet {sheet!r}; allowed are {', '.join(sheets.names)}.", "not_offered")
    narrow = ""
    first: tuple[dict[str, Any], Cells] | None = None
    # Whether an old sheet is hidden is known once it is read: none is asked behind the one that is taken.
    visible_first = chain(filterfalse(sheets.hidden, sheets.names), filter(sheets.hidden, sheets.names))
    for name in [sheet] if sheet else visible_first:
        if first and sheets.hidden(name):
            break
        cells = Cells(sheets.rows(name))
        if cells.filled > 1:
            about = {"sheets": sheets.names, "sheet": name, "top": cells.top, "width": cells.width}
            first = first or (about, cells)
            if len(cells.kinds) > FEWEST_ROWS * cells.width:
                return about, cells
        narrow = narrow or (name if cells.filled else "")
    if first:
        return first
    if narrow:
        raise Unfit(
            f"has one column only in sheet {narrow}; expected are dates and numbers side by side.", "one_column"
        )
    raise Unfit(
        f"has nothing in {f'sheet {sheet}' if sheet else 'any sheet'}; expected are dates and numbers.", "empty"
    )


def main(path: str, result: str, sheet: str) -> None:
    """Write a line of JSON, the numbers of all cells, eight bytes each, the texts' ends, four bytes each, the kinds of
    all cells, a byte each, and the texts.

    ``sheet`` is the name in JSON, which no system takes for anything else.
    """
    with open(result, "wb") as file:
        try:
            about, cells = answer(path, json.loads(sheet))
        except Unfit as why:
            file.write(json.dumps({"refused": why.args[0], "code": why.args[1]}).encode())
            return
        counts = {"cells": len(cells.kinds), "texts": len(cells.ends) - 1}
        file.write(json.dumps({**about, **counts}).encode() + b"\n")
        cells.numbers.tofile(file)
        cells.ends.tofile(file)
        file.write(cells.kinds)
        file.write(cells.texts)


if __name__ == "__main__":
    main(*sys.argv[1:])
