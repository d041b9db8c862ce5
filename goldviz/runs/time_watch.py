"""Ends work that takes longer than it may, at its next step in Python."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class OverdueError(Exception):
    """Work takes longer than it may. Raised in its thread, wherever that is."""


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """A context in which the work of this thread gets an :class:`OverdueError` once it has taken so many seconds.

    What computes outside of Python is told when it comes back.
    """
    if seconds == float("inf"):
        yield
        return
    own, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def watch() -> None:
        if over.wait(seconds):
            return
        with lock:
            if not over.is_set():
                _tell(own, OverdueError)

    threading.Thread(target=watch, name="goldviz-time-watch", daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
            # Work that is told only now is done: what is on its way is taken back.
            _tell(own, None)


def _tell(thread: int, error: type[BaseException] | None) -> None:
    """Raise the error in the thread, wherever that is; None takes back one that has not arrived."""
    given = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)
