"""The parts of a workbook's archive, each looked through before a library is given any of them.

A small archive can stand for a huge one: by compression, by numbers in its XML, by repeats and by entities. So parts
are counted, weighed and searched as bytes, and the library gets a new archive of what was looked through, and no other.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from tempfile import TemporaryDirectory
from typing import NoReturn

from goldviz.data.markets.market import MarketError

Part = bytes | bytearray
Report = Callable[[float, float], None]
"""Told how much is done of how much; what it raises ends the reading."""

MOST_UNPACKED = 100 * 10**6
"""Bytes of XML in all parts that are read of a workbook."""

MOST_PARTS = 5_000
MOST_SHEETS = 500
MOST_CELLS = 1_000_000
"""Cells that hold anything, of all sheets; and so many that hold nothing, which some programs write."""

MOST_SPANNED = 4_000_000
"""Cells from the first one to the last one of a sheet: the library makes room for all of them."""

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
"""Of any sheet of Excel."""

LONGEST_TEXT = 100_000
"""Bytes of one cell; Excel's own longest has 32,767 characters."""

LONGEST_MARKUP = 2**20
"""Bytes without an element: a longer tag, comment or text is nobody's."""

MOST_OTHERS = 300_000
"""Elements that are no cells: columns' widths, merged ranges, conditions, styles."""

PIECE = 2**16
FEW_EDITS = 20
ENTRY_MARK = b"PK\x01\x02"
ASIDE = re.compile(r"(?:xl/(?:drawings|charts|media|theme|pivot|embeddings)|docProps|customXml|Thumbnails|Pictures)")
"""Parts without cells."""
WORKBOOK_PART, FIRST_LIST = "xl/workbook.xml", "_rels/.rels"
_FIRST_PART = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type='
    b'"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>'
    b"</Relationships>"
)
_REPEATED = re.compile(rb'(number-(?:rows|columns)-repeated=["\'])(\d+)')
_LONGEST_REPEAT = 256
_COUNTS = re.compile(rb"\s(?:count|uniqueCount)\s*=\s*[\"'][^\"'<>]*[\"']")
_DIMENSION = re.compile(rb"dimension(?<=[<:]dimension)(\b[^<>]*?\bref\s*=\s*[\"'])[^\"'<>]*")
_REFERENCE = re.compile(rb'\sr=["\']([A-Z]{1,4})(\d{1,18})')


def unheard(done: float, total: float) -> None:
    """The report of a reading that nobody waits for elsewhere."""


def looked_through(content: bytes, file: str, report: Report) -> dict[str, Part]:
    """The parts of an archive that can hold cells, by name.

    Raises :class:`MarketError` where there are too many parts, two of one name, or too much in them, and
    ``zipfile.BadZipFile`` where it is damaged.
    """
    # The list of parts is built as a whole, a kilobyte for each entry.
    if content.count(ENTRY_MARK) > MOST_PARTS:
        raise MarketError(f"{file} has more than {MOST_PARTS:,} parts; allowed are workbooks with fewer.")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        entries = archive.infolist()
        if len({entry.filename for entry in entries}) < len(entries):
            raise MarketError(f"{file} has two parts of one name; allowed are workbooks with one part for each.")
        if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
            raise MarketError(f"{file} is packed in an unusual way; allowed are workbooks as Excel saves them.")
        entries = [entry for entry in entries if entry.filename.endswith((".xml", ".rels", "mimetype"))]
        entries = [entry for entry in entries if not ASIDE.match(entry.filename)]
        total = sum(entry.file_size for entry in entries)
        if total > MOST_UNPACKED:
            raise MarketError(f"{file} unpacks to {total:,} bytes; allowed are at most {MOST_UNPACKED:,}.")
        parts: dict[str, Part] = {}
        done = filled = empty = 0
        for entry in entries:
            part = bytearray()
            with archive.open(entry) as stream:
                while piece := stream.read(PIECE):
                    part += piece
                    done += len(piece)
                    report(min(done, total), max(1, total))
            _look_through(part, entry.filename, file)
            if b"number-rows-repeated" in part or b"number-columns-repeated" in part:
                part = _with_few_repeats(part, file)
            # The library makes room for as much as these say, whatever there is.
            part = _exchanged(_COUNTS, b" ", part) if b"ount" in part else part
            part = _exchanged(_DIMENSION, rb"dimension\1A1", part)
            with_value, without = _cells(part, file)
            filled, empty = filled + with_value, empty + without
            parts[entry.filename] = part
            if filled > MOST_CELLS:
                raise MarketError(f"{file} has more than {MOST_CELLS:,} cells; save it as CSV or Parquet.")
            if empty > MOST_CELLS:
                raise MarketError(
                    f"{file} has more than {MOST_CELLS:,} empty cells; delete its empty rows and columns, or save it "
                    "as CSV or Parquet."
                )
    return parts


@contextmanager
def repacked(parts: dict[str, Part]) -> Iterator[str]:
    """The path of an archive of these parts alone, with the list that the library needs and some programs omit.

    It lies on the disk and the parts are let go of: memory would hold them beside the cells.
    """
    excel = WORKBOOK_PART in parts
    if excel:
        parts.setdefault(FIRST_LIST, _FIRST_PART)
    with TemporaryDirectory() as folder:
        path = f"{folder}/workbook.{'xlsx' if excel else 'ods'}"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name in list(parts):
                archive.writestr(name, parts.pop(name))
        yield path


