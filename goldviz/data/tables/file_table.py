"""A table as it stands in a file: named columns of cells, before anything is read as a date or a number."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError

Report = Callable[[float, float], None]
"""Told how much is done of how much; what it raises ends the reading."""

MOST_ROWS = 2_000_000
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000
LONGEST_CELL = 1_000
LONGEST_NAME = 60
MISSING = (
    *("", ".", "..", "...", "-", "--", "---", "na", "n/a", "n.a.", "#n/a", "#na", "#n/a n/a", "nan", "nd", "n.d."),
    *("null", "none", "nil", "\u2026", "\u2013", "\u2014", "\uff0d", "*", "**", "***", "****", "*****", "?"),
    *(":", "\u00b7", "n.v.", "n/v", "k.a.", "k. a.", "n.c.", "s.o."),
    *("#value!", "#ref!", "#div/0!", "#num!", "#name?"),
)
"""What stands in a cell, in small letters, where there is no value. ND is the Federal Reserve's."""


def unheard(done: float, total: float) -> None:
    """The report of a reading that nobody waits for elsewhere."""


@dataclass(frozen=True)
class FileTable:
    """``columns`` hold trimmed text, or what a Parquet file says that they hold; ``names`` are clean and distinct.

    ``rows`` (n,) are the rows' numbers as a person counts them: in a text file the header is row 1, and ``header`` is
    its row, 0 where there is none. ``units`` are by name what stands above the table. ``sheets`` are a workbook's, and
    ``sheet`` the one that was read. ``fault`` says that the file has more than this, which is its beginning.
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
    header: int = 0
    units: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""

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
    # In order, and with how often each came: a name that comes thousands of times is not counted from the start.
    times: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        plain = different = plain_words(name, LONGEST_NAME - 6) or f"column {place}"
        while different in times:
            times[plain] += 1
            different = f"{plain} ({times[plain]})"
        times[different] = 1
    return tuple(times)


def check_width(file: str, columns: int) -> None:
    """Raises :class:`MarketError` for more columns than are worth looking into."""
    if columns > 10 * MOST_COLUMNS and (fault := _fault(file, columns, 1)):
        raise fault


def check_lengths(
    columns: Sequence[pa.StringArray], rows: NDArray[np.int64], file: str, limit: int = LONGEST_CELL
) -> None:
    """Raises :class:`MarketError` for a cell that is too long, by default to be a date, a number or a name."""
    for place, column in enumerate(columns, 1):
        lengths = pc.binary_length(column)
        longest = pc.max(lengths).as_py() or 0
        if longest > limit:
            raise MarketError(
                f"Row {rows[pc.index(lengths, longest).as_py()]} of {file} has a cell of {longest:,} bytes in column "
                f"{place}; allowed are at most {limit:,}.",
                "too_long",
            )


def check_extent(file: str, columns: int, rows: int) -> None:
    """Raises :class:`MarketError` for a table that is larger than any market needs, or empty."""
    if fault := _fault(file, columns, rows):
        raise fault


def _fault(file: str, columns: int, rows: int) -> MarketError | None:
    if rows == 0 and columns <= MOST_COLUMNS:
        return MarketError(f"{file} has no rows under its header; expected are dates with numbers.", "no_rows")
    faults = [f"{rows:,} rows; allowed are at most {MOST_ROWS:,}"] if rows > MOST_ROWS else []
    if columns > MOST_COLUMNS:
        faults.insert(0, f"{columns:,} columns; allowed are at most {MOST_COLUMNS}")
    if not faults and rows * columns > MOST_CELLS:
        faults = [f"{rows * columns:,} cells; allowed are at most {MOST_CELLS:,}"]
    if not faults:
        return None
    return MarketError(f"{file} has {', and '.join(faults)}. Take out what you do not need.", "too_large")


def cut_table(table: FileTable) -> FileTable:
    """The table, or the beginning of one that is too large with its ``fault``: so the rest of its faults can be told.

    Raises :class:`MarketError` for one without rows.
    """
    fault = _fault(table.file, len(table.columns), len(table.rows))
    if fault is None:
        return table
    if len(table.rows) == 0:
        raise fault
    columns = tuple(column[:MOST_ROWS] for column in table.columns[:MOST_COLUMNS])
    names = table.names[:MOST_COLUMNS]
    return replace(table, names=names, columns=columns, rows=table.rows[:MOST_ROWS], fault=fault.sentence)


def printed(column: pa.Array) -> pa.StringArray:
    """A column as text, the empty text where a Parquet file has nothing."""
    if pa.types.is_timestamp(column.type):
        # Fractions of a second would be printed as nine digits.
        column = column.cast(pa.timestamp("s", column.type.tz), safe=False)
    text = column if pa.types.is_string(column.type) else column.cast(pa.string())
    return pc.fill_null(text, "") if text.null_count else text


def is_empty(cells: pa.StringArray) -> bool:
    """Whether no trimmed cell says a value; the first few tell it of most columns."""
    return all(pc.all(is_missing(part)).as_py() for part in (cells[:200], cells))


def is_missing(cells: pa.StringArray) -> pa.BooleanArray:
    """Whether each trimmed cell says that there is no value."""
    return pc.is_in(pc.utf8_lower(cells), value_set=pa.array(MISSING))
