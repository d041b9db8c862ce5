"""Ends a run whose step goes on beyond the time limit, which the recorder sees between steps alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from goldviz.runs.execution.thread_errors import OverdueError, raise_in
from goldviz.runs.recorder import Ended

if TYPE_CHECKING:
    from goldviz.runs.recorder import Recorder

LOOK_SECONDS = 0.2
GRACE_SECONDS = 2.0
"""So long a step may go on beyond the limit: most end by then, and their state can be kept."""
DEAF_SECONDS = 10.0
"""After so long without an answer the run computes outside of Python, where nothing reaches it."""


class Watchdog:
    """A context around a run, in the run's thread: raises :class:`Ended` where its step goes on too long.

    ``give_up`` is called where the run cannot be reached.
    """

    def __init__(self, record: Recorder[Any], give_up: Callable[[], None] | None = None) -> None:
        self._record, self._give_up = record, give_up
        self._over = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._run = threading.get_ident()
        threading.Thread(target=self._watch, name="goldviz-watchdog", daemon=True).start()

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        with self._lock:
            self._over.set()
        if isinstance(error, OverdueError):
            raise Ended("stopped", self._record.cut_short()) from None

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            # Under the lock, so that the error cannot be raised once the run's thread has left this context.
            with self._lock:
                late = not self._over.is_set() and self._call()
            if late and self._give_up is not None and not self._over.wait(DEAF_SECONDS):
                self._give_up()
            if late:
                # Once is enough: what catches the error comes to the recorder, which ends the run before its next step.
                return

    def _call(self) -> bool:
        """Raise the error in the run's thread; whether it was time to, and could be done."""
        if not self._record.at_work or self._record.overdue < GRACE_SECONDS:
            return False
        return raise_in(self._run, OverdueError)