def _exchanged(pattern: re.Pattern[bytes], replacement: bytes, part: bytearray) -> bytearray:
    """The part with a replacement for each match: in place where these are few, for a copy takes as much again."""
    edits = [(match.span(), match.expand(replacement)) for match in islice(pattern.finditer(part), FEW_EDITS + 1)]
    if len(edits) > FEW_EDITS:
        return bytearray(pattern.sub(replacement, part))
    for (begin, end), text in reversed(edits):
        part[begin:end] = text
    return part


def _look_through(part: Part, name: str, file: str) -> None:
    """Refuse what no part of a workbook needs."""
    if b"<!DOCTYPE" in part or "<!DOCTYPE".encode("utf-16-le") in part or "<!DOCTYPE".encode("utf-16-be") in part:
        raise MarketError(f"{file} declares a document type, which no workbook needs; allowed are plain ones.")
    if _silent(part, LONGEST_TEXT):
        if _silent(part, LONGEST_MARKUP):
            _refuse(file, "longer texts")
        raise MarketError(
            f"{file} has a cell of more than {LONGEST_TEXT:,} characters; allowed are dates, numbers and short texts."
        )
    if name.endswith("sharedStrings.xml"):
        strings = part.count(b"<si>") + part.count(b":si>") // 2
        if strings > MOST_CELLS or _elements(part) - 2 * strings > MOST_OTHERS:
            _refuse(file, "more strings")
    elif b"sheetData" not in part and b"table-cell" not in part and _elements(part) > MOST_OTHERS:
        _refuse(file, "more elements beside its cells")


def _elements(part: Part) -> int:
    return part.count(b"<") - part.count(b"</")


def _silent(part: Part, longest: int) -> bool:
    """Whether there are so many bytes in which no element begins or ends."""
    place = 0
    while place + longest < len(part):
        last = part.rfind(b"<", place, place + longest)
        if last < 0:
            return True
        place = last + 1
    return False


def _cells(part: Part, file: str) -> tuple[int, int]:
    """How many cells of a sheet hold anything, and how many cells and rows hold nothing."""
    if b"sheetData" not in part:
        return 0, 0
    prefix = re.search(rb"<(\w+:)?sheetData", part)
    of = (prefix[1] or b"") if prefix else b""
    cells = sum(part.count(b"<" + of + b"c" + end) for end in (b" ", b">", b"/", b"\n"))
    filled = sum(part.count(b"<" + of + mark) for mark in (b"v>", b"v ", b"is>", b"is "))
    rows = re.findall(rb"<" + of + rb'row\b[^>]{0,400}?\sr=["\'](\d{1,18})', part)
    if _elements(part) - 4 * cells - part.count(b"<" + of + b"row") > MOST_OTHERS:
        _refuse(file, "more elements beside its cells")
    references, width, last = _references(part)
    if (beyond := max(map(int, rows), default=0)) > LAST_ROW:
        raise MarketError(f"{file} has a row {beyond}; a sheet has at most {LAST_ROW:,} rows.")
    if references < cells:
        width = max(width, *(row.count(b"<" + of + b"c") for row in part.split(b"<" + of + b"row")))
    if width > LAST_COLUMN:
        raise MarketError(f"{file} has a column {LAST_COLUMN + 1:,}; a sheet has at most {LAST_COLUMN:,} columns.")
    listed = max(len(rows), part.count(b"<" + of + b"row"))
    if width * max(last, listed) > MOST_SPANNED:
        whole = re.sub(rb"<" + of + rb"c\b[^>]{0,400}/>", b"", part)
        _, columns, last = _references(whole)
        if (columns or width) * max(last, listed) > MOST_SPANNED:
            raise MarketError(
                f"{file} has cells far from each other, over {width:,} columns; delete what stands beside its table, "
                "or save it as CSV or Parquet."
            )
    empty_rows = part.count(b"<" + of + b"row/") + part.count(b"</" + of + b"row>") - min(filled, len(rows))
    return filled, max(0, cells - filled) + max(0, empty_rows)


def _references(part: Part) -> tuple[int, int, int]:
    """How many references to cells there are, and the last column and the last row that they name, 0 without any."""
    letters: set[bytes] = set()
    digits: set[bytes] = set()
    count = begin = 0
    while begin < len(part):
        # All at once would take more memory than the part.
        end = part.rfind(b"<", begin + 1, begin + LONGEST_MARKUP) if begin + LONGEST_MARKUP < len(part) else len(part)
        end = len(part) if end < 0 else end
        references = _REFERENCE.findall(part, begin, end)
        letters.update(column for column, _ in references)
        digits.update(row for _, row in references)
        count, begin = count + len(references), end
    return count, max(map(_column_number, letters), default=0), max(map(int, digits), default=0)


def _column_number(letters: bytes) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _with_few_repeats(part: Part, file: str) -> bytearray:
    """An OpenDocument part in which nothing is repeated often, as empty cells to a sheet's end are."""
    part = bytearray(_REPEATED.sub(lambda match: match[1] + b"%d" % min(int(match[2][:9]), _LONGEST_REPEAT), part))
    height = width = 0
    for row in part.split(b"table-row")[1:]:
        counts = [int(count) for _, count in _REPEATED.findall(row)]
        of_rows = re.match(rb'[^>]{0,400}?number-rows-repeated=["\'](\d+)', row)
        height += int(of_rows[1]) if of_rows else 1
        width = max(width, row.count(b"table-cell") + sum(counts))
        if height * width > MOST_SPANNED:
            raise MarketError(f"{file} has more than {MOST_SPANNED:,} cells; save its sheet as CSV or Parquet.")
    return part


def _refuse(file: str, more: str) -> NoReturn:
    """Raise the sentence for a workbook that has ``more`` than one of prices needs."""
    raise MarketError(f"{file} has {more} than a workbook of prices needs; save its sheet as CSV or Parquet.")
