"""What all visitors share: the store, the executor, the jobs, the runs in view and their figures."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from goldviz.cache import Cache
from goldviz.runs.execution.execution import ExecutionError, Executor
from goldviz.runs.jobs.jobs import Jobs, empty_results
from goldviz.runs.jobs.worker import JobFailedError, job_worker_count
from goldviz.runs.live import LiveRun
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreError, default_url

RUNS_IN_MEMORY = 64
BYTES_IN_MEMORY = 256 * 2**20
FIGURES_IN_MEMORY = 512

log = logging.getLogger(__name__)


@dataclass
class _Shared:
    lock: threading.RLock = field(default_factory=threading.RLock)
    starting: threading.RLock = field(default_factory=threading.RLock)
    """Held while workers start, which takes seconds; nothing but a run has to wait for them."""
    store: Store | None = None
    executor: Executor | None = None
    refusal: str = ""
    jobs: Jobs | None = None
    results: Cache[Any] = field(default_factory=empty_results)
    """What came of jobs; their keys say of what, so it outlives the workers."""
    runs: Cache[LiveRun] = field(default_factory=lambda: Cache(BYTES_IN_MEMORY, _room_of_run))
    figures: Cache[str] = field(default_factory=lambda: Cache(FIGURES_IN_MEMORY, lambda _: 1))


def _room_of_run(run: LiveRun) -> int:
    """Its records, and its share of the room that so many runs may have in all."""
    return max(run.nbytes, BYTES_IN_MEMORY // RUNS_IN_MEMORY)


_shared = _Shared()


def store() -> Store:
    """The store; raises :class:`goldviz.runs.store.schema.StoreError` and tries again at the next call."""
    with _shared.lock:
        if _shared.store is None or _shared.store.url != default_url():
            _shared.store = Store()
        return _shared.store


def executor() -> Executor:
    """The executor; raises ExecutionError and tries again at the next call."""
    with _shared.starting:
        current_store = store()
        if _shared.executor is None or _shared.executor.store.url != current_store.url:
            if _shared.executor is not None:
                _shared.executor.close()
                _shared.executor = None
            try:
                _shared.executor = Executor(current_store)
            except ExecutionError as error:
                _shared.refusal = str(error)
                raise
            _shared.refusal = ""
        return _shared.executor


def executor_refusal() -> str:
    """Why there are no workers since they were last asked for, in a sentence; nothing while they may come."""
    return _shared.refusal


def trouble(run_id: str) -> str:
    """What keeps the records of a run that trains from being written, in sentences; mostly nothing.

    Its worker says so; of a run of the shell, which has none here, the disk does.
    """
    if _shared.executor is not None and (sentence := _shared.executor.trouble(run_id)):
        return sentence
    with suppress(StoreError):
        return store().full
    return ""


def executor_ready() -> bool:
    """Whether workers are up, so that asking for them does not wait."""
    return _shared.executor is not None


def probe() -> float:
    """Seconds that a small step of training takes on this machine's workers; 0 until one has measured it."""
    return _shared.executor.probe() if _shared.executor is not None else 0.0


def jobs() -> Jobs:
    """The jobs; without processes of their own where ``GOLDVIZ_JOB_WORKERS`` is not allowed, which the log tells."""
    with _shared.lock:
        if _shared.jobs is None:
            try:
                processes = job_worker_count()
            except JobFailedError as error:
                log.error("%s Until then jobs are threads of this process.", error)
                processes = 0
            _shared.jobs = Jobs(processes, _session_is_there, _shared.results)
        return _shared.jobs


def _session_is_there(session: str) -> bool:
    from streamlit import runtime

    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def live_run(run_id: str) -> LiveRun:
    """A run in view, shared by everybody who looks at it; the least recently seen are let go."""
    return _shared.runs.get(run_id, lambda: LiveRun(store(), run_id))


def figure_json(key: tuple[Any, ...], draw: Callable[[], Any]) -> str:
    """A figure as JSON, drawn once for everybody who asks with the same key."""
    return _shared.figures.get(key, lambda: str(draw().to_json()))


def memory() -> tuple[int, int]:
    """Bytes of readings, of results of jobs and of runs in view, and how many they may be."""
    rooms = (_shared.results, _shared.runs)
    return sum(one.room for one in rooms), sum(one.budget for one in rooms)


def forget_readings() -> None:
    """Let go of all that can be read or made again."""
    for room in (_shared.results, _shared.runs, _shared.figures):
        room.clear()


def close() -> None:
    """Let the workers go."""
    with _shared.starting, _shared.lock:
        if _shared.executor is not None:
            _shared.executor.close()
        if _shared.jobs is not None:
            _shared.jobs.close()
        _shared.executor = None
        _shared.jobs = None
        _shared.refusal = ""
        _shared.store = None
        _shared.runs.clear()
        _shared.figures.clear()
