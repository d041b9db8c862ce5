"""Files that visitors brought, as they are: kept under their key while they are looked into.

A worker finds them there, so that no process has to hand their bytes to another, and the server need not hold them.
"""

from __future__ import annotations

from goldviz.data.tables.file_table import plain_words
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import digest, disk_faults_as

BROUGHT_FILES = PLACES["brought"]


def keep_brought(content: bytes, fault: type[Exception]) -> str:
    """Keep a file as it is and say its key; raises ``fault`` with a sentence where the disk refuses."""
    key = digest(content)
    with disk_faults_as(fault, "Files that are brought cannot be written on this server"):
        BROUGHT_FILES.write(key, content)
        BROUGHT_FILES.make_room(survivor=key)
    return key


def brought_content(key: str, name: str, fault: type[Exception]) -> bytes:
    """The bytes of a file that was brought; raises ``fault`` with a sentence where they have been let go of."""
    with disk_faults_as(fault, f"{plain_words(name)} cannot be read on this server"):
        content = BROUGHT_FILES.read(key)
    if content is None:
        raise fault(f"{plain_words(name)} is no longer on this server, which needed its room: choose it again.")
    return content
