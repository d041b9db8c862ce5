"""Connections to a SQLite file that wait a moment to be used again: opening one costs more than a row read or written.

They wait half a second and not longer. Whoever moves another file into a database's place finds no old log beside it,
which SQLite would take for the new file's own.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from goldviz.runs.store.schema import reads_only

REST_SECONDS = 0.5
"""How old a connection may become that is used again."""


Identity = tuple[int, int, bool]
"""Which file it is, and whether it can only be read."""


class _Resting(NamedTuple):
    connection: Connection
    opened: float
    file: Identity | None


class LentConnections:
    """Those to one file. Safe to use from several threads; each connection is lent to one at a time."""

    def __init__(self, file: Path, connect: Callable[[], Connection]) -> None:
        self._file, self._connect = file, connect
        self._lock = threading.Lock()
        self._resting: list[_Resting] = []
        self._sweeper: threading.Timer | None = None

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """A connection, opened now or a moment ago; one that failed is not used again."""
        one = self._rested() or _Resting(self._connect(), time.monotonic(), self._identity())
        try:
            yield one.connection
            one.connection.rollback()
        except BaseException:
            one.connection.close()
            raise
        self._put_to_rest(one)

    def close(self) -> None:
        """Let go of all that wait."""
        with self._lock:
            connections, self._resting = self._resting, []
        for one in connections:
            one.connection.close()

    def _rested(self) -> _Resting | None:
        """One that is young enough and has the file that stands there today."""
        identity = self._identity()
        while True:
            with self._lock:
                if not self._resting:
                    return None
                one = self._resting.pop()
            if identity is not None and one.file == identity and _is_young(one):
                return one
            one.connection.close()

    def _put_to_rest(self, one: _Resting) -> None:
        if one.file is None or not _is_young(one):
            one.connection.close()
            return
        with self._lock:
            self._resting.append(one)
            if self._sweeper is None:
                self._sweeper = threading.Timer(REST_SECONDS, self._sweep)
                self._sweeper.daemon = True
                self._sweeper.start()

    def _sweep(self) -> None:
        with self._lock:
            self._sweeper = None
        self.close()

    def _identity(self) -> Identity | None:
        try:
            status = os.stat(self._file)
        except OSError:
            return None
        return status.st_dev, status.st_ino, reads_only(self._file)


def _is_young(one: _Resting) -> bool:
    return time.monotonic() - one.opened < REST_SECONDS
