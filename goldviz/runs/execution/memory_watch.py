"""Holds work to an amount of resident memory, where the system cannot hold its process to one."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from goldviz.runs.execution.thread_errors import raise_in, take_back

LOOK_SECONDS = 0.05
"""Work that takes a gigabyte a second goes so far beyond its limit as this allows."""
GRACE_SECONDS = 2.0
"""So long work that was told may take to let go of what it holds."""


class MemoryWatch:
    """Watches its process while work is under way in it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[int] = []
        self._ceiling = 0
        self._told = -math.inf

    @contextmanager
    def held_below(self, ceiling: Callable[[int], int]) -> Iterator[None]:
        """A context in which the work of this thread gets a ``MemoryError`` when its process takes too much.

        ``ceiling`` gives the most that the process may take from what it takes when the first of several begins. The
        work that began last is told, at its next step in Python: what takes all at once in a library is not reached.
        """
        own = threading.get_ident()
        with self._lock:
            if not self._threads:
                self._ceiling = ceiling(resident_bytes())
                threading.Thread(target=self._watch, name="goldviz-memory-watch", daemon=True).start()
            self._threads.append(own)
        try:
            yield
        finally:
            self._leave(own)

    def _leave(self, own: int) -> None:
        """Work that is told only now is done: what is on its way is taken back, unless it comes right here."""
        try:
            with self._lock:
                take_back(own)
                self._threads.remove(own)
        except MemoryError:
            with self._lock:
                if own in self._threads:
                    self._threads.remove(own)
            raise

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                if not self._threads:
                    return
                too_much = resident_bytes() > self._ceiling and time.monotonic() - self._told > GRACE_SECONDS
                if too_much and raise_in(self._threads[-1], MemoryError):
                    self._told = time.monotonic()


def resident_bytes() -> int:
    """What this process has in memory for itself; pages of files that it shares with others do not count."""
    memory = psutil.Process().memory_info()
    return int(memory.rss - getattr(memory, "shared", 0))


def give_back_memory() -> None:
    """Hand what this process has freed back to the system, where its C library keeps it (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
