"""Worker processes of this machine, as a small Dask cluster without a dashboard that nobody else can reach.

Its ports speak TLS with keys that are made as it starts and kept in memory: another account of the machine, which can
reach the loopback address too, would otherwise have code of its own carried out.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Future, LocalCluster

DIED = "it was killed from outside, or ran out of memory"

FORGETFUL = {
    "distributed.admin.low-level-log-length": 50,
    "distributed.admin.log-length": 100,
    "distributed.admin.system-monitor.log-length": 60,
    "distributed.diagnostics.computations.max-history": 10,
    "distributed.worker.profile.enabled": False,
}
"""Dask's own records of what it did, which nobody reads here: an hour of them takes megabytes of each process."""


def local_cluster(
    processes: int,
    *,
    threads: int = 1,
    preload: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    memory: int = 0,
) -> LocalCluster:
    """``processes`` workers with so many threads each; 0 means one worker that is a thread of this process.

    One that takes more than ``memory`` bytes is ended and started anew; 0 sets no limit. Every worker imports the
    modules ``preload`` as it starts. Raises OSError, TimeoutError, ValueError or RuntimeError where the processes
    cannot start.
    """
    from distributed import LocalCluster, Security

    quieten()
    process: dict[str, Any] = {"host": "127.0.0.1", "preload": list(preload), "env": dict(environment or {})}
    process |= {"security": Security.temporary(), "protocol": "tls://"}
    # What was under way on a worker that died is not tried again on another: it would die there too, or be half done.
    alone = {"allowed_failures": 0, "dashboard": False, "dashboard_address": "127.0.0.1:0"}
    return LocalCluster(
        n_workers=max(processes, 1),
        threads_per_worker=threads,
        processes=processes > 0,
        memory_limit=memory,
        silence_logs=logging.CRITICAL,
        scheduler_kwargs=alone,
        **(process if processes > 0 else {}),
    )


def quieten() -> None:
    """No tracebacks of Dask's own: a worker that dies is told of where it was missed, in a sentence."""
    import dask

    # Dask would give a worker up for good that takes longer than 15 seconds to come back, as on a slow machine.
    # A worker that keeps much in memory works on: what it may have is for its run.
    dask.config.set({f"distributed.worker.memory.{kept}": False for kept in ("target", "spill", "pause")})
    dask.config.set({"distributed.admin.tick.limit": "1h", "distributed.deploy.lost-worker-timeout": "365 days"})
    dask.config.set(FORGETFUL)
    for noisy in ("distributed.nanny", "distributed.scheduler", "distributed.worker", "distributed.core"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)


def why_lost(future: Future[Any], doing: str) -> str:
    """Why there is no result of a future that failed, in a sentence; ``doing`` is such as "that trained it"."""
    from distributed.scheduler import KilledWorker

    error = future.exception()
    if isinstance(error, KilledWorker):
        return f"The worker process {doing} died: {DIED}."
    return f"The worker could not carry it out: {error}."
