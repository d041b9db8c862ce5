"""Excel's old workbooks (.xls): records in a compound file, looked through before a library is given any of them.

What a record says of its own size is not handed on: the library makes room for it. Formulas, names, pictures and
macros are taken out; cells, strings and formats stay ([MS-XLS] 2.3, [MS-CFB] 2.2 to 2.6).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.workbook_parts import MOST_CELLS, MOST_OTHERS, MOST_SHEETS, MOST_SPANNED, MOST_UNPACKED, Report

COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MINI_STREAM = 4096
"""Shorter streams stand in sectors of 64 bytes."""
LAST_SECTOR = 0xFFFFFFFA
END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
MOST_CONTINUED = 10_000
"""Records that go on with another one: the library moves all of them for each."""

CONTINUE = 0x3C
MOST_TEXT = MOST_UNPACKED // 4
"""Characters of all cells, each with a copy of its string."""
EVERY = 2**12
"""Records between two looks at what they come to."""
NOTHING = 0xFFFF
"""A type that no record has."""


@dataclass
class OldSheet:
    """How far a sheet's cells reach, and the rows, by column, of those that a person sees as percentages."""

    rows: list[int] = field(default_factory=lambda: [2**16, -1])
    columns: list[int] = field(default_factory=lambda: [2**16, -1])
    percents: dict[int, set[int]] = field(default_factory=dict)

    @property
    def spanned(self) -> int:
        """Cells from the first one to the last one."""
        (top, bottom), (left, right) = self.rows, self.columns
        return max(0, bottom - top + 1) * max(0, right - left + 1)


