"""Folders and files that no other account of the machine can open: what goldviz keeps is named by keys, or holds some.

They get their rights as they are made, whatever the process's umask is: a notebook's other files are its user's own.
A folder with the set-group-ID bit is shared with its group on purpose, so what is made in it is the group's, too.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

UMASK = 0o077
"""Of processes that are goldviz's own: servers and their workers."""
OTHERS, GROUP = 0o077, 0o070


def keep_others_out() -> None:
    """Let whatever this process makes from now on, libraries' files included, be for its account alone."""
    os.umask(UMASK)


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this account alone; one that is there stays as it is.

    Raises OSError.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        with suppress(FileExistsError):
            place.mkdir(0o700)
            if group_rights := _shared(place.parent):
                place.chmod(0o700 | group_rights)
    if not folder.is_dir():
        folder.mkdir()


def private_file(path: Path) -> None:
    """Make an empty file for this account alone where there is none. Raises OSError.

    It gets its name once it is closed: to close a file gives up what locks the same process, as SQLite in another
    thread, may have on it by then.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    os.close(handle)
    try:
        give_group(Path(temporary))
        with suppress(FileExistsError):
            _name(temporary, path)
    finally:
        os.unlink(temporary)


def _name(temporary: str, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # The disk has no hard links: a lock that is given up is told by SQLite, and open rights by nobody.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        give_group(path)


def give_group(file: Path) -> None:
    """Let a new file, which its account alone can open, be its group's as well where its folder is shared with it."""
    if group_rights := _shared(file.parent) & 0o060:
        file.chmod(0o600 | group_rights)


def closed_to_others(paths: Iterable[Path]) -> tuple[list[Path], dict[Path, str]]:
    """Take away what rights other accounts have to files and folders: a folder first, then what is in it.

    Returns those that were closed, and those that could not be, each with the reason. Links lead elsewhere, and stay.
    """
    changes: list[Path] = []
    refusals: dict[Path, str] = {}
    if os.name != "posix":
        return changes, refusals
    for path in paths:
        try:
            status = path.lstat()
            if not (rights := _rights_of_others(path, status)):
                continue
            if status.st_uid != os.geteuid():
                raise PermissionError(0, f"it belongs to {_owner(path)}")
            path.chmod(stat.S_IMODE(status.st_mode) & ~rights)
            changes.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            refusals[path] = error.strerror or str(error)
    return changes, refusals


def open_to_others(path: Path) -> bool:
    """Whether other accounts have rights to a file or a folder, its group aside where it is shared with it."""
    with suppress(OSError):
        return os.name == "posix" and bool(_rights_of_others(path, path.lstat()))
    return False


def _rights_of_others(path: Path, status: os.stat_result) -> int:
    if stat.S_ISLNK(status.st_mode):
        return 0
    return status.st_mode & OTHERS & ~_shared(path if stat.S_ISDIR(status.st_mode) else path.parent)


def _shared(folder: Path) -> int:
    """The rights that a folder's group has to what is made in it, with the bit that says so; 0 where it has none."""
    mode = folder.stat().st_mode
    return mode & (GROUP | stat.S_ISGID) if mode & stat.S_ISGID and mode & GROUP else 0


def _owner(path: Path) -> str:
    with suppress(KeyError):
        return f"the account {path.owner()}"
    return f"the account {path.lstat().st_uid}"
