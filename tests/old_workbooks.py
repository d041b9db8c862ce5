"""Workbooks of the old format (.xls), written record by record ([MS-XLS], [MS-CFB]): no library here writes them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

GENERAL, DAY, PERCENT = range(3)
FORMATS = (0, 14, 10)
Cell = str | float | int | date | None


class Share(NamedTuple):
    """A number that is shown as a percentage."""

    value: float


def record(kind: int, body: bytes) -> bytes:
    """One record; a body of more than 8,224 bytes goes on in others."""
    parts = [body[at : at + 8224] for at in range(0, max(1, len(body)), 8224)]
    return b"".join(struct.pack("<HH", 0x3C if at else kind, len(part)) + part for at, part in enumerate(parts))


def text(words: str, length: str = "<H") -> bytes:
    """A string in letters of one byte, or of two where they need it."""
    wide = any(ord(letter) > 255 for letter in words)
    return struct.pack(length, len(words)) + bytes([wide]) + words.encode("utf-16-le" if wide else "latin-1")


def cell_record(row: int, column: int, cell: Cell | Share, strings: list[str]) -> bytes:
    """The record of one cell: small whole numbers as RK, others as doubles, days as a spreadsheet counts them."""
    place = struct.pack("<HH", row, column)
    if isinstance(cell, str):
        return record(0xFD, place + struct.pack("<HI", GENERAL, strings.index(cell)))
    if isinstance(cell, int):
        return record(0x27E, place + struct.pack("<Hi", GENERAL, cell << 2 | 2))
    if isinstance(cell, date):
        return record(0x203, place + struct.pack("<Hd", DAY, cell.toordinal() - date(1899, 12, 30).toordinal()))
    style, value = (PERCENT, cell.value) if isinstance(cell, Share) else (GENERAL, cell)
    return record(0x203, place + struct.pack("<Hd", style, value))


def records(sheets: Mapping[str, Sequence[Sequence[Cell | Share]]]) -> bytes:
    """The stream of a workbook with these sheets."""
    strings = list(dict.fromkeys(c for rows in sheets.values() for row in rows for c in row if isinstance(c, str)))
    streams = []
    for rows in sheets.values():
        width = max(map(len, rows), default=0)
        body = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
        body += record(0x200, struct.pack("<IIHHH", 0, len(rows), 0, width, 0))
        for number, row in enumerate(rows):
            body += b"".join(
                cell_record(number, place, cell, strings) for place, cell in enumerate(row) if cell is not None
            )
        streams.append(body + record(0x0A, b""))
    table = struct.pack("<II", len(strings), len(strings)) + b"".join(map(text, strings))
    top = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + record(0x42, struct.pack("<H", 1200))
    top += b"".join(record(0xE0, struct.pack("<HH16x", 0, number)) for number in FORMATS)
    names = [text(name, "<B") for name in sheets]
    begins = len(top) + sum(10 + len(name) for name in names) + len(record(0xFC, table)) + 4
    for name, body in zip(names, streams, strict=True):
        top += record(0x85, struct.pack("<IH", begins, 0) + name)
        begins += len(body)
    return top + record(0xFC, table) + record(0x0A, b"") + b"".join(streams)


def compound(stream: bytes, name: str = "Workbook") -> bytes:
    """A compound file with one stream: in sectors of 64 bytes where it is short, else of 512."""
    small = len(stream) < 4096
    stream = stream + bytes(-len(stream) % 64) if small else stream
    body = stream + bytes(-len(stream) % 512)
    minis = struct.pack(f"<{len(stream) // 64}I", *range(1, len(stream) // 64), 2**32 - 2).ljust(512, b"\xff")
    first = 2 if small else 1
    count = len(body) // 512
    entries = first + count
    of_table = next(n for n in range(1, 200) if 128 * n >= entries + n)
    fat = [2**32 - 2] * first + [*range(first + 1, entries), 2**32 - 2] + [2**32 - 3] * of_table
    header = struct.pack("<8s16s5H6x", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 62, 3, 0xFFFE, 9, 6)
    end = 2**32 - 2
    header += struct.pack("<9I", 0, of_table, 0, 0, 4096, 1 if small else end, int(small), end, 0)
    header += struct.pack("<109I", *range(entries, entries + of_table), *[2**32 - 1] * (109 - of_table))

    def entry(words: str, kind: int, child: int, start: int, size: int) -> bytes:
        letters = words.encode("utf-16-le")
        none = 2**32 - 1
        return struct.pack("<64sHBB3I36xIQ", letters, len(letters) + 2, kind, 1, none, none, child, start, size)

    root = entry("Root Entry", 5, 1, first if small else end, len(body) if small else 0)
    directory = root + entry(name, 2, 2**32 - 1, 0 if small else first, len(stream))
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(512 * of_table, b"\xff")
    return header + directory.ljust(512, b"\0") + (minis if small else b"") + body + table


def old_workbook(**sheets: Sequence[Sequence[Cell | Share]]) -> bytes:
    """A workbook of the old format with these sheets, each a list of rows."""
    return compound(records(sheets))
