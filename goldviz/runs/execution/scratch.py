"""A process's own temporary folder, which no other account of the machine can open, and which does not stay."""

from __future__ import annotations

import atexit
import os
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from shutil import rmtree

from filelock import FileLock, Timeout

PREFIX = "goldviz-"
HELD = "held.lock"
"""The file in a folder that its process holds locked for as long as it lives."""
YOUNG_SECONDS = 60.0
"""A folder so young may be one that another process has made and not locked yet."""


def scratch_folder() -> Path:
    """This process's temporary folder, with all rights for its account and none for others. It goes with the process.

    What processes left that were killed goes first. Raises OSError where no folder can be made.
    """
    return _made_and_held()[0]


@cache
def _made_and_held() -> tuple[Path, FileLock]:
    """The folder, and its lock, which would be given up where nobody has the object any more."""
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    # Held by the process, not by the thread that happens to ask first.
    lock = FileLock(folder / HELD, thread_local=False)
    lock.acquire()
    atexit.register(_remove, folder, os.getpid())
    return folder, lock


def _remove(folder: Path, process: int) -> None:
    # A fork of the process, as multiprocessing makes them, ends before it does.
    if os.getpid() == process:
        rmtree(folder, ignore_errors=True)


def remove_abandoned(place: Path) -> None:
    """Remove the folders of this account whose processes are gone. What is not certain to be one of them stays."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError, Timeout):
            if _own(folder) and time.time() - (folder / HELD).lstat().st_mtime > YOUNG_SECONDS:
                with FileLock(folder / HELD, timeout=0):
                    rmtree(folder, ignore_errors=True)


def _own(folder: Path) -> bool:
    """Whether it is a folder that this account alone can open, as another one cannot make it."""
    status = folder.lstat()
    owner = os.getuid() if hasattr(os, "getuid") else status.st_uid
    return stat.S_ISDIR(status.st_mode) and status.st_uid == owner and not stat.S_IMODE(status.st_mode) & 0o077
