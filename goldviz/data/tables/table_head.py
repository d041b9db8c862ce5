"""Where the table in a file begins and ends: titles, units and codes above it, and footers below.

The rows with dates are the table. Of the rows above them one is the header; what the others say of units is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import DATE_WORDS, name_words
from goldviz.data.tables.file_table import distinct_names, is_empty, plain_words
from goldviz.data.tables.printed_dates import ANY_DATE, SERIAL_DAYS, date_form
from goldviz.plurals import how_many

FIRST_ROWS, LAST_ROWS = 200, 30
"""Rows at the top in which the table may begin, and at the bottom in which it may end."""

YFINANCE = ["Price", "Ticker"]
"""What yfinance writes in front of two rows of names: Price,Close,High / Ticker,GC=F,GC=F / Date,,"""

_ABOVE = re.compile(r"\bunits?\b[^\w%$€£¥]*(?P<unit>[^,;)]{1,20})", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[(\[](?P<unit>[^()\[\]]{1,20})[)\]]")
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d[\d.,' ]*%?")
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+(?:[eE][-+]?\d+)?")
"""A number that cannot be a name: numbered columns, and years, are whole."""


@dataclass(frozen=True)
class Extent:
    """The table's columns by ``names``, and the places of its first row and of the row after its last.

    ``header`` is the row of names as a person counts it, 0 where there is none. ``above`` and ``below`` count rows that
    are left out and are not empty, ``footer`` is the first cell of those below.
    """

    names: tuple[str, ...]
    first: int
    end: int
    header: int
    units: dict[str, str] = field(default_factory=dict)
    above: int = 0
    below: int = 0
    footer: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of it."""
        sentences = []
        if not self.header:
            sentences.append("There is no header; the columns are named by their places.")
        if self.above:
            sentences.append(f"{how_many(self.above, 'filled row', 'was', 'were')} left out above the names.")
        if self.below:
            rows = how_many(self.below, "row", "was", "were")
            sentences.append(f"{rows} left out at the end, without a date: {self.footer!r}.")
        return tuple(sentences)


def extent(columns: Sequence[pa.StringArray], rows: NDArray[np.int64], header_row: int, file: str) -> Extent:
    """Where the table stands in these columns of trimmed text, all ``rows`` of the file among them.

    ``header_row`` is the row of names where a person said it, else 0. Raises :class:`MarketError` where it is none.
    """
    count = len(columns[0])
    header = int(np.argmax(rows == header_row)) if header_row else None
    if header is not None and header_row not in rows[:-1]:
        raise MarketError(
            f"Row {header_row} of {file} cannot be its header; allowed is a row of names above the numbers.",
            "no_header",
        )
    place = _column_of_dates(columns, count)
    if place is None:
        filled = (row for row in range(min(count, FIRST_ROWS)) if sum(map(bool, _cells(columns, row))) > 1)
        first = next(filled, 0) if header is None else header
        above = sum(any(_cells(columns, row)) for row in range(first))
        if header is None and all(_FRACTION.fullmatch(cell) for cell in _cells(columns, first)):
            return Extent(distinct_names([""] * len(columns)), first, count, 0, above=above)
        names = distinct_names(_cells(columns, first))
        return Extent(names, min(first + 1, count), count, int(rows[first]), above=above)
    begin = 0 if header is None else header + 1
    has_date, full = _dated(columns, place, slice(begin, begin + FIRST_ROWS))
    first = begin + int(np.argmax(full))
    while header is None and first > 0 and has_date[first - 1]:
        first -= 1  # a day to come, without a value yet
    has_date, _ = _dated(columns, place, slice(max(0, count - FIRST_ROWS), count))
    end = count - int(np.argmax(has_date[::-1]))
    footers = [row for row in range(end, count) if any(_cells(columns, row))]
    if len(footers) > LAST_ROWS or any(_like_a_date(columns, place, row) for row in footers):
        end, footers = count, []
    footer = plain_words(" ".join(filter(None, _cells(columns, footers[0]))), 40) if footers else ""
    top = [_cells(columns, row) for row in range(min(first, FIRST_ROWS))]
    names_row, names, units, begin = _header(top, place, columns, first, header)
    between = range(first if names_row is None else names_row + 1, first)
    # A row of numbers below the names is one of the table: without a date it is refused, and not left out.
    first = next((row for row in between if _like_a_row(columns, place, row)), first)
    above = sum(any(cells) for cells in top[:begin])
    number = 0 if names_row is None else int(rows[names_row])
    return Extent(names, first, end, number, units, above, len(footers), footer)


