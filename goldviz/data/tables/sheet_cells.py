"""The cells of a workbook's sheet and its shared strings, read as they stream by: what is empty is never built.

Numbers of rows, columns and cells are checked as they come, before anything is made of them. As everywhere, the value
that was saved with a formula counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Any, NoReturn
from xml.parsers import expat

from openpyxl.utils import column_index_from_string
from openpyxl.utils.datetime import from_excel, from_ISO8601

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.workbook_parts import NAMESPACE, Parts

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
"""Of any sheet of Excel."""

MOST_CELLS = 1_000_000
"""Cells that hold anything, of all sheets that are read: so many take two seconds."""

MOST_EMPTY = 1_000_000
"""Cells and rows that hold nothing, of all sheets that are read: some programs write a million of them."""

MOST_STRINGS = 1_000_000
MOST_CHARACTERS = 20 * 10**6
"""In all texts of the sheets that are read, and in all shared strings."""

LONGEST_INTEGER = 300
"""Characters; of a longer number no float holds more than that it is infinite."""

LONGEST_TEXT = 100_000
"""Characters of one cell; Excel's own longest has 32,767."""

MOST_OTHERS = 300_000
"""Elements that are no cells: columns' widths, merged ranges, conditions."""

Value = float | str | bool | date | time | timedelta
ROW, CELL, VALUE, INLINE, STRING, TEXT, PHONETIC = (
    f"{NAMESPACE} {name}" for name in ("row", "c", "v", "is", "si", "t", "rPh")
)
DIGITS = "0123456789"


class Percentage(float):
    """A number that a person sees as a percentage: 0.0406 for 4.06 %."""


@dataclass(frozen=True)
class Style:
    """How a cell's number is seen."""

    percent: bool = False
    date: bool = False
    duration: bool = False


@dataclass(frozen=True)
class Sheet:
    """What a sheet holds: ``numbers`` of the rows with anything in them, and how many cells each has, ``filled``.

    ``columns`` are by their number, from 1 on: the places of a column's cells among those rows, and their values.
    """

    numbers: list[int] = field(default_factory=list)
    filled: list[int] = field(default_factory=list)
    columns: dict[int, tuple[list[int], list[Value]]] = field(default_factory=dict)

    def column(self, number: int, first: int) -> list[Value | None]:
        """A column's values from a row's place on, one for each row."""
        values: list[Value | None] = [None] * (len(self.numbers) - first)
        for place, value in zip(*self.columns.get(number, ([], [])), strict=True):
            if place >= first:
                values[place - first] = value
        return values


class _Texts:
    """What shared strings and inline ones have in common: text in runs, without the reading aids of East Asia."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.elements = self.characters = 0
        self.pieces: list[str] | None = None
        self.length = 0
        self.aside = False

    def collect(self) -> None:
        self.pieces, self.length = [], 0

    def collected(self) -> str:
        text, self.pieces = "".join(self.pieces or ()), None
        return text

    def text(self, text: str) -> None:
        if self.pieces is None or self.aside:
            return
        self.pieces.append(text)
        self.length += len(text)
        self.characters += len(text)
        if self.length > LONGEST_TEXT:
            raise MarketError(
                f"{self.file} has a cell of more than {LONGEST_TEXT:,} characters; allowed are dates, numbers and "
                "short texts."
            )
        if self.characters > MOST_CHARACTERS:
            raise MarketError(
                f"{self.file} has more than {MOST_CHARACTERS:,} characters of text; save its sheet as CSV or Parquet."
            )


class _Strings(_Texts):
    """Takes in a part of shared strings."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.found: list[str] = []
        self.inside = False
        self.runs: list[str] = []

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.elements += 1
        if name == STRING:
            self.inside, self.runs = True, []
        elif name == PHONETIC:
            self.aside = True
        elif name == TEXT and self.inside and not self.aside:
            self.collect()

    def end(self, name: str) -> None:
        if name == TEXT and self.pieces is not None:
            self.runs.append(self.collected())
        elif name == PHONETIC:
            self.aside = False
        elif name == STRING:
            self.inside = False
            # Excel escapes an underscore that could begin an escape as _x005F_; openpyxl undoes it so, too.
            self.found.append("".join(self.runs).replace("x005F_", ""))


def shared_strings(parts: Parts, name: str, file: str) -> list[str]:
    """The shared strings in a part. Raises as :meth:`Parts.feed` does, and MarketError for too many."""
    reader = _Strings(file)
    for elements in parts.feed(name, _parser(reader), lambda: reader.elements):
        if len(reader.found) > MOST_STRINGS or elements - 2 * len(reader.found) > MOST_OTHERS:
            parts.refuse("more strings")
    return reader.found


