"""Workbooks from strangers: one sheet of cells, with the numbers and dates that a person sees in it.

Excel's (.xlsx, and the old .xls) and OpenDocument's (.ods) are read by a process of its own
(:mod:`goldviz.data.tables.workbook_process`), which may take so much memory and time and no more.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables import workbook_process
from goldviz.data.tables.file_table import (
    LONGEST_CELL,
    FileTable,
    Report,
    check_lengths,
    check_width,
    cut_table,
    plain_words,
    printed,
    unheard,
)
from goldviz.data.tables.read_apart import DamagedError, read_apart
from goldviz.data.tables.table_head import extent
from goldviz.data.tables.workbook_process import BLANK, COMPOUND_FILE, MOMENT, MOST_MEMORY, MOST_SECONDS, NUMBER, TEXT

MARKS = (b"xl/workbook.xml", b"application/vnd.oasis.opendocument.spreadsheet")
"""What stands in the archive of a workbook."""

SECONDS_A_MEGABYTE = 0.5
"""About what reading takes: how far it is cannot be seen from outside."""


def is_workbook(content: bytes) -> bool:
    """Whether bytes are a workbook, told from the first of them and the names in the archive."""
    return content.startswith(COMPOUND_FILE) or (
        content.startswith(b"PK\x03\x04") and (MARKS[0] in content or MARKS[1] in content[:200])
    )


def workbook_table(
    content: bytes,
    file: str,
    sheet: str = "",
    report: Report = unheard,
    header: int = 0,
    longest: int = LONGEST_CELL,
) -> FileTable:
    """The table in one sheet of a workbook: the first visible sheet with two columns, or the one of this name.

    ``header`` is the row of its names where a person said it, ``longest`` the bytes that a cell may have. Raises
    :class:`MarketError` for a damaged or locked workbook, one without such a sheet, and one that is too large, in a
    sentence that names the file and what is allowed; what ``report`` raises is passed on, and ends the reading.
    """
    too_much = (
        f"{file} takes more memory or time than a workbook of prices needs. Delete what stands far from its "
        "table, or save its sheet as CSV or Parquet."
    )
    seconds_expected = SECONDS_A_MEGABYTE * max(1.0, len(content) / 1e6)
    name, limits = json.dumps(sheet[:1000]), (MOST_MEMORY, MOST_SECONDS)
    try:
        about, cells = read_apart(workbook_process, content, [name], limits, file, too_much, report, seconds_expected)
    except DamagedError:
        raise MarketError(
            f"{file} begins as a workbook but cannot be read as one; allowed are whole workbooks without a password, "
            "CSV and Parquet files.",
            "damaged",
        ) from None
    if "refused" in about:
        raise MarketError(f"{file} {plain_words(about['refused'], 400)}", about["code"])
    count, ends = about["cells"], 4 * about["texts"] + 4
    numbers = np.frombuffer(cells, np.float64, count).reshape(-1, about["width"])
    kinds = np.frombuffer(cells, np.uint8, count, offset=8 * count + ends).reshape(numbers.shape)
    texts = pa.StringArray.from_buffers(
        about["texts"], cells.slice(8 * count, ends), cells.slice(8 * count + ends + count)
    )
    return _table(kinds, numbers, texts, about, file, header, longest)


def _table(
    kinds: NDArray[np.uint8],
    numbers: NDArray[np.float64],
    texts: pa.StringArray,
    about: dict[str, Any],
    file: str,
    header: int,
    longest: int,
) -> FileTable:
    """The table in the cells of a sheet; empty rows and columns are none of it."""
    full, columns = np.flatnonzero(kinds.any(axis=1)), np.flatnonzero(kinds.any(axis=0))
    check_width(file, len(columns))
    rows = full + about["top"] + 1
    places = np.zeros_like(kinds, np.int32)
    places[kinds == TEXT] = range(1, len(texts))
    filled = np.ix_(full, columns)
    kinds, numbers, places = kinds[filled].T, numbers[filled].T, places[filled].T
    printed_cells = [
        _text(of_kinds, of_numbers, texts.take(pa.array(of_places)))
        for of_kinds, of_numbers, of_places in zip(kinds, numbers, places, strict=True)
    ]
    table = extent(printed_cells, rows, header, file)
    inside = slice(table.first, table.end)
    check_lengths([cells[inside] for cells in printed_cells], rows[inside], file, longest)
    table_columns = (
        _column(of_kinds[inside], of_numbers[inside], cells[inside])
        for of_kinds, of_numbers, cells in zip(kinds, numbers, printed_cells, strict=True)
    )
    sheets = tuple(about["sheets"])
    notes = (f"The workbook has {len(sheets)} sheets; {about['sheet']} was read.",) if len(sheets) > 1 else ()
    return cut_table(
        FileTable(
            file,
            "workbook",
            table.names,
            tuple(table_columns),
            rows[inside],
            notes=(*notes, *table.notes),
            sheets=sheets,
            sheet=about["sheet"],
            header=table.header,
            units=table.units,
        )
    )


def _text(kinds: NDArray[np.uint8], numbers: NDArray[np.float64], cells: pa.StringArray) -> pa.StringArray:
    """Cells, of which these hold the texts, as the text that a person sees."""
    for kind in (NUMBER, MOMENT):
        if (mask := kinds == kind).any():
            values = printed(_column(kinds[mask], numbers[mask], cells))
            values = pc.replace_substring(values, " 00:00:00", "") if kind == MOMENT else values
            cells = pc.replace_with_mask(cells, pa.array(mask), values)
    return cells


def _column(kinds: NDArray[np.uint8], numbers: NDArray[np.float64], text: pa.StringArray) -> pa.Array:
    """Cells as numbers or as moments where all are, else as text."""
    present = set(kinds.tolist()) - {BLANK}
    if present == {NUMBER}:
        return pa.array(numbers, mask=kinds == BLANK)
    if present == {MOMENT}:
        return pa.array(numbers.astype(np.int64).astype("datetime64[s]"), mask=kinds == BLANK)
    return text