def _column_of_dates(columns: Sequence[pa.StringArray], count: int) -> int | None:
    """The first column with dates in most of the rows at the top, or in the lower half of them."""
    candidates: list[tuple[bool, int]] = []
    for place, column in enumerate(columns):
        cells = column[:FIRST_ROWS]
        form = date_form(cells) or date_form(cells[len(cells) // 2 :])
        if form is not None:
            candidates.append((form.digits_alone, place))
    if candidates:
        return min(candidates)[1]
    below = columns[0][min(FIRST_ROWS, count) // 2 : FIRST_ROWS]
    return 0 if len(below) and pc.all(pc.match_substring_regex(below, SERIAL_DAYS.pattern)).as_py() else None


def _dated(columns: Sequence[pa.StringArray], place: int, rows: slice) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of these rows have a date, and which have anything beside it."""
    column = columns[place][rows]
    has_date = pc.match_substring_regex(column, f"{ANY_DATE}|{SERIAL_DAYS.pattern}").to_numpy(zero_copy_only=False)
    beside = np.zeros(len(column), bool)
    for other, cells in enumerate(columns):
        if other != place and not beside.all():
            beside |= ~pc.equal(cells[rows], "").to_numpy(zero_copy_only=False)
    return has_date, has_date & beside if (has_date & beside).any() else has_date


def _like_a_date(columns: Sequence[pa.StringArray], place: int, row: int) -> bool:
    """Whether a row below the last date is one of the table with a mistaken date: such a row is not left out."""
    cells = _cells(columns, row)
    numbers = any(_NUMBER.fullmatch(cell) for other, cell in enumerate(cells) if other != place)
    return numbers and (not cells[place] or any(sign.isdigit() for sign in cells[place]))


def _like_a_row(columns: Sequence[pa.StringArray], place: int, row: int) -> bool:
    """Whether most cells beside the date are numbers, and no dates, as that of the file itself."""
    beside = [cell for other, cell in enumerate(_cells(columns, row)) if other != place and cell]
    return 2 * sum(bool(_NUMBER.fullmatch(cell)) and not date_form(pa.array([cell])) for cell in beside) > len(beside)


def _cells(columns: Sequence[pa.StringArray], row: int) -> list[str]:
    return [column[row].as_py() for column in columns]


def _header(
    top: list[list[str]], place: int, columns: Sequence[pa.StringArray], first: int, header: int | None
) -> tuple[int | None, tuple[str, ...], dict[str, str], int]:
    """The row of names above the first row of the table, the names, their units, and the first row that is used."""
    width = len(columns)
    others = [other for other in range(width) if other != place and not is_empty(columns[other][first:])] or [place]
    full = [
        row
        for row, cells in enumerate(top)
        if 2 * sum(bool(cells[other]) for other in others) >= len(others) and any(cells)
    ]
    if header is None:
        date_rows = [row for row in full if name_words(top[row][place]) & DATE_WORDS]
        header = date_rows[-1] if date_rows else next(iter(full), None)
    if header is not None and all(_NUMBER.fullmatch(top[header][other]) for other in others if top[header][other]):
        years = all(re.fullmatch(r"(1[89]|20)\d\d", top[header][other]) for other in others)
        header = header if years or name_words(top[header][place]) else None
        if header is None and first == 1:
            # A row of numbers without a date is no header; it is refused with its row, as any other.
            return None, distinct_names([""] * width), {}, first
    if header is None:
        return None, distinct_names([""] * width), {}, first
    names, begin = list(top[header]), header
    below = [cells for cells in top[header + 1 :] if any(cells)]
    if [cells[0] for cells in (names, *below)][:2] == YFINANCE:
        tickers = below[0]
        names = [f"{ticker} {name}".strip() for ticker, name in zip(tickers, names, strict=True)]
        names[0] = below[1][0] if len(below) > 1 else "Date"
        below = []
    elif not names[place]:
        names[place] = next((cells[place] for cells in reversed(top) if cells[place] and cells in below), "")
    other_names = [names[other] for other in others]
    if below and len(set(other_names)) < len(other_names):
        names = [
            f"{name} {more}".strip() if other in others else name
            for other, (name, more) in enumerate(zip(names, below[0], strict=True))
        ]
    elif header and len(set(other_names)) < len(other_names):
        over, with_groups = "", list(names)
        for other in others:
            # What stands over several columns is in the first of them.
            over = top[header - 1][other] or over
            with_groups[other] = f"{over} {names[other]}".strip()
        if len({with_groups[other] for other in others}) == len(others):
            names, begin = with_groups, header - 1
    clean = distinct_names(names)
    whole = " ".join(cell for cells in top[:header] for cell in cells if cell)
    of_all = _ABOVE.search(whole)
    units = {clean[other]: of_all["unit"].strip() for other in others} if of_all else {}
    for cells in below:
        for other in others:
            if match := _IN_BRACKETS.fullmatch(cells[other]):
                units[clean[other]] = match["unit"].strip()
    return header, clean, units, begin