class OldRecords:
    """The records of a workbook, and its sheets in their order; see :func:`sound_records`."""

    def __init__(self, stream: bytearray) -> None:
        self.stream = stream
        self.sheets: dict[int, OldSheet] = {}
        """By the place at which their records begin."""
        self.cells = self.text = 0
        self._depth, self._sheet, self._begun = 0, OldSheet(), 0
        self._formats, self._styles, self._count_of_styles = {9, 10}, set[int](), 0
        self._lengths: list[int] = []

    def take(self, place: int, kind: int, begin: int, after: int) -> None:
        """Count what a record holds, and put right what it says of its own size.

        Raises ``ValueError``, ``struct.error`` or its like for damage and for a workbook with a password.
        """
        stream = self.stream
        match kind:
            case 0x2F:
                raise ValueError("the workbook has a password")
            case 0x809:
                if place in self.sheets:
                    if self._depth:
                        raise ValueError("a sheet begins inside another")
                    self._sheet, self._begun = self.sheets[place], self._begun + 1
                self._depth += 1
            case 0x0A:
                self._depth -= 1
            case 0x85:
                [begins] = struct.unpack_from("<I", stream, begin)
                if begins <= place or begins in self.sheets or len(self.sheets) == MOST_SHEETS:
                    raise ValueError("sheets stand where none can")
                self.sheets[begins] = OldSheet()
            case 0x41E if b"%" in stream[begin:after]:
                self._formats.update(struct.unpack_from("<H", stream, begin))
            case 0xE0:
                if struct.unpack_from("<H", stream, begin + 2)[0] in self._formats:
                    self._styles.add(self._count_of_styles)
                self._count_of_styles += 1
            case 0xFC:
                if self._lengths:
                    raise ValueError("strings stand twice")
                self._lengths = _lengths_of_strings(stream, place)
                struct.pack_into("<II", stream, begin, len(self._lengths), len(self._lengths))
            case 0xBD:
                row, first = struct.unpack_from("<HH", stream, begin)
                self._take_cells(
                    row, first, [one for one, _ in struct.iter_unpack("<HI", stream[begin + 4 : after - 2])]
                )
            case 0x203 | 0x205 | 0x27E | 0x06 | 0xFD | 0x204:
                row, first, style = struct.unpack_from("<HHH", stream, begin)
                self._take_cells(row, first, [style])
                if kind == 0xFD:
                    [which] = struct.unpack_from("<I", stream, begin + 6)
                    self.text += self._lengths[which] if which < len(self._lengths) else 0
                elif kind == 0x06:
                    # No token of a formula is left.
                    struct.pack_into("<H", stream, begin + 20, 0)
                elif kind == 0x204:
                    self._shorten(begin + 6, after)
            case 0x207:
                self._shorten(begin, after)
            case 0x3C | 0x42 | 0x22 | 0x41E:
                pass
            case _:
                struct.pack_into("<H", stream, place, NOTHING)

    def check(self, file: str, count: int) -> None:
        """Raise :class:`MarketError` for more than a workbook of prices has; ``count`` records were taken."""
        shares = {"cells": self.cells / MOST_CELLS, "text": self.text / MOST_TEXT}
        shares["records"] = (count - self.cells) / MOST_OTHERS
        more = max(shares, key=shares.__getitem__)
        if shares[more] > 1:
            raise MarketError(
                f"{file} has more {more} than a workbook of prices needs; save its sheet as CSV or Parquet."
            )
        if any(one.spanned > MOST_SPANNED // 2 for one in self.sheets.values()):
            raise MarketError(f"{file} has cells far from each other; delete what stands beside its table, or save it.")

    def check_places(self) -> None:
        """Raise ``ValueError`` where a sheet begins at no record."""
        if self._begun != len(self.sheets):
            raise ValueError("a sheet begins at no record")

    def _take_cells(self, row: int, first: int, styles: list[int]) -> None:
        self.cells += len(styles)
        sheet = self._sheet
        sheet.rows = [min(sheet.rows[0], row), max(sheet.rows[1], row)]
        sheet.columns = [min(sheet.columns[0], first), max(sheet.columns[1], first + len(styles) - 1)]
        for column, style in enumerate(styles, first):
            if style in self._styles:
                sheet.percents.setdefault(column, set()).add(row)

    def _shorten(self, at: int, after: int) -> None:
        """Let a text say no more characters than there are."""
        [characters] = struct.unpack_from("<H", self.stream, at)
        struct.pack_into("<H", self.stream, at, min(characters, max(0, after - at - 2)))


def sound_records(content: bytes, file: str, report: Report) -> tuple[bytearray, list[OldSheet]]:
    """The records of a workbook without what lies, and its sheets in their order.

    Raises :class:`MarketError` for more than a workbook of prices has, and ``ValueError``, ``struct.error`` or its like
    for damage and for a workbook with a password.
    """
    stream = bytearray(_workbook_stream(content))
    records = OldRecords(stream)
    place = count = 0
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        after = place + 4 + size
        if after > len(stream):
            raise ValueError("a record is cut off")
        records.take(place, kind, place + 4, after)
        place, count = after, count + 1
        if count % EVERY == 0:
            records.check(file, count)
            report(place, len(stream))
    records.check(file, count)
    records.check_places()
    return stream, list(records.sheets.values())


def _lengths_of_strings(stream: bytearray, place: int) -> list[int]:
    """How many characters each shared string has; strings go on from record to record, with a sign of their own."""
    whole, parts = memoryview(stream), list[memoryview]()
    while place + 4 <= len(whole):
        kind, size = struct.unpack_from("<HH", whole, place)
        if parts and kind != CONTINUE:
            break
        parts.append(whole[place + 4 : place + 4 + size])
        place += 4 + size
    [count] = struct.unpack_from("<I", parts[0], 4)
    if len(parts) > MOST_CONTINUED or count > MOST_CELLS:
        raise ValueError("strings go on and on")
    parts[0] = parts[0][8:]
    parts.reverse()
    lengths = []
    for _ in range(count):
        if not len(parts[-1]):
            parts.pop()
        characters, flags = struct.unpack_from("<HB", parts[-1])
        runs, more, skipped = 0, 0, 3
        if flags & 8:
            runs, skipped = struct.unpack_from("<H", parts[-1], skipped)[0], skipped + 2
        if flags & 4:
            more, skipped = struct.unpack_from("<I", parts[-1], skipped)[0], skipped + 4
        parts[-1] = parts[-1][skipped:]
        left, width = characters, 1 + (flags & 1)
        while left:
            here = min(left, len(parts[-1]) // width)
            parts[-1], left = parts[-1][here * width :], left - here
            if left:
                parts.pop()
                width, parts[-1] = 1 + (parts[-1][0] & 1), parts[-1][1:]
        aside = 4 * runs + more
        while aside:
            if not len(parts[-1]):
                parts.pop()
            here = min(aside, len(parts[-1]))
            parts[-1], aside = parts[-1][here:], aside - here
        lengths.append(characters)
    return lengths


def _workbook_stream(content: bytes) -> bytes:
    """The stream of a compound file in which a workbook's records stand; raises ValueError or its like for damage."""
    size = 1 << struct.unpack_from("<H", content, 30)[0]
    if size not in (512, 4096):
        raise ValueError("sectors of an unknown size")

    def sector(number: int) -> bytes:
        return content[(number + 1) * size : (number + 2) * size]

    def numbers(part: bytes) -> list[int]:
        return list(struct.unpack_from(f"<{len(part) // 4}I", part))

    def chain(first: int, table: list[int], piece: Callable[[int], bytes]) -> bytes:
        whole = bytearray()
        while first < LAST_SECTOR:
            part = piece(first)
            whole += part
            if not part or len(whole) > len(content):
                raise ValueError("a chain of sectors without an end")
            first = table[first]
        return bytes(whole)

    first_directory, _, _, first_mini, _, more = struct.unpack_from("<6I", content, 48)
    places = numbers(content[76:512])
    while more < LAST_SECTOR:
        *next_places, more = numbers(sector(more))
        places += next_places
        if len(places) > len(content) // size + 200:
            raise ValueError("a list of sectors without an end")
    table = numbers(b"".join(sector(place) for place in places if place < LAST_SECTOR))
    entries: dict[str, tuple[int, int]] = {}
    directory = chain(first_directory, table, sector)
    for at in range(0, len(directory) - 127, 128):
        name = directory[at : at + 64].decode("utf-16-le", "ignore").split("\0")[0]
        entries.setdefault(name, struct.unpack_from("<II", directory, at + 116))
    root = next(iter(entries.values()))
    start, length = entries["Workbook"] if "Workbook" in entries else entries["Book"]
    if length >= MINI_STREAM:
        return chain(start, table, sector)[:length]
    small = chain(root[0], table, sector)
    return chain(start, numbers(chain(first_mini, table, sector)), lambda n: small[64 * n : 64 * n + 64])[:length]


@contextmanager
def compound_file(stream: bytes | bytearray) -> Iterator[str]:
    """The path of a compound file with this stream of records alone, in sectors of 4,096 bytes."""
    size = 4096
    stream = stream + bytes(-len(stream) % size)
    count = max(1, len(stream) // size)
    stream = stream.ljust(count * size, b"\0")
    of_table = -(-(count + 2) // (size // 4 - 1))
    table = [END, END, *range(3, 2 + count), END, *[TABLE] * of_table]
    header = struct.pack("<8s16s5H6x", COMPOUND_FILE, b"", 62, 4, 0xFFFE, 12, 6)
    header += struct.pack("<9I", 1, of_table, 0, 0, MINI_STREAM, END, 0, END, 0)
    header += struct.pack("<109I", *range(2 + count, 2 + count + of_table), *[FREE] * (109 - of_table))

    def entry(name: str, kind: int, child: int, start: int, length: int) -> bytes:
        letters = name.encode("utf-16-le")
        return struct.pack("<64sHBB3I36xIQ", letters, len(letters) + 2, kind, 1, FREE, FREE, child, start, length)

    directory = entry("Root Entry", 5, 1, 1, size) + entry("Workbook", 2, FREE, 2, count * size)
    with TemporaryDirectory() as folder:
        path = f"{folder}/workbook.xls"
        with open(path, "wb") as file:
            for part in (header, directory, b""):
                file.write(part.ljust(size, b"\0"))
            file.write(stream)
            file.write(struct.pack(f"<{len(table)}I", *table).ljust(of_table * size, b"\xff"))
        yield path
