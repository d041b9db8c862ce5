"""Dask's scheduler, worker and nanny as this machine's clusters have them: closed to others, and at rest when idle."""

from __future__ import annotations

import sys
import time
from typing import Any

from distributed import Nanny, Scheduler, Worker

HEARTBEAT_SECONDS = 15.0
"""How often a worker says that it is there, in place of twice a second. Nothing waits for it: a worker that dies is
known by its connection, and one that hangs is given up after minutes."""
NEVER_HAPPENS = ("idle-timeout", "no-workers-timeout")
"""What a scheduler looks for four times a second each, and is not asked to do."""


class _NothingToImport:
    """Dask lets every server import from its folder, for files that clients upload. Nobody uploads any here."""

    local_directory: str

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        while self.local_directory in sys.path:
            sys.path.remove(self.local_directory)


class _NoPages:
    """Dask serves pages and measurements over HTTP, on a port that asks nobody for a key."""

    def start_http_server(self, *_arguments: Any, **_options: Any) -> None:
        """Called by Dask as the server starts: no port is opened."""


class ClosedScheduler(_NothingToImport, _NoPages, Scheduler):
    """A scheduler without pages, which asks workers and clients for few signs of life."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name in NEVER_HAPPENS:
            self.periodic_callbacks.pop(name)

    def heartbeat_worker(self, **report: Any) -> dict[str, Any]:
        """A worker is there; it hears when to say so next."""
        return {**super().heartbeat_worker(**report), "heartbeat-interval": HEARTBEAT_SECONDS}

    def client_heartbeat(self, client: str) -> None:
        """A client is there. Dask would answer that it should say so, and ask what there is, every five seconds."""
        self.clients[client].last_seen = time.time()


class ClosedWorker(_NothingToImport, _NoPages, Worker):
    """A worker without pages."""


class ClosedNanny(_NothingToImport, Nanny):
    """What starts a worker's process, and starts it again when it dies."""
