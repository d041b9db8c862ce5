"""Ends work that takes longer than it may, at its next step in Python."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from goldviz.runs.execution.thread_errors import OverdueError, raise_in, take_back

LOOK_SECONDS = 0.05
"""Work that imports as its time ends is looked at again so often."""


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """A context in which the work of this thread gets an :class:`OverdueError` once it has taken so many seconds.

    What computes outside of Python is told when it comes back, and what imports a module once that is whole.
    """
    if seconds == float("inf"):
        yield
        return
    own, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def watch() -> None:
        left = seconds
        while not over.wait(left):
            with lock:
                if over.is_set() or raise_in(own, OverdueError):
                    return
            left = LOOK_SECONDS

    threading.Thread(target=watch, name="goldviz-time-watch", daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
            # Work that is told only now is done: what is on its way is taken back.
            take_back(own)
