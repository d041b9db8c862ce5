"""A table as it stands in a file: named columns of cells, before anything is read as a date or a number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError

MOST_ROWS = 2_000_000
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000
LONGEST_CELL = 1_000
LONGEST_NAME = 60
MISSING = ("", ".", "-", "--", "na", "n/a", "#n/a", "#na", "nan", "nd", "null", "none")
"""What stands in a cell, in small letters, where there is no value. ND is the Federal Reserve's."""


@dataclass(frozen=True)
class FileTable:
    """``columns`` hold trimmed text, or what a Parquet file says that they hold; ``names`` are clean and distinct.

    ``rows`` (n,) are the rows' numbers as a person counts them: in a text file the header is row 1. ``sheets`` are a
    workbook's, and ``sheet`` the one that was read.
    """

    file: str
    kind: Literal["text", "parquet", "workbook"]
    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    rows: NDArray[np.int64]
    separator: str = ""
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    sheet: str = ""

    def cell(self, column: int, place: int) -> str:
        """A cell as it may stand in a sentence: at most 30 characters, none of which controls anything."""
        return plain_words(printed(self.columns[column].slice(place, 1))[0].as_py(), 30)


def plain_words(text: str, longest: int = LONGEST_NAME) -> str:
    """Text of one line without control characters, cut to ``longest`` characters.

    >>> plain_words("Close\\x00\\n (USD)")
    'Close (USD)'
    """
    text_start = "".join(" " if character.isspace() else character for character in text[: 20 * longest])
    words = " ".join("".join(c for c in text_start if not unicodedata.category(c).startswith("C")).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Clean names, each different: an empty one becomes its place, a second *Close* becomes *Close (2)*.

    >>> distinct_names(["Date", "Close", "", "Close"])
    ('Date', 'Close', 'column 3', 'Close (2)')
    """
    names_so_far: list[str] = []
    for place, name in enumerate(names, 1):
        plain = plain_words(name, LONGEST_NAME - 6) or f"column {place}"
        different, count = plain, 1
        while different in names_so_far:
            count += 1
            different = f"{plain} ({count})"
        names_so_far.append(different)
    return tuple(names_so_far)


def check_extent(file: str, columns: int, rows: int) -> None:
    """Raises :class:`MarketError` for a table that is larger than any market needs, or empty."""
    if columns > MOST_COLUMNS:
        raise MarketError(f"{file} has {columns:,} columns; allowed are at most {MOST_COLUMNS}.")
    if rows == 0:
        raise MarketError(f"{file} has no rows under its header; expected are dates with numbers.")
    if rows > MOST_ROWS:
        raise MarketError(f"{file} has {rows:,} rows; allowed are at most {MOST_ROWS:,}.")
    if rows * columns > MOST_CELLS:
        raise MarketError(f"{file} has {rows * columns:,} cells; allowed are at most {MOST_CELLS:,}.")


def printed(column: pa.Array) -> pa.StringArray:
    """A column as text, the empty text where a Parquet file has nothing."""
    text = column if pa.types.is_string(column.type) else column.cast(pa.string())
    return pc.fill_null(text, "") if text.null_count else text


def is_missing(cells: pa.StringArray) -> pa.BooleanArray:
    """Whether each trimmed cell says that there is no value."""
    return pc.is_in(pc.utf8_lower(cells), value_set=pa.array(MISSING))
