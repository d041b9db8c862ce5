"""The worker processes of jobs, on both sides: what this process sends them, and what they do with it."""

from __future__ import annotations

import gc
import logging
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from goldviz.extras import is_installed, missing_extra
from goldviz.runs.execution.cluster import local_cluster, why_lost
from goldviz.runs.execution.limits import WORKER_LIMIT, gigabytes, job_bytes, ran_out_of_memory, system_holds
from goldviz.runs.execution.memory_watch import MemoryWatch, give_back_memory
from goldviz.runs.execution.thread_errors import OverdueError
from goldviz.runs.execution.time_watch import ended_after

if TYPE_CHECKING:
    from distributed import Client, Future, SpecCluster

TOPIC = "goldviz-job"
TELL_EVERY = 0.2
"""How often a worker tells how far a job is."""
REMIND_EVERY = 0.5
"""How often a worker is told again that a job should stop: it may not have begun it when it was told first."""
LOOK_EVERY = 0.05
WARM_UP = (__name__, "goldviz.text_models" if is_installed("texts") else "torch")
"""Imported by every worker as it starts; the second imports torch, so that the first job need not wait for it."""

Report = Callable[[float, float], None]
"""Told how much is done of how much; raises :class:`Stopped` once nobody wants the result."""

Made = TypeVar("Made")

log = logging.getLogger(__name__)


class Stopped(Exception):  # noqa: N818 - an order, not an error
    """Raised inside a job's work by its report: stop here, nobody waits for it any more."""


class JobFailedError(RuntimeError):
    """Nothing came of a job; the message is a sentence for a person."""

    for_a_person = True


def job_worker_count() -> int:
    """``GOLDVIZ_JOB_WORKERS``, by default 1, or 0 where ``GOLDVIZ_WORKERS`` is 0; 0 means threads in this process.

    Raises :class:`JobFailedError` for what is no such number.
    """
    text = os.environ.get("GOLDVIZ_JOB_WORKERS", "").strip()
    if not text:
        return 0 if os.environ.get("GOLDVIZ_WORKERS", "").strip() == "0" else 1
    if not text.isdecimal() or int(text) > 64:
        raise JobFailedError(f"GOLDVIZ_JOB_WORKERS is {text!r}; allowed is a whole number from 0 to 64.")
    return int(text)


class JobWorkers:
    """``processes`` worker processes that do ``threads`` jobs each at a time; they start when they are first needed."""

    def __init__(self, processes: int, threads: int) -> None:
        self.processes = processes
        self.threads = threads
        self._starting = threading.Lock()
        self._closed = False
        self._cluster: SpecCluster | None = None
        self._client: Client | None = None
        self._reports: dict[str, Report] = {}

    def start(self) -> Client:
        """Start the processes where they are not up. Raises :class:`JobFailedError` where they cannot start."""
        from distributed import Client

        with self._starting:
            if self._closed:
                raise Stopped
            if self._client is None:
                try:
                    memory = job_bytes(self.processes)
                    self._cluster = local_cluster(self.processes, threads=self.threads, preload=WARM_UP, memory=memory)
                    self._client = Client(self._cluster, set_as_default=False)
                except (OSError, TimeoutError, ValueError, RuntimeError) as error:
                    raise JobFailedError(f"The worker processes for jobs cannot start ({error}).") from error
                self._client.subscribe_topic(TOPIC, self._told)
            return self._client

    def carry_out(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        report: Report,
        stop: threading.Event,
        most_seconds: float = float("inf"),
    ) -> Any:
        """What ``function(report, *arguments)`` returns, from another process.

        Raises :class:`Stopped` where ``stop`` was set and the work heeded it, and :class:`JobFailedError` where the
        work failed, took more than ``most_seconds``, or its process died.
        """
        client, name = self.start(), os.urandom(8).hex()
        self._reports[name] = report
        over = threading.Event()
        future = client.submit(_work, name, function, arguments, most_seconds, key=f"job-{name}", pure=False)
        future.add_done_callback(lambda _: over.set())
        try:
            last_reminder = -REMIND_EVERY
            while not over.wait(LOOK_EVERY):
                if self._closed:
                    raise Stopped
                if stop.is_set() and time.monotonic() - last_reminder > REMIND_EVERY:
                    last_reminder = time.monotonic()
                    # A worker that is just dying is told of by the future.
                    with suppress(OSError, RuntimeError):
                        client.run(_stop, name, wait=False, on_error="ignore")
            return self._opened(future)
        finally:
            self._reports.pop(name, None)

    def close(self) -> None:
        """Let the processes go; work under way ends with them."""
        self._closed = True
        with self._starting:
            client, cluster = self._client, self._cluster
            self._client = self._cluster = None
        for server, seconds in ((client, 2), (cluster, 5)):
            if server is not None:
                # A worker that is just being started anew makes this take longer; it ends with this process.
                with suppress(TimeoutError):
                    server.close(timeout=seconds)

    def _told(self, event: tuple[float, Any]) -> None:
        name, done, total = event[1]
        report = self._reports.get(name)
        if report is not None:
            # A stop is passed on by the thread that waits for the work.
            with suppress(Stopped):
                report(done, total)

    def _opened(self, future: Future[Any]) -> Any:
        if future.status != "finished":
            raise Stopped if self._closed else JobFailedError(why_lost(future, "that did this"))
        outcome, content = future.result()
        if outcome == "stopped":
            raise Stopped
        if outcome == "memory":
            raise _too_much(self.processes)
        if outcome == "overdue":
            raise _too_long(content)
        if outcome == "failed":
            raise JobFailedError(content)
        return pickle.loads(content)  # noqa: S301 - packed by this machine's own worker


