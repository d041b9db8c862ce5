"""Files that visitors brought, as they are: kept under their key while they are looked into.

A worker finds them there, so that no process has to hand their bytes to another, and the server need not hold them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from goldviz.coded_errors import CodedError
from goldviz.data.tables.file_table import plain_words
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import digest, disk_faults_as

BROUGHT_FILES = PLACES["brought"]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Told(Generic[Value]):
    """What came of files that were brought, or why they are ``refused``.

    That is an answer like any other, so that files are looked into once and not whenever the page is drawn.
    """

    value: Value | None = None
    refused: CodedError | None = None

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        return int(getattr(self.value, "nbytes", 0))


def told(make: Callable[[], Value], fault: type[CodedError]) -> Told[Value]:
    """What ``make`` gives, or why it raised ``fault``."""
    try:
        return Told(make())
    except fault as error:
        return Told(refused=fault(str(error), error.code))


def keep_brought(content: bytes, fault: type[CodedError]) -> str:
    """Keep a file as it is and say its key; raises ``fault`` with a sentence where the disk refuses."""
    key = digest(content)
    with disk_faults_as(fault, "Files that are brought cannot be written on this server"):
        BROUGHT_FILES.write(key, content)
        BROUGHT_FILES.make_room(survivor=key)
    return key


def brought_content(key: str, name: str, fault: type[CodedError]) -> bytes:
    """The bytes of a file that was brought; raises ``fault`` with a sentence where they have been let go of."""
    with disk_faults_as(fault, f"{plain_words(name)} cannot be read on this server"):
        content = BROUGHT_FILES.read(key)
    if content is None:
        raise fault(f"{plain_words(name)} is no longer on this server, which needed its room: choose it again.", "gone")
    return content
