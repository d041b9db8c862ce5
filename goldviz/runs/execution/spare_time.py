"""What a worker process does while it has no run: it loads what only some runs need, and takes long to load."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

LATER = ("transformers.models.bert", "sklearn.linear_model", "arch.bootstrap")
REST_SECONDS = 10.0
"""So long nothing was at work: whoever has just stopped a run may start another."""
LOOK_SECONDS = 1.0


class SpareTime:
    """Knows whether runs are at work in this process, and since when none is."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._runs = 0
        self._free_since = time.monotonic()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A run is at work as long as this lasts."""
        with self._lock:
            self._runs += 1
        try:
            yield
        finally:
            with self._lock:
                self._runs -= 1
                self._free_since = time.monotonic()

    def seconds(self) -> float:
        """For how long no run has been at work; 0 while one is."""
        with self._lock:
            return 0.0 if self._runs else time.monotonic() - self._free_since

    def load(self, names: Sequence[str], rest: float = REST_SECONDS, look: float = LOOK_SECONDS) -> None:
        """Import these modules one by one, each after so many seconds' ``rest``, which is looked for every ``look``.

        One that is not installed is left out: no run that could begin here needs it.
        """
        for name in names:
            while not self._loaded(name, rest):
                time.sleep(look)

    def _loaded(self, name: str, rest: float) -> bool:
        """Import a module, unless a run is at work or was a moment ago.

        A run that begins meanwhile waits for the module: two threads that import what imports each other get modules
        that are not whole, and the run would fail for a name that is not there yet.
        """
        with self._lock:
            if self.seconds() < rest:
                return False
            with suppress(ModuleNotFoundError):
                import_module(name)
            return True


SPARE_TIME = SpareTime()
"""This process's."""


def dask_setup(_worker: object) -> None:
    """Called by Dask in a worker process as it starts."""
    threading.Thread(target=SPARE_TIME.load, args=(LATER,), name="goldviz-spare-time", daemon=True).start()
