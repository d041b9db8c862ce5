"""Files that appear whole or not at all, in a folder that holds no more than it may."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from goldviz.coded_errors import CodedError
from goldviz.data.tables.private_files import give_group

UNFINISHED_FILE = ".part"
UNFINISHED_SECONDS = 3600.0
"""A file that has been under way for so long was left behind by a process that ended."""


def digest(content: bytes) -> str:
    """How a file is called by its content: 16 digits of its SHA-256."""
    return hashlib.sha256(content).hexdigest()[:16]


@contextmanager
def disk_faults_as(kind: type[CodedError], words: str, advice: str = "") -> Iterator[None]:
    """Raise a fault of the disk as this ``kind``: what cannot be done, why, and what may help."""
    try:
        yield
    except OSError as error:
        raise kind(f"{words}: {reason_of(error)}.{advice}", "disk") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there: whoever reads sees the old one or the new one.

    It is for this account alone, and for its folder's group where that is shared. The folder must exist. Raises
    ``OSError`` where it cannot be written; then the old file is still there.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=UNFINISHED_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        give_group(Path(temporary))
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_beside(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file beside the place that a person named, and move it there once it is whole.

    A file that stood there keeps its rights, and stays as it was where ``write`` fails. A link still leads where it
    led. Raises OSError, for a place that holds something other than a file as well, and what ``write`` does.
    """
    place = Path(os.path.realpath(path))
    rights = place.stat().st_mode if place.exists() else None
    if rights is not None and not stat.S_ISREG(rights):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    # A name of its own, short enough wherever the other is, with the ending by which writers tell what to write.
    beside = place.with_name(f".{secrets.token_hex(8)}{UNFINISHED_FILE}{place.suffix}")
    handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if rights is not None else 0o666)
    os.close(handle)
    try:
        write(beside)
        if rights is not None:
            beside.chmod(stat.S_IMODE(rights))
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


def write_text_beside(path: Path, text: str) -> None:
    """Write a text to a place that a person named, as :func:`write_beside` does; what is no text becomes a ``?``."""
    write_beside(path, lambda beside: beside.write_bytes(text.encode("utf-8", "replace")))


def make_room(folder: Path, paths: Iterable[Path], budget: int, survivor: Path) -> None:
    """Remove the least recently used of ``paths`` until they take at most ``budget`` bytes, but never ``survivor``.

    What was left unfinished in the folder goes too. What cannot be looked at or removed stays, and others go for it: a
    file that has just been kept is not lost for that.
    """
    remove(left_behind(folder))
    files: list[tuple[int, int, Path]] = []
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            files.append((status.st_mtime_ns, status.st_size, path))
    excess = sum(size for _, size, _ in files) - budget
    for _, size, path in sorted(files):
        if excess > 0 and path != survivor:
            with suppress(OSError):
                path.unlink(missing_ok=True)
                excess -= size


def left_behind(folder: Path) -> list[Path]:
    """What processes that ended had begun to write in a folder."""
    remains = []
    for path in folder.glob(f"*{UNFINISHED_FILE}"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > UNFINISHED_SECONDS:
                remains.append(path)
    return remains


def size_of(paths: Iterable[Path]) -> int:
    """How many bytes files take; one that goes meanwhile takes none."""
    size = 0
    for path in paths:
        with suppress(OSError):
            size += path.stat().st_size
    return size


def remove(paths: Iterable[Path]) -> None:
    """Remove files. Another process may be faster, and a file may be another user's."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def reason_of(error: OSError) -> str:
    """Why the disk refuses, in a few words.

    >>> reason_of(OSError(errno.ENOSPC, "No space left on device"))
    'the disk is full'
    """
    return "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
