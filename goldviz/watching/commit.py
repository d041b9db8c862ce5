"""The commit that a script's folder stands at, read from Git's files: whoever laid them there, nothing else is told."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from goldviz.plain_files import content_found

OBJECT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""The name of a commit, by SHA-1 or SHA-256."""
BRANCH = re.compile(rb"ref: (refs(?:/(?!\.)[^/\x00-\x20\x7f~^:?*\[\\]+)+)")
SHOWN = 12
LONGEST_LINE = 4096
LARGEST_TABLE = 4 * 2**20
"""Bytes of the table of a repository's branches: 60,000 of them."""


def commit_here() -> str:
    """The beginning of the commit at which the nearest repository above this folder stands; empty where none is told.

    A repository counts where its files are regular, small, of this account or the system's, and name a commit.
    """
    with suppress(OSError, ValueError):  # The folder may be gone, and a path may lead nowhere.
        here = Path.cwd()
        for place in (folder / ".git" for folder in (here, *here.parents)):
            if os.path.lexists(place):
                return _commit_of(_folder_of(place))[:SHOWN].decode()
    return ""


def _folder_of(place: Path) -> Path:
    """Git's own folder, or the one that the file of a worktree names."""
    line = b"" if place.is_dir() else _line(place)
    kind, _, named = line.partition(b"gitdir: ")
    return place.parent / os.fsdecode(named) if named and not kind else place


def _commit_of(folder: Path) -> bytes:
    head = _line(folder / "HEAD")
    if not (branch := BRANCH.fullmatch(head)):
        return _object(head)
    # A worktree shares the branches of its repository.
    shared = folder / os.fsdecode(_line(folder / "commondir") or b".")
    for place in (folder, shared):
        if commit := _object(_line(place / os.fsdecode(branch[1]))):
            return commit
    table = content_found(shared / "packed-refs", LARGEST_TABLE) or b""
    rows = (row.split(b" ", 1) for row in table.splitlines())
    return next((_object(row[0]) for row in rows if row[1:] == [branch[1]]), b"")


def _line(path: Path) -> bytes:
    return (content_found(path, LONGEST_LINE) or b"").strip()


def _object(text: bytes) -> bytes:
    return text if OBJECT.fullmatch(text) else b""