class _Cells(_Texts):
    """Takes in the parts of sheets, one after another, and counts over all of them."""

    def __init__(self, file: str, strings: Sequence[str], styles: Callable[[int], Style], epoch: Any) -> None:
        super().__init__(file)
        self.strings, self.styles, self.epoch = strings, styles, epoch
        self.sheet = Sheet()
        self.row: dict[int, Value] = {}
        self.number = self.last = self.column = 0
        self.filled = self.empty = 0
        self.attributes: dict[str, str] = {}
        self.value: str | None = None
        self.inline: list[str] | None = None
        self.columns: dict[str, int] = {}

    def begin(self) -> None:
        """Make ready for the next sheet."""
        self.sheet, self.row = Sheet(), {}
        self.number = self.last = self.column = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if name == CELL:
            self.attributes, self.value, self.inline = attributes, None, None
            self.column = self._column(attributes["r"]) if "r" in attributes else self.column + 1
            if self.column > LAST_COLUMN:
                self.beyond(f"a column {self.column:,}", f"at most {LAST_COLUMN:,} columns")
        elif name == VALUE:
            self.collect()
        elif name == ROW:
            self.number = _row_number(attributes["r"]) if "r" in attributes else self.number + 1
            if not 1 <= self.number <= LAST_ROW:
                self.beyond(f"a row {attributes.get('r', '')[:20] or self.number}", f"at most {LAST_ROW:,} rows")
            self.row, self.column = {}, 0
        elif name == INLINE:
            self.inline = []
        elif name == TEXT and self.inline is not None and not self.aside:
            self.collect()
        elif name == PHONETIC:
            self.aside = True

    def end(self, name: str) -> None:
        if name == VALUE:
            self.value = self.collected()
        elif name == CELL:
            value = None if self.value is None and self.inline is None else self._read()
            if value is None:
                self.empty += 1
            else:
                self.row[self.column] = value
                self.filled += 1
            self.inline = None
        elif name == ROW:
            # A row that stands again, or above the one before it, is left out, as by other readers.
            if not self.row:
                self.empty += 1
            elif self.number > self.last:
                self._keep()
                self.last = self.number
        elif name == TEXT and self.inline is not None and self.pieces is not None:
            self.inline.append(self.collected())
        elif name == PHONETIC:
            self.aside = False

    def _keep(self) -> None:
        """Add the row that just ended to the sheet."""
        sheet = self.sheet
        place = len(sheet.numbers)
        sheet.numbers.append(self.number)
        sheet.filled.append(len(self.row))
        for column, value in self.row.items():
            if column not in sheet.columns:
                sheet.columns[column] = ([], [])
            places, values = sheet.columns[column]
            places.append(place)
            values.append(value)

    def beyond(self, what: str, limit: str) -> NoReturn:
        raise MarketError(f"{self.file} has {what}; a sheet has {limit}.")

    def _column(self, reference: str) -> int:
        name = reference.rstrip(DIGITS)
        column = self.columns.get(name)
        if column is None:
            # Raises ValueError for what are no letters, and for more than three of them.
            column = self.columns[name] = column_index_from_string(name)
        return column

    def _read(self) -> Value | None:
        """The value of the cell that just ended; none for blanks and for errors such as #DIV/0!."""
        kind = self.attributes.get("t", "n")
        if kind == "inlineStr":
            return self._words("".join(self.inline or ()))
        text = self.value
        if not text or kind == "e":
            return None
        if kind == "n":
            return self._number(text)
        if kind == "s":
            return self._words(self.strings[int(text)])
        if kind == "b":
            return bool(int(text))
        if kind == "d":
            moment: date = from_ISO8601(text)
            return moment
        return self._words(text)

    def _words(self, text: str) -> str | None:
        return text if text.strip() else None

    def _number(self, text: str) -> Value | None:
        whole = len(text) <= LONGEST_INTEGER and not ("." in text or "E" in text or "e" in text)
        number = int(text) if whole else float(text)
        style = self.styles(int(self.attributes.get("s") or 0))
        if style.date:
            try:
                moment: Value = from_excel(number, self.epoch, timedelta=style.duration)
            except (OverflowError, ValueError):
                return None
            return moment
        return Percentage(number) if style.percent else number


def sheet_cells(
    parts: Parts, names: Iterable[str], file: str, strings: Sequence[str], styles: Callable[[int], Style], epoch: Any
) -> tuple[str, Sheet] | None:
    """The first of these parts that is a sheet with anything in its cells, and those cells; None where none is.

    Raises as :meth:`Parts.feed` does, and MarketError where there is too much in the sheets that were read, together.

    ``styles`` tells how a number of the style with this place in the workbook is seen, ``epoch`` from when days count.
    """
    reader = _Cells(file, strings, styles, epoch)
    for name in names:
        reader.begin()
        for elements in parts.feed(name, _parser(reader), lambda: reader.elements):
            if reader.filled > MOST_CELLS:
                raise MarketError(f"{file} has more than {MOST_CELLS:,} cells; save it as CSV or Parquet.")
            if reader.empty > MOST_EMPTY:
                raise MarketError(
                    f"{file} has more than {MOST_EMPTY:,} empty cells; delete its empty rows and columns, or save it "
                    "as CSV or Parquet."
                )
            if elements - 4 * (reader.filled + reader.empty) > MOST_OTHERS:
                parts.refuse("more elements beside its cells")
        if reader.sheet.numbers:
            return name, reader.sheet
    return None


def _row_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        # Some programs write 5.0, which openpyxl understands as well.
        return int(float(text))


def _parser(reader: _Strings | _Cells) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    return parser
