"""What is away for a while, such as a database: told at once, then ever more seldom, and once when it is back."""

from __future__ import annotations

import logging
import threading
import time

FIRST_PAUSE = 30.0
LONGEST_PAUSE = 3600.0


class Outage:
    """Whether one thing is away, for all threads that meet it. What is told goes to ``log``.

    ``back`` is told when it is there again, followed by how long it was away.
    """

    def __init__(self, log: logging.Logger, back: str) -> None:
        self._log, self._back = log, back
        self._lock = threading.Lock()
        self._since: float | None = None
        self._pause = FIRST_PAUSE
        self._silent_until = 0.0

    def away(self, sentence: str) -> None:
        """It is away, as the sentence says: told where that is new, or was told long enough ago."""
        with self._lock:
            now = time.monotonic()
            if self._since is None:
                self._since, self._pause = now, FIRST_PAUSE
            elif now < self._silent_until:
                return
            else:
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._silent_until = now + self._pause
        self._log.warning("%s", sentence)

    def over(self) -> None:
        """It is there."""
        with self._lock:
            since, self._since = self._since, None
        if since is not None:
            self._log.warning("%s It was away for %.0f seconds.", self._back, time.monotonic() - since)
