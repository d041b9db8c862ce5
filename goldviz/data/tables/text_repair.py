"""Characters that a program has read in the wrong encoding, put right where there is no doubt.

A dash is three bytes in UTF-8. Read one by one as Latin-1 or Windows-1252 they become "â" and two other characters,
most often invisible ones.
"""

from __future__ import annotations

import re

WINDOWS_BYTES = {
    bytes([value]).decode("cp1252"): value for value in range(0x80, 0xA0) if value not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
"""The characters that Windows-1252 has where Latin-1 has invisible ones; five bytes it leaves open."""

_UPPER = "".join(WINDOWS_BYTES)
_LATER = f"[\x80-\xbf{_UPPER}]"
_MISREAD = re.compile(f"[ÂÃ]{_LATER}|[\xc4-\xdf][\x80-\x9f{_UPPER}]|[\xe0-\xef][\x80-\x9f{_UPPER}]{_LATER}")


def repaired(text: str) -> tuple[str, int]:
    """The text with what was misread put right, and how many characters that were.

    A run of characters counts as misread where its bytes are a sign of UTF-8 that texts in Latin letters use, and
    where no such text would have the run itself.

    >>> repaired("rates\\xe2\\x80\\x94did not â€œriseâ€\\x9d, café » and Ã©")
    ('rates—did not “rise”, café » and é', 4)
    """
    count = 0

    def put_right(match: re.Match[str]) -> str:
        nonlocal count
        run = match.group()
        try:
            sign = bytes(WINDOWS_BYTES.get(character) or ord(character) for character in run).decode("utf-8")
        except (UnicodeDecodeError, ValueError):
            return run
        if not _expected(sign):
            return run
        count += 1
        return sign

    return _MISREAD.sub(put_right, text), count


def _expected(sign: str) -> bool:
    """Whether a sign is an accented letter, a punctuation mark, a fraction, a currency or an arrow."""
    return "\xa0" <= sign <= "\u024f" or "\u2000" <= sign <= "\u22ff"
