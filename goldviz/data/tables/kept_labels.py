"""What files of texts were called when they were brought: a line beside each key.

A market says it in its own file; a text is kept as it is, and documents too large to read for a name.
"""

from __future__ import annotations

from contextlib import suppress

from goldviz.data.tables.file_table import plain_words
from goldviz.data.tables.kept_files import PLACES

LABELS = PLACES["labels"]
LONGEST_LABEL = 80


def keep_label(key: str, label: str) -> None:
    """Keep what data are called; the last name that they were brought under counts.

    Where the disk refuses, the data stay usable without it.
    """
    with suppress(OSError):
        LABELS.write(key, plain_words(label, LONGEST_LABEL).encode("utf-8", "replace"))
        LABELS.make_room(survivor=key)


def kept_label(key: str) -> str:
    """What the data of this key are called; empty where nobody has said it."""
    with suppress(OSError):
        return (LABELS.read(key) or b"").decode("utf-8", "replace")
    return ""
