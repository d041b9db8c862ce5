"""Text files of separated cells, in whatever dialect they were written: encoding, separator, quotes, header.

Cells stay text here. The parser is Arrow's, which never guesses a type when it is told all of them.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
from charset_normalizer import from_bytes
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import KNOWN_WORDS, name_words
from goldviz.data.tables.file_table import FileTable, check_lengths, check_width, cut_table, is_missing, plain_words
from goldviz.data.tables.printed_dates import date_form
from goldviz.data.tables.table_head import Extent, extent
from goldviz.data.tables.text_cells import SEPARATORS, UnevenRow, columns_of_text, uneven_words
from goldviz.plurals import how_many

SAMPLE = 20_000
"""Characters from which the separator is told."""

BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

GZIP = b"\x1f\x8b"
MOST_UNPACKED = 50 * 10**6
"""Bytes of text in a packed file: as many as a file that is not packed may have."""

ALLOWED_FILES = "CSV, Excel, OpenDocument and Parquet files"

MOST, HINT = "most rows have", ", and quotation marks come in pairs"
"""What is said beside a row of another length."""

OTHER_FORMATS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive"),
    (b"%PDF", "a PDF document"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"{", "JSON"),
    (b"[{", "JSON"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
)
"""How files begin that are given as CSV by mistake, and what they are."""


def delimited_table(content: bytes, file: str, header: int = 0) -> FileTable:
    """The table in a text file, packed by gzip or not; ``header`` is the row of its names where a person said it.

    Raises :class:`MarketError` for anything that is not such a table, in one sentence that names
    the file, the row where there is one, and what is allowed.
    """
    text, notes = _decoded(_unpacked(content, file), file)
    separator, width, text = _separator(text, file)
    check_width(file, width)
    uneven: list[UnevenRow] = []
    content = text.encode("utf-8", errors="replace")
    del text
    columns = columns_of_text(
        content,
        separator,
        width,
        MarketError,
        file=file,
        limit=f"are {ALLOWED_FILES}",
        most=MOST,
        hint=HINT,
        uneven=uneven,
    )
    rows = np.delete(np.arange(1, len(columns[0]) + len(uneven) + 1), [row.number - 1 for row in uneven])
    if not len(rows):
        raise MarketError(f"{file} does not begin with a header; expected is a row of column names.", "no_header")
    check_lengths(columns, rows, file)
    table = extent(columns, rows, header, file)
    notes += _around(table, rows, uneven, file, width)
    columns = [column[table.first : table.end] for column in columns]
    rows = rows[table.first : table.end]
    empty = _blank_rows(columns) if len(rows) else np.zeros(0, bool)
    if empty.any():
        columns, rows = [column.filter(pa.array(~empty)) for column in columns], rows[~empty]
    notes += table.notes
    return cut_table(
        FileTable(
            file, "text", table.names, tuple(columns), rows, separator, notes, header=table.header, units=table.units
        )
    )


def _around(
    table: Extent, rows: NDArray[np.int64], uneven: Sequence[UnevenRow], file: str, width: int
) -> tuple[str, ...]:
    """What is said of rows with more or fewer cells above the table and below it; inside they are refused."""
    first, last = (rows[table.first], rows[table.end - 1]) if table.end > table.first else (0, 0)
    above = [row for row in uneven if row.number < first]
    below = [row for row in uneven if row.number > last]
    for row in uneven:
        inside = first <= row.number <= last or not last
        names = not table.header and row.number == first - 1 and row.cells > 1
        has_date = row in below and row.cells > 1 and date_form(pa.array([re.split(r"[\t;|,]", row.text)[0].strip()]))
        if inside or has_date or names:
            raise MarketError(uneven_words(row, file, width, MOST, HINT), "uneven_row")
    sides = {"above": above, "below": below}
    return tuple(
        f"{how_many(len(left), 'row', 'was', 'were')} left out {side} the table: {plain_words(left[0].text, 40)!r}."
        for side, left in sides.items()
        if left
    )


def _blank_rows(columns: Sequence[pa.StringArray]) -> NDArray[np.bool_]:
    """Whether a row has no value in any column."""
    empty = np.ones(len(columns[0]), bool)
    for column in columns:
        if not empty.any():
            break
        empty &= is_missing(column).to_numpy(zero_copy_only=False)
    return empty


def _unpacked(content: bytes, file: str) -> bytes:
    """The text of a file that gzip has packed, read no further than it may be long; any other content as it is."""
    if not content.startswith(GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            text = packed.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error):
        raise MarketError(f"{file} is a gzip archive that is damaged; allowed is a whole one.", "damaged") from None
    if len(text) > MOST_UNPACKED:
        raise MarketError(
            f"{file} holds more than {MOST_UNPACKED / 1e6:.0f} MB of text; allowed is at most that.", "too_large"
        )
    return text


def _decoded(content: bytes, file: str) -> tuple[str, tuple[str, ...]]:
    """The text, and a note where its encoding was guessed."""
    start = content.lstrip()[:16]
    for mark, what in OTHER_FORMATS:
        if start.lower().startswith(mark.lower()):
            kind = "an Excel workbook" if mark.startswith(b"PK") and b"xl/" in content else what
            raise MarketError(f"{file} is {kind}, not a table of text; allowed are {ALLOWED_FILES}.", "other_kind")
    text, notes = _text(content)
    beginning = text[:SAMPLE]
    strange = sum(ord(character) < 32 and not character.isspace() for character in beginning)
    if "\0" in text or strange > len(beginning) / 100 or beginning.count("\ufffd") > 3 + len(beginning) / 100:
        raise MarketError(f"{file} holds binary data, not a table of text; allowed are {ALLOWED_FILES}.", "other_kind")
    # The mark of byte order also stands where files were put behind one another.
    return text.replace("\ufeff", ""), notes


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
        encoding = _encoding(content)
        # Of Windows's superset of Latin-1 five bytes that it leaves open become a replacement character.
        return content.decode(encoding, errors="replace"), (
            f"The text is not UTF-8 and was read as {ENCODINGS[encoding]}.",
        )


ENCODINGS = {
    "cp1252": "Latin-1",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp932": "Shift-JIS",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
}
EAST_ASIAN = ("cp932", "gb18030", "big5", "cp949")


def _encoding(content: bytes) -> str:
    """In which encoding a text stands that is not UTF-8: the one that gives known names of columns, if any does.

    Charset-normalizer, which counts characters, is asked of East Asian encodings alone: a header in Latin letters is
    too short for it, and numbers are the same in all of them.
    """
    lines = b"\n".join(line for line in content[: 10 * SAMPLE].splitlines() if not line.isascii())[:SAMPLE]
    scores = {}
    for encoding in ENCODINGS:
        with suppress(UnicodeDecodeError):
            text = lines.decode(encoding)
            names = [name_words(name) for name in re.split(r"[\t\n;|,]", text) if not name.isascii()]
            scores[encoding] = sum(bool(words & KNOWN_WORDS) for words in names)
    best = max(scores, key=lambda encoding: scores[encoding], default="cp1252")
    if scores and scores[best]:
        return best
    guess = from_bytes(lines, cp_isolation=list(EAST_ASIAN)).best()
    return guess.encoding if guess else "cp1252"


def _separator(text: str, file: str) -> tuple[str, int, str]:
    """What separates cells, how many most rows have, and the text without a first line that only says so."""
    directive = re.match(r"sep=([\t;|,])\r?\n", text)
    if directive:
        text = text[directive.end() :]
    sample = text[:SAMPLE]
    if len(text) > SAMPLE:
        sample = sample[: max(sample.rfind("\n"), sample.rfind("\r"), 0) + 1] or sample
    separators = directive.groups() if directive else SEPARATORS
    scores = {separator: _regularity(sample, separator) for separator in separators}
    best = max(separators, key=lambda separator: scores[separator][0])
    if scores[best][0] == 0:
        if not text.strip():
            raise MarketError(
                f"{file} is empty; allowed are CSV, Excel and Parquet files with dates and numbers.", "empty"
            )
        by_blanks = len(re.findall(r"(?m)^\S.*\S {2,}\S", sample)) > 1
        aside = (
            " Its columns are set apart by blanks: open it in a spreadsheet and save it as CSV." if by_blanks else ""
        )
        sentence = "has one column only; expected are dates and numbers separated by , ; | or tabs."
        raise MarketError(f"{file} {sentence}{aside}", "one_column")
    return best, scores[best][1], text


def _regularity(sample: str, separator: str) -> tuple[float, int]:
    """The share of lines that this separator cuts into the same number of cells, more than one, and that number."""
    try:
        counts = Counter(len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=separator) if row)
    except csv.Error:
        return 0.0, 0
    # Of two numbers that are as common the larger one: a title has fewer cells than a table.
    cells, lines = max(counts.items(), key=lambda item: item[::-1], default=(0, 0))
    return (lines / counts.total(), cells) if cells > 1 else (0.0, 0)
