"""Files that are damaged, or made to do harm: sound ones with bytes turned, cut, repeated, spliced or exchanged."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
from collections.abc import Callable, Iterator

EXTREME = (
    b"\x00",
    b"\xff" * 8,
    b"\x00" * 64,
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"1e999",
    b"-1e308",
    b"nan",
    b"inf",
    b"9" * 400,
    b"99999999999999999999",
    b"0000-00-00",
    b"9999-12-31",
    b"1677-09-20",
    b"\r",
    b"\r\n\r\n",
    b'"',
    b'"' * 1001,
    b",," * 300,
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xa8",
    b"=cmd|' /C calc'!A0",
    b"<script>alert(1)</script>",
    b"{",
    b"[" * 5000,
    b"../../etc/passwd",
    b"%s%n",
    struct.pack("<Q", 2**63),
    struct.pack("<q", -1),
    struct.pack("<i", -(2**31)),
)
"""What parsers stumble over."""


def hostile(sound: bytes, count: int, seed: int) -> Iterator[bytes]:
    """So many files made from a sound one, always the same ones for a seed."""
    fixed = [
        b"",
        b"\x00" * 1000,
        b"\n" * 1000,
        sound[:1],
        sound[: len(sound) // 2],
        sound * 2,
        sound + sound[::-1],
        gzip.compress(sound),
        _zip_bomb(),
        b"\xff\xd8\xff\xe0" + sound,
    ]
    yield from fixed[:count]
    chance = random.Random(seed)
    for _ in range(count - len(fixed)):
        content = bytearray(sound)
        for _ in range(chance.choice((1, 1, 2, 5, 40))):
            chance.choice(CHANGES)(content, chance)
        yield bytes(content)


def _turn(content: bytearray, chance: random.Random) -> None:
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _turn_early(content: bytearray, chance: random.Random) -> None:
    """Headers stand at the beginning."""
    if content:
        content[chance.randrange(min(len(content), 256))] = chance.randrange(256)


def _cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content) + 1) :]


def _take_out(content: bytearray, chance: random.Random) -> None:
    begin = chance.randrange(len(content) + 1)
    del content[begin : begin + chance.randrange(1, 200)]


def _repeat(content: bytearray, chance: random.Random) -> None:
    begin = chance.randrange(len(content) + 1)
    content[begin:begin] = content[begin : begin + chance.randrange(1, 200)] * chance.choice((1, 3, 50))


def _put_in(content: bytearray, chance: random.Random) -> None:
    place = chance.randrange(len(content) + 1)
    content[place:place] = chance.choice(EXTREME)


def _put_over(content: bytearray, chance: random.Random) -> None:
    place, extreme = chance.randrange(len(content) + 1), chance.choice(EXTREME)
    content[place : place + len(extreme)] = extreme


CHANGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _turn,
    _turn_early,
    _cut,
    _take_out,
    _repeat,
    _put_in,
    _put_over,
)


def _zip_bomb() -> bytes:
    """A hundred megabytes of nothing in a hundred kilobytes."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", bytes(100 * 2**20))
    return sink.getvalue()