def carry_out_here(
    function: Callable[..., Made],
    arguments: tuple[Any, ...],
    report: Report,
    stop: threading.Event,
    most_seconds: float = float("inf"),
) -> Made:
    """What ``function(report, *arguments)`` returns, made in this very thread.

    All that do so at once may take :func:`goldviz.runs.execution.limits.job_bytes` beside what the process had before
    them. Raises :class:`JobFailedError` for work that takes more, or more than ``most_seconds``, Stopped, and what the
    work raises.
    """
    room = job_bytes()
    name = os.urandom(8).hex()

    def work() -> Made:
        with ended_after(most_seconds):
            return function(report, *arguments)

    try:
        return _with_memory(name, work, stop, lambda: _memory.held_below(lambda before: before + room))
    except OverdueError:
        raise _too_long(most_seconds) from None
    except Exception as error:
        if not ran_out_of_memory(error):
            raise
    raise _too_much(1)


def _too_much(processes: int) -> JobFailedError:
    memory = gigabytes(job_bytes(processes))
    return JobFailedError(f"This takes more memory than a page's work may have here: {memory}. Ask for less.")


def _too_long(most_seconds: float) -> JobFailedError:
    return JobFailedError(f"This takes longer than a page's work of this kind may: {most_seconds:g} seconds.")


_stops: dict[str, threading.Event] = {}
"""In a worker process: the jobs under way, and whether each should stop."""


async def _stop(name: str) -> None:
    """Called in every worker process."""
    if name in _stops:
        _stops[name].set()


_working: set[str] = set()
"""The jobs of this process that compute now; those that wait until they are alone do not."""
_over = threading.Condition()
_memory = MemoryWatch()


def _work(name: str, function: Callable[..., Any], arguments: tuple[Any, ...], most_seconds: float) -> tuple[str, Any]:
    """Called in a worker process: how the work ended, and its result, packed, or why there is none."""
    from distributed import get_worker

    worker, last_report = get_worker(), 0.0
    stop = _stops[name] = threading.Event()

    def report(done: float, total: float) -> None:
        nonlocal last_report
        if stop.is_set():
            raise Stopped
        if time.monotonic() - last_report >= TELL_EVERY:
            last_report = time.monotonic()
            worker.log_event(TOPIC, (name, float(done), float(total)))

    def packed() -> bytes:
        # What waits until it is alone is not at work meanwhile.
        with ended_after(most_seconds):
            return _packed(function(report, *arguments))

    try:
        return "done", _with_memory(name, packed, stop, _held_in_a_worker)
    except Stopped:
        return "stopped", None
    except OverdueError:
        return "overdue", most_seconds
    except BaseException as error:  # noqa: BLE001 - an error that cannot be packed would take the whole job with it
        return ("memory", None) if ran_out_of_memory(error) else ("failed", sentence_of(error))
    finally:
        del _stops[name]
        give_back_memory()


def _packed(result: object) -> bytes:
    try:
        return pickle.dumps(result, protocol=5)
    except MemoryError:
        raise
    except Exception as error:
        log.error("A job's result cannot be sent", exc_info=error)
        raise JobFailedError(f"What came of this cannot leave its process: {type(result).__name__}.") from None


def _held_in_a_worker() -> AbstractContextManager[None]:
    """What holds work in a worker process to its memory, beside the system, which does that where it can."""
    return nullcontext() if system_holds() else _memory.held_below(lambda _: int(os.environ[WORKER_LIMIT]))


def _with_memory(
    name: str, work: Callable[[], Made], stop: threading.Event, limit: Callable[[], AbstractContextManager[None]]
) -> Made:
    """What the work makes. The jobs of a process share its memory: one that had too little of it is done again alone.

    So a job that takes too much fails, and the one beside it does not. Raises what the work raises, and Stopped.
    """
    try:
        with _at_work(name), limit():
            return work()
    except Exception as error:
        if not (ran_out_of_memory(error) and _working):
            raise
    gc.collect()
    with _over:
        while not _over.wait_for(lambda: not _working, LOOK_EVERY):
            if stop.is_set():
                raise Stopped
        # The lock is let go of only once this job counts as the one at work.
        _working.add(name)
    with _at_work(name), limit():
        return work()


@contextmanager
def _at_work(name: str) -> Iterator[None]:
    with _over:
        _working.add(name)
    try:
        yield
    finally:
        with _over:
            _working.discard(name)
            _over.notify_all()


def sentence_of(error: BaseException) -> str:
    """What went wrong, for a person; what is not meant for one goes to the log."""
    if getattr(error, "for_a_person", False):
        return str(error)
    if isinstance(error, ImportError) and (sentence := missing_extra(error)):
        return sentence
    log.error("A background job failed", exc_info=error)
    return f"This did not work: {type(error).__name__}. The server's log says more."
