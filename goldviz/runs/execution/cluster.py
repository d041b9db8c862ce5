"""Worker processes of this machine, as a small Dask cluster without a dashboard that nobody else can reach.

Its ports speak TLS with keys that are made as it starts and kept in memory: another account of the machine, which can
reach the loopback address too, would otherwise have code of its own carried out. For the same reason it keeps its files
in this process's own folder: Dask would take one that somebody else has made, and import modules from it.
"""

from __future__ import annotations

import logging
import os
import signal
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldviz.data.tables.private_files import keep_others_out
from goldviz.runs.execution.limits import WORKER_BYTES, WORKER_LIMIT, hold_to_memory
from goldviz.runs.execution.scratch import scratch_folder

if TYPE_CHECKING:
    from distributed import Future, SpecCluster, Worker

SYNC_SECONDS = 3600
"""How often Dask's cluster tells its scheduler what dashboards would show of it."""
DIED = "it was killed from outside, or ran out of memory"

FORGETFUL = {
    "distributed.admin.low-level-log-length": 50,
    "distributed.admin.log-length": 100,
    "distributed.admin.system-monitor.log-length": 60,
    "distributed.diagnostics.computations.max-history": 10,
    "distributed.worker.profile.enabled": False,
}
"""Dask's own records of what it did, which nobody reads here: an hour of them takes megabytes of each process."""

RESTFUL = {
    "distributed.admin.tick.interval": "1m",
    "distributed.admin.tick.cycle": "1m",
    "distributed.admin.system-monitor.interval": "1m",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.client.heartbeat": "1m",
    "distributed.client.scheduler-info-interval": "1m",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.memory.monitor-interval": "1s",
}
"""How seldom Dask looks at itself. It would do so fifty times a second in each of its parts, of which a server has
several: a tenth of a core while nothing happens, taken from whoever waits for the interpreter while much does."""

WITHOUT_PAGES: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Nothing is served over HTTP, so its modules need not be loaded."""

KEEPING = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}
"""Dask has a worker give memory back to the system as soon as it is free. Training asks for the same at every step, and
takes 1.5 to 2.2 times as long so. What a run has left free goes back at its end: see
:func:`goldviz.runs.execution.memory_watch.give_back_memory`."""

IN_PLACE = {"distributed.scheduler.work-stealing": False}
"""A task stays where it was sent. Dask would move a run that waits behind a question to a worker whose own run it takes
for short, because those before were: there it waits for the whole of that run."""


def local_cluster(
    processes: int,
    *,
    threads: int = 1,
    preload: Sequence[str] = (),
    memory: int = 0,
) -> SpecCluster:
    """``processes`` workers with so many threads each; 0 means one worker that is a thread of this process.

    What is carried out there may take ``memory`` bytes: what asks for more fails, and a worker that takes far more all
    the same is ended and started anew. Every worker imports the modules ``preload`` as it starts.

    Raises OSError, TimeoutError, ValueError or RuntimeError where the processes cannot start.
    """
    from distributed import Security, SpecCluster

    from goldviz.runs.execution.dask_servers import ClosedNanny, ClosedScheduler, ClosedWorker

    quieten()
    limit = memory + WORKER_BYTES
    security = Security.temporary() if processes else Security()
    both: dict[str, Any] = {"security": security, "local_directory": str(scratch_folder())}
    both |= {"protocol": "tls://", "host": "127.0.0.1"} if processes else {"protocol": "inproc://"}
    # What was under way on a worker that died is not tried again on another: it would die there too, or be half done.
    scheduler = {"cls": ClosedScheduler, "options": {**both, "allowed_failures": 0, "dashboard": False}}
    worker: dict[str, Any] = {"cls": ClosedWorker, "options": {**both, "nthreads": threads, "memory_limit": 0}}
    if processes:
        worker["cls"] = ClosedNanny
        worker["options"] |= {
            "worker_class": ClosedWorker,
            "preload": [__name__, *preload],
            "env": {"OMP_NUM_THREADS": "1", WORKER_LIMIT: str(limit)},
            # Dask counts a library's pages, too, and ends a worker with all that it does: an error must come first.
            "memory_limit": limit + WORKER_BYTES,
            "silence_logs": logging.CRITICAL,
        }
    return SpecCluster(
        scheduler=scheduler,
        workers=dict.fromkeys(range(max(processes, 1)), worker),
        worker=worker,
        security=security,
        silence_logs=logging.CRITICAL,
        scheduler_sync_interval=SYNC_SECONDS,
    )


def dask_setup(worker: Worker) -> None:
    """Called by Dask in a worker process as it starts: Ctrl-C is for the server, which lets its workers go.

    A worker of another machine may have been started without a folder of its own: it ends here with a sentence where
    the one that Dask took is somebody else's, and imports nothing from it where it is not.
    """
    _leave_shared_folder(Path(worker.local_directory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_others_out()
    if limit := os.environ.get(WORKER_LIMIT):
        hold_to_memory(int(limit))


def _leave_shared_folder(folder: Path) -> None:
    for place in (folder, folder.parent):
        status = place.stat()
        if hasattr(os, "getuid") and (status.st_uid not in (0, os.getuid()) or status.st_mode & stat.S_IWOTH):
            raise SystemExit(
                f"This worker does not start: other accounts can write in its folder {place}, from which Dask has it "
                "import modules. Name a folder of its own with --local-directory."
            )
        sys.path[:] = [entry for entry in sys.path if entry != str(place)]


def quieten() -> None:
    """No tracebacks of Dask's own: a worker that dies is told of where it was missed, in a sentence."""
    import dask

    # Dask would give a worker up for good that takes longer than 15 seconds to come back, as on a slow machine.
    # A worker that keeps much in memory works on: what it may have is for its run.
    dask.config.set({f"distributed.worker.memory.{threshold}": False for threshold in ("target", "spill", "pause")})
    dask.config.set({"distributed.admin.tick.limit": "1h", "distributed.deploy.lost-worker-timeout": "365 days"})
    dask.config.set(FORGETFUL | RESTFUL | WITHOUT_PAGES | KEEPING | IN_PLACE)
    for noisy in ("distributed.nanny", "distributed.scheduler", "distributed.worker", "distributed.core"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)


def why_lost(future: Future[Any], doing: str) -> str:
    """Why there is no result of a future that failed, in a sentence; ``doing`` is such as "that trained it"."""
    from distributed.scheduler import KilledWorker

    error = future.exception()
    if isinstance(error, KilledWorker):
        return f"The worker process {doing} died: {DIED}."
    return f"The worker could not carry it out: {error}."
