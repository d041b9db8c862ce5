"""Files that are opened by a path. Only regular files are read, and never more of one than is allowed.

What lies behind a path is asked of the open file, which nobody can exchange any more: a pipe would wait for its other
end, a device never ends.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def named(path: str | Path) -> Path:
    """The path that a person wrote, a ``~`` filled in.

    Raises OSError for one that no disk has: the folder of an account that there is not, and one with a NUL.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no path has a NUL", str(path))
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise OSError(errno.ENOENT, "there is no such account", str(path)) from None


def opened(path: str | Path, *, follow: bool = True) -> BinaryIO:
    """The regular file at a path, for reading; links lead to it unless they are not to be followed.

    Raises OSError, for a pipe, a device or a folder as well.
    """
    flags = ("O_RDONLY", "O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", *(() if follow else ("O_NOFOLLOW",)))
    try:
        handle = os.open(path, sum(getattr(os, flag, 0) for flag in flags))
    except ValueError as error:  # a NUL in the path
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def content_of(path: str | Path, most: int) -> bytes:
    """The bytes of a file that a person named, at most so many. Raises OSError, for a larger file as well."""
    with opened(path) as file:
        # A file may grow while it is read, and some say that they are empty.
        content = b"" if os.fstat(file.fileno()).st_size > most else file.read(most + 1)
        if len(content) > most or (not content and os.fstat(file.fileno()).st_size):
            raise OSError(errno.EFBIG, f"it has more than the allowed {most / 1e6:,.3g} MB", str(path))
        return content


def content_found(path: Path, most: int) -> bytes | None:
    """The bytes of a file that nobody named, so that anybody may have laid it there; None where it does not count.

    It counts where it is a regular file of this account or of the system's, at most so many bytes long, and no link.
    """
    with suppress(OSError), opened(path, follow=False) as file:
        status = os.fstat(file.fileno())
        owners = (0, os.geteuid()) if hasattr(os, "geteuid") else (status.st_uid,)
        if status.st_uid in owners and status.st_size <= most and len(content := file.read(most + 1)) <= most:
            return content
    return None
