"""The bytes of a visitor's file as text, whatever encoding it was saved in; what is no text is refused."""

from __future__ import annotations

from goldviz.data.tables.delimited_text import BYTE_ORDER_MARKS, OTHER_FORMATS
from goldviz.data.tables.text_repair import repaired
from goldviz.data.texts.dated_texts import DatedTextError

LARGEST_UPLOAD = 50 * 10**6
"""Bytes, of all files of one upload together."""

LOOKED_AT = 20_000
MOST_STRANGE = 0.01
"""Share of control characters, or of signs that no encoding gave, from which bytes are no text."""

READABLE = ("a web page", "JSON")
"""What begins like these may be a text all the same; it is shown as it stands and never run."""


def decoded_text(content: bytes, file: str, kinds: str = "CSV, TXT and Markdown files") -> tuple[str, tuple[str, ...]]:
    """The text with line ends as \\n and misread characters put right, and a note on what was done.

    ``kinds`` are the files that a person may bring. Raises
    :class:`goldviz.data.texts.dated_texts.DatedTextError` for an empty file and for one that holds no text.

    >>> decoded_text(b"\\xef\\xbb\\xbfRates rose\\r\\n", "statement.txt")
    ('Rates rose\\n', ())
    """
    if not content.strip():
        raise DatedTextError(f"{file} is empty; allowed is a file with text in it.", "empty")
    start = content.lstrip()[:16].lower()
    for mark, what in OTHER_FORMATS:
        if what not in READABLE and start.startswith(mark.lower()):
            raise DatedTextError(f"{file} is {what}, not text; allowed are {kinds}.", "other_kind")
    text, notes = _text_of(content)
    sample = text[:LOOKED_AT]
    strange = sum(character < " " and not character.isspace() for character in sample) + sample.count("\ufffd")
    if "\0" in text or strange > MOST_STRANGE * len(sample):
        raise DatedTextError(f"{file} holds binary data, not text; allowed are {kinds}.", "other_kind")
    text, count = repaired(text.replace("\r\n", "\n").replace("\r", "\n"))
    if count:
        signs = "character that was" if count == 1 else "characters that were"
        notes += (f"{count:,} {signs} saved in one encoding and read in another were put right, such as dashes.",)
    return text, notes


def _text_of(content: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace"), ()
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), ("The text is not UTF-8 and was read as Latin-1.",)
