"""Plain texts that a person brought for pre-training, named by their content, so that settings can name them.

A file is UTF-8 text, whatever encoding it was brought in; its name, 16 digits of its SHA-256, tells damage.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.kept_labels import keep_label
from goldviz.data.tables.whole_files import digest, disk_faults_as
from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.read_kept import read_kept
from goldviz.data.texts.uploaded_text import decoded_text

KEPT_TEXTS = PLACES["texts"]
LARGEST_TEXT = 20 * 10**6
"""Bytes of a file that is brought. Texts that are kept may take ten times as much in all."""


@dataclass(frozen=True)
class KeptText:
    """The name of a kept text, how many words it has, and what should be said about how it was read."""

    name: str
    words: int
    notes: tuple[str, ...] = ()


def keep_text(content: bytes, file: str) -> KeptText:
    """Keep the text of a file and say how it is called; the same text kept again has the same name.

    UTF-8, with or without a mark, and UTF-16 with one are read as they are. Anything else is read as Latin-1, and a
    note says so. Line ends become \\n. The file is there whole or not at all; the least recently used texts go when
    all together pass the room that they may take.

    Raises :class:`TextError` for a file that is larger than :data:`LARGEST_TEXT`, empty, or no
    text, and where the folder cannot be written.
    """
    if len(content) > LARGEST_TEXT:
        raise TextError(
            f"{file} has {len(content) / 1e6:.1f} MB; allowed are text files of at most {LARGEST_TEXT / 1e6:.0f} MB.",
            "too_large",
        )
    try:
        text, notes = decoded_text(content, file)
    except DatedTextError as error:
        raise TextError(str(error), error.code) from None
    words = len(text.split())
    if not words:
        raise TextError(f"{file} is empty; allowed is a file with text in it.", "empty")
    data = text.encode()
    name = digest(data)

    with disk_faults_as(TextError, "Texts that were uploaded cannot be written on this server"):
        KEPT_TEXTS.write(name, data)
        KEPT_TEXTS.make_room(survivor=name)
    keep_label(name, file)
    return KeptText(name, words, notes)


def load_text(name: str) -> str:
    """The kept text of this name, which counts as used just now.

    Raises :class:`goldviz.data.texts.pieces.TextError` for a name that cannot be one, a text that this machine does not
    hold, and a file that is damaged.
    """
    return read_kept(
        KEPT_TEXTS,
        name,
        "text",
        TextError,
        folder="Texts that were uploaded",
        if_lost="upload its file here again, or choose the generated texts",
        if_damaged="upload its file again",
    ).decode()
