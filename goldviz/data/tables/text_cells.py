"""A delimited text cut into cells, all of them text, or the row that has too many or too few of them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.csv

MOST_UNEVEN = 200
"""Titles and footers have no more rows."""


class UncutError(ValueError):
    """A text that cannot be cut; ``uneven`` is the number of the row with other cells than the first, and how many."""

    def __init__(self, uneven: tuple[int, int] | None) -> None:
        self.uneven = uneven
        super().__init__("The text cannot be cut into cells.")


def cut(
    text: str,
    separator: str,
    width: int,
    fault: type[Exception],
    *,
    file: str,
    limit: str,
    hint: str,
    ignore_empty_lines: bool,
) -> list[pa.StringArray]:
    """The columns of a file's text; where it cannot be cut, ``fault`` with a sentence for the person who brought it."""
    try:
        return columns_of_text(text, separator, width, ignore_empty_lines=ignore_empty_lines)
    except UncutError as error:
        if error.uneven is None:
            raise fault(f"{file} cannot be cut into cells; allowed {limit}.") from error
        row, cells = error.uneven
        raise fault(
            f"Row {row} of {file} has {cells:,} cells where the first row has {width}; every row needs the same "
            f"number{hint}."
        ) from None


@dataclass(frozen=True)
class UnevenRow:
    """A row with another number of cells than the table, by its number in the file, and its beginning."""

    number: int
    cells: int
    text: str


def columns_of_text(
    text: str, separator: str, width: int, *, ignore_empty_lines: bool, uneven: list[UnevenRow] | None = None
) -> list[pa.StringArray]:
    """The columns of a text with so many cells in every row; raises :class:`UncutError`.

    Rows with more or fewer cells are left out where a list takes them, of at most :data:`MOST_UNEVEN`.
    """
    places = [str(place) for place in range(width)]
    content = text.encode("utf-8", errors="replace")
    ragged_rows: list[tuple[int, int]] = []

    def judge(row: pyarrow.csv.InvalidRow) -> str:
        if uneven is not None and len(uneven) < MOST_UNEVEN:
            uneven.append(UnevenRow(row.number, row.actual_columns, (row.text or "")[:200]))
            return "skip"
        ragged_rows.append((row.number, row.actual_columns))
        return "error"

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
        raise UncutError(ragged_rows[0] if ragged_rows else None) from error
    return [table.column(place).combine_chunks() for place in range(width)]
