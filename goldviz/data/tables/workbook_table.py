"""Workbooks from strangers: one sheet of cells, with the numbers and dates that a person sees in it.

Excel's (.xlsx, and the old .xls) and OpenDocument's (.ods) are read by a process of its own
(:mod:`goldviz.data.tables.workbook_process`), which may take so much memory and time and no more.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
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
from goldviz.data.tables.table_head import extent
from goldviz.data.tables.whole_files import disk_faults_as
from goldviz.data.tables.workbook_process import BLANK, COMPOUND_FILE, MOMENT, MOST_MEMORY, MOST_SECONDS, NUMBER, TEXT

MARKS = (b"xl/workbook.xml", b"application/vnd.oasis.opendocument.spreadsheet")
"""What stands in the archive of a workbook."""

SECONDS_A_MEGABYTE = 0.5
"""About what reading takes: how far it is cannot be seen from outside."""

LOOK_SECONDS = 0.02


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
    with disk_faults_as(MarketError, f"{file} cannot be read on this machine"), TemporaryDirectory() as folder:
        workbook, result = Path(folder, "workbook"), Path(folder, "result")
        workbook.write_bytes(content)
        _read(workbook, sheet, result, file, report)
        with open(result, "rb") as answer:
            about, cells = json.loads(answer.readline()), pa.py_buffer(np.fromfile(answer, np.uint8))
    if "refused" in about:
        raise MarketError(f"{file} {plain_words(about['refused'], 400)}")
    count, ends = about["cells"], 4 * about["texts"] + 4
    numbers = np.frombuffer(cells, np.float64, count).reshape(-1, about["width"])
    kinds = np.frombuffer(cells, np.uint8, count, offset=8 * count + ends).reshape(numbers.shape)
    texts = pa.StringArray.from_buffers(
        about["texts"], cells.slice(8 * count, ends), cells.slice(8 * count + ends + count)
    )
    return _table(kinds, numbers, texts, about, file, header, longest)


def _read(workbook: Path, sheet: str, result: Path, file: str, report: Report) -> None:
    """Let a process of its own read; raises MarketError where it fails, or takes too much of memory or time."""
    seconds_expected = SECONDS_A_MEGABYTE * max(1.0, workbook.stat().st_size / 1e6)
    # Without the script's folder on its path, as modules there have names of others.
    command = [sys.executable, "-P", workbook_process.__file__, str(workbook), json.dumps(sheet[:1000]), str(result)]
    too_much = False
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None and not too_much:
                with suppress(psutil.Error):
                    memory, seconds = _taken(process.pid)
                    report(min(seconds, 0.99 * seconds_expected) + 1e-3, seconds_expected)
                    too_much = memory > MOST_MEMORY or seconds > MOST_SECONDS
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_SECONDS)
        finally:
            process.kill()
    # A library that gets no memory ends its process by a signal.
    if too_much or process.returncode < 0:
        raise MarketError(
            f"{file} takes more memory or time than a workbook of prices needs. Delete what stands far from its "
            "table, or save its sheet as CSV or Parquet."
        )
    if process.returncode:
        raise MarketError(
            f"{file} begins as a workbook but cannot be read as one; allowed are whole workbooks without a password, "
            "CSV and Parquet files."
        )


def _taken(process: int) -> tuple[int, float]:
    """What a process has in memory, and the seconds of a core that it took."""
    child = psutil.Process(process)
    return child.memory_info().rss, sum(child.cpu_times()[:2])


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
