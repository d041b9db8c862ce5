"""Text files of separated cells, in whatever dialect they were written: encoding, separator, quotes, header.

Cells stay text here. The parser is Arrow's, which never guesses a type when it is told all of them.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_extent, distinct_names, is_missing
from goldviz.data.tables.printed_dates import date_form
from goldviz.data.tables.text_cells import cut

SEPARATORS = ("\t", ";", "|", ",")
"""The comma last: it also stands inside numbers and dates."""

SAMPLE = 20_000
"""Characters from which the separator is told."""

LONGEST_HEADER = 100_000
BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

ALLOWED_FILES = "CSV, Excel (.xlsx) and Parquet files"

OTHER_FORMATS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook of the old format or with a password"),
    (b"%PDF", "a PDF document"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"{", "JSON"),
    (b"[{", "JSON"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
)
"""How files begin that are given as CSV by mistake, and what they are."""


def delimited_table(content: bytes, file: str) -> FileTable:
    """The table in a text file.

    Raises :class:`MarketError` for anything that is not such a table, in one sentence that names
    the file, the row where there is one, and what is allowed.
    """
    text, notes = _decoded(content, file)
    separator, text = _separator(text, file)
    header = _header(text, separator, file)
    check_extent(file, len(header.names), header.rows + 1)
    columns = _cells(text, separator, header, file)
    columns = [pc.utf8_trim_whitespace(column.slice(header.rows)) for column in columns]
    rows = np.arange(len(columns[0])) + header.rows + 1
    check_extent(file, len(columns), len(rows))
    for name, column in zip(header.names, columns, strict=True):
        lengths = pc.binary_length(column)
        longest = pc.max(lengths).as_py()
        if longest > LONGEST_CELL:
            row = rows[pc.index(lengths, longest).as_py()]
            raise MarketError(
                f"Row {row} of {file} has a cell of {longest:,} bytes in {name}; allowed are at most {LONGEST_CELL:,}."
            )
    empty = _blank_rows(columns)
    mask = pa.array(~empty)
    rows = rows[~empty]
    check_extent(file, len(columns), len(rows))
    notes += header.notes
    columns = [column.filter(mask) for column in columns]
    return FileTable(file, "text", header.names, tuple(columns), rows, separator, notes)


def _blank_rows(columns: Sequence[pa.StringArray]) -> NDArray[np.bool_]:
    """Whether a row has no value in any column."""
    empty = np.ones(len(columns[0]), bool)
    for column in columns:
        if not empty.any():
            break
        empty &= is_missing(column).to_numpy(zero_copy_only=False)
    return empty


def _decoded(content: bytes, file: str) -> tuple[str, tuple[str, ...]]:
    """The text, and a note where its encoding was guessed."""
    start = content.lstrip()[:16]
    for mark, what in OTHER_FORMATS:
        if start.lower().startswith(mark.lower()):
            kind = "an Excel workbook" if mark.startswith(b"PK") and b"xl/" in content else what
            raise MarketError(f"{file} is {kind}, not a table of text; allowed are {ALLOWED_FILES}.")
    text, notes = _text(content)
    beginning = text[:SAMPLE]
    strange = sum(ord(character) < 32 and not character.isspace() for character in beginning)
    if "\0" in text or strange > len(beginning) / 100 or beginning.count("\ufffd") > len(beginning) / 100:
        raise MarketError(f"{file} holds binary data, not a table of text; allowed are {ALLOWED_FILES}.")
    return text, notes


def _text(content: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace"), ()
    start = content[:1000]
    for encoding, zeros, others in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if zeros.count(0) > 0.9 * len(zeros) and others.count(0) == 0:
            return content.decode(encoding, errors="replace"), ()
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        # A superset of Latin-1's letters; five bytes that it leaves open become a replacement character.
        return content.decode("cp1252", errors="replace"), ("The text is not UTF-8 and was read as Latin-1.",)


def _separator(text: str, file: str) -> tuple[str, str]:
    """What separates cells, and the text without a first line that only says so, as Excel writes it."""
    directive = re.match(r"sep=([\t;|,])\r?\n", text)
    if directive:
        return directive.group(1), text[directive.end() :]
    sample = text[:SAMPLE]
    if len(text) > SAMPLE:
        sample = sample[: max(sample.rfind("\n"), sample.rfind("\r"), 0) + 1] or sample
    scores = {separator: _regularity(sample, separator) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: scores[separator])
    if scores[best] == 0:
        if not text.strip():
            raise MarketError(f"{file} is empty; allowed are CSV, Excel and Parquet files with dates and numbers.")
        raise MarketError(f"{file} has one column only; expected are dates and numbers separated by , ; | or tabs.")
    return best, text


def _regularity(sample: str, separator: str) -> float:
    """The share of lines that this separator cuts into the same number of cells, which must be more than one."""
    try:
        counts = Counter(len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=separator) if row)
    except csv.Error:
        return 0.0
    cells, lines = max(counts.items(), key=lambda item: item[1], default=(0, 0))
    return lines / counts.total() if cells > 1 else 0.0


@dataclass(frozen=True)
class _Header:
    names: tuple[str, ...]
    rows: int
    """How many rows of the file it takes."""
    notes: tuple[str, ...] = ()


def _header(text: str, separator: str, file: str) -> _Header:
    reader = csv.reader(io.StringIO(text[:LONGEST_HEADER], newline=""), delimiter=separator)
    blank = 0
    try:
        while not any(names := next(reader)):
            blank += 1
        below = list(islice(reader, 2))
    except (csv.Error, StopIteration):
        raise MarketError(f"{file} does not begin with a header; expected is a row of column names.") from None
    if [row[:1] for row in (names, *below)] == [["Price"], ["Ticker"], ["Date"]]:
        # As yfinance writes a table of several tickers: Price,Close,High / Ticker,GC=F,GC=F / Date,,
        both = [f"{symbol} {price}" for price, symbol in zip(names[1:], below[0][1:], strict=False)]
        return _Header(distinct_names(["Date", *both]), blank + 3)
    if any(date_form(pa.array([cell.strip()])) for cell in names):
        numbered_names = distinct_names([""] * len(names))
        return _Header(numbered_names, blank, ("There is no header; the columns are named by their places.",))
    return _Header(distinct_names(names), blank + 1)


def _cells(text: str, separator: str, header: _Header, file: str) -> list[pa.StringArray]:
    """The columns as text, the header's rows among them."""
    return cut(
        text,
        separator,
        len(header.names),
        MarketError,
        file=file,
        limit=f"are {ALLOWED_FILES}",
        hint=", and quotation marks come in pairs",
        ignore_empty_lines=False,
    )
