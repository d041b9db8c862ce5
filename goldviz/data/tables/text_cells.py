"""A delimited text cut into cells, all of them text, or the row that has too many or too few of them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from goldviz.coded_errors import CodedError

SEPARATORS = ("\t", ";", "|", ",")
"""The comma last: it also stands inside numbers and dates."""
MOST_UNEVEN = 200
"""Titles and footers have no more rows."""
FIRST_ROW_CHARACTERS = 100_000


@dataclass(frozen=True)
class UnevenRow:
    """A row with another number of cells than the table, by its number in the file, and its beginning."""

    number: int
    cells: int
    text: str


def cells_of_text(text: str, fault: type[CodedError], *, file: str, expected: str) -> tuple[str, list[pa.StringArray]]:
    """The separator that cuts the first row into most cells, and the trimmed columns; a cell may span lines.

    Raises ``fault`` for a text without a first row, of one column, and with uneven rows.

    >>> separator, columns = cells_of_text('Rates; fell|0', CodedError, file="a.csv", expected="two")
    >>> separator, [column.to_pylist() for column in columns]
    (';', [['Rates'], ['fell|0']])
    """

    def first_row(separator: str) -> list[str]:
        try:
            return next(csv.reader(io.StringIO(text[:FIRST_ROW_CHARACTERS], newline=""), delimiter=separator))
        except (csv.Error, StopIteration):
            raise fault(f"{file} does not begin with a row of column names.", "no_header") from None

    widths = {separator: len(first_row(separator)) for separator in SEPARATORS}
    separator = max(widths, key=widths.__getitem__)
    if widths[separator] < 2:
        raise fault(f"{file} has one column only; expected are {expected}.", "one_column")
    return separator, columns_of_text(
        text.encode("utf-8", errors="replace"),
        separator,
        widths[separator],
        fault,
        file=file,
        limit="is a CSV file",
        hint=". Put a text with a comma or a line break in quotation marks",
        ignore_empty_lines=True,
    )


def uneven_words(row: UnevenRow, file: str, width: int, most: str, hint: str) -> str:
    """What is said of a row that has other cells than ``most``."""
    different = f"Row {row.number} of {file} has {row.cells:,} cells where {most} {width}"
    return f"{different}; every row needs the same number{hint}."


def columns_of_text(
    content: bytes,
    separator: str,
    width: int,
    fault: type[CodedError],
    *,
    file: str,
    limit: str,
    hint: str,
    most: str = "the first row has",
    ignore_empty_lines: bool = False,
    uneven: list[UnevenRow] | None = None,
) -> list[pa.StringArray]:
    """The columns of a text in UTF-8 with so many cells in every row, trimmed.

    Rows with more or fewer cells are left out where a list takes them, of at most :data:`MOST_UNEVEN`; otherwise, and
    where the text cannot be cut, ``fault`` is raised with a sentence for the person who brought the file.
    """
    places = [str(place) for place in range(width)]
    rejects: list[UnevenRow] = []

    def judge(row: pyarrow.csv.InvalidRow) -> str:
        left_out = rejects if uneven is None or len(uneven) == MOST_UNEVEN else uneven
        left_out.append(UnevenRow(row.number, row.actual_columns, (row.text or "")[:200]))
        return "error" if left_out is rejects else "skip"

    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            # One block and one thread: rows are numbered, and a quoted cell may span lines.
            read_options=pyarrow.csv.ReadOptions(
                use_threads=False, column_names=places, block_size=min(len(content) + 2, 2**31 - 1)
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator,
                newlines_in_values=True,
                ignore_empty_lines=ignore_empty_lines,
                invalid_row_handler=judge,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, OSError) as error:
        if rejects:
            raise fault(uneven_words(rejects[0], file, width, most, hint), "uneven_row") from error
        raise fault(f"{file} cannot be cut into cells; allowed {limit}.", "damaged") from error
    columns = table.columns
    del table
    # Each is let go of before the next is trimmed: all cells twice would take much memory.
    return [pc.utf8_trim_whitespace(columns.pop(0).combine_chunks()) for _ in range(width)]
