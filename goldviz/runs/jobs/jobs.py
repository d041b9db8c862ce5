"""Jobs: work that takes longer than a page may, done by worker processes, with progress, a stop and a place in line.

A task's key says what comes out of it, so everybody who asks for the same waits for the same job, and finds its result
afterwards. A job is stopped once nobody waits for it any more. Training does not belong here: runs are recorded, and
have workers of their own (:mod:`goldviz.runs.execution.execution`), so that neither waits for the other.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, Literal, TypeVar

from goldviz.cache import Cache
from goldviz.runs.jobs.worker import (
    JobFailedError,
    JobWorkers,
    Report,
    Stopped,
    carry_out_here,
    job_worker_count,
    sentence_of,
)

__all__ = ["Job", "JobFailedError", "Jobs", "Report", "Stopped", "Task", "TooManyJobsError"]

AT_ONCE = {"work": 2, "download": 2}
"""How many jobs of each line go on at once in each process: a slow network keeps nobody from the processor."""
SHORT_SECONDS = 5.0
"""Jobs that take longer leave one place to those that do not, so that a click does not wait for a whole encoding."""
MOST_UNFINISHED = 12
MOST_OF_ONE_VISITOR = 3
KEPT_JOBS = 48
RESULT_BYTES = 768 * 2**20
ABSENT_SECONDS = 60.0
"""So long after a visitor's session has ended its jobs go on: the visitor may only be loading the page again."""

State = Literal["waiting", "working", "done", "failed", "stopped"]
Line = Literal["work", "download"]
Made = TypeVar("Made")


class TooManyJobsError(RuntimeError):
    """There is more work waiting than the server takes, in a sentence for a person."""

    for_a_person = True


@dataclass(frozen=True)
class Task(Generic[Made]):
    """A piece of work: ``function(report, *arguments)``, with a key that says what comes out of it.

    ``function`` stands in a module, under its own name, and ``arguments`` are plain (names, texts, numbers), because
    both go to another process; it returns anything but None. ``words`` say what is done, as in "Encoding 98 documents";
    ``seconds`` is about how long it takes, and after ``most_seconds`` of work it ends in a sentence. A "download" waits
    for the network alone, so it stays a thread of this process, without that limit.
    """

    key: str
    function: Callable[Concatenate[Report, ...], Made]
    arguments: tuple[Any, ...]
    words: str
    seconds: float
    line: Line = "work"
    most_seconds: float = float("inf")

    def __post_init__(self) -> None:
        module = sys.modules.get(self.function.__module__)
        if getattr(module, self.function.__name__, None) is not self.function:
            raise ValueError(
                f"The function of the job {self.key!r} is {self.function.__qualname__}; allowed is one that a module "
                "has under its own name."
            )

    @classmethod
    def of_arguments(
        cls,
        name: str,
        function: Callable[Concatenate[Report, ...], Made],
        arguments: tuple[Any, ...],
        words: str,
        seconds: float,
    ) -> Task[Made]:
        """A task whose key is its name and a digest of its arguments, which may hold any text."""
        digest = hashlib.sha256(repr(arguments).encode("utf-8", "replace")).hexdigest()[:24]
        return cls(f"{name}-{digest}", function, arguments, words, seconds)


@dataclass
class Job:
    """One task under way: who waits for it, how far it is, and how it ended."""

    task: Task[Any]
    waiters: dict[str, float] = field(default_factory=dict)
    """The visitors who wait, each with the moment at which its session was there last."""
    state: State = "waiting"
    done: float = 0.0
    total: float = 0.0
    began: float = 0.0
    ended: float = 0.0
    message: str = ""
    stop_asked: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def unfinished(self) -> bool:
        """Whether it waits or works."""
        return self.state in ("waiting", "working")

    @property
    def seconds(self) -> float:
        """How long it has worked."""
        if not self.began:
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far; None while there is no pace yet."""
        if self.state != "working" or not 0 < self.done < self.total or self.seconds < 0.2:
            return None
        return self.seconds * (self.total - self.done) / self.done

    def report(self, done: float, total: float) -> None:
        """What the work is told to call; raises :class:`Stopped` once nobody waits."""
        if self.stop_asked.is_set():
            raise Stopped
        self.done, self.total = done, total


class Jobs:
    """The jobs of all visitors, and what came of them while there is room.

    ``processes`` is the number of worker processes, by default ``GOLDVIZ_JOB_WORKERS``; 0 means threads of this
    process. ``present(visitor)`` says whether a visitor's session still is. ``results`` is where results are kept, by
    the keys of their tasks.
    """

    def __init__(
        self,
        processes: int | None = None,
        present: Callable[[str], bool] = lambda visitor: True,
        results: Cache[Any] | None = None,
    ) -> None:
        processes = job_worker_count() if processes is None else processes
        self.results = empty_results() if results is None else results
        self._workers = JobWorkers(processes, AT_ONCE["work"]) if processes else None
        self._places = {"work": AT_ONCE["work"] * max(processes, 1), "download": AT_ONCE["download"]}
        self._present = present
        self._turn = threading.Condition()
        self._line: dict[str, Job] = {}
        self._ended: Cache[Job] = Cache(KEPT_JOBS, lambda _: 1)
        self._closing = threading.Event()
        self._watcher: threading.Thread | None = None

    @property
    def idle(self) -> bool:
        """Whether no work waits or is done, downloads aside."""
        with self._turn:
            return all(job.task.line != "work" for job in self._line.values())

    def warm_up(self) -> None:
        """Start the worker processes now, so that the first job need not wait for them.

        Raises :class:`JobFailedError` where they cannot start; the next job tries again.
        """
        if self._workers is not None:
            self._workers.start()

    def held(self, task: Task[Made]) -> Made | None:
        """What came of the task, if it is still there."""
        result: Made | None = self.results.held(task.key)
        return result

    def here(self, task: Task[Made]) -> Made:
        """The task's result, made in this very thread if it is not there; what the work raises is passed on."""
        result: Made = self.results.get(task.key, lambda: task.function(_unheard, *task.arguments))
        return result

    def ask(self, task: Task[Any], visitor: str = "") -> Job:
        """Wait for a task as ``visitor``: for the job that is under way, or for a new one.

        A visitor who asks for more than ``MOST_OF_ONE_VISITOR`` gives up the oldest. Raises :class:`TooManyJobsError`.
        """
        with self._turn:
            job = self._line.get(task.key)
            if job is None or job.stop_asked.is_set():
                own = self._of(visitor) if visitor else []
                for given_up in own[: max(0, len(own) - MOST_OF_ONE_VISITOR + 1)]:
                    self._leave(given_up, visitor)
                open_jobs = [other for other in self._line.values() if not other.stop_asked.is_set()]
                if len(open_jobs) >= MOST_UNFINISHED:
                    raise TooManyJobsError(
                        f"{len(open_jobs)} other jobs are waiting on this server; try again when some are done."
                    )
                self._begin(job := Job(task))
            job.waiters[visitor] = time.monotonic()
            return job

    def wait(self, task: Task[Made], visitor: str = "") -> Made:
        """The task's result, as soon as a job has made it. Raises :class:`JobFailedError` and TooManyJobsError."""
        result = self.held(task)
        if result is not None:
            return result
        job = self.ask(task, visitor)
        job.over.wait()
        outcome: Made = self.outcome(job)
        return outcome

    def outcome(self, job: Job) -> Any:
        """What came of a job that is over. Raises :class:`JobFailedError` with its sentence where nothing did."""
        result = self.held(job.task) if job.state == "done" else None
        if result is None:
            raise JobFailedError(job.message or f"{job.task.words}: stopped.")
        return result

    def job(self, key: str) -> Job | None:
        """The job of this key, under way or ended, if it is remembered."""
        with self._turn:
            return self._line.get(key) or self._ended.held(key)

    def before(self, job: Job) -> int:
        """How many unfinished jobs of the same line came earlier."""
        with self._turn:
            earlier = [other for other in self._line.values() if other.task.line == job.task.line]
        return earlier.index(job) if job in earlier else 0

    def leave(self, key: str, visitor: str = "") -> None:
        """A visitor no longer waits; the job is stopped at its next report if nobody else does."""
        with self._turn:
            job = self._line.get(key)
            if job is not None:
                self._leave(job, visitor)

    def forget(self, key: str) -> None:
        """Let go of a job that has ended, so that asking begins anew where its result is not there."""
        self._ended.forget(key)

    def close(self) -> None:
        """Stop all work and let the workers go; who waits is told that the server was closed."""
        self._closing.set()
        with self._turn:
            for job in self._line.values():
                job.stop_asked.set()
            self._turn.notify_all()
        if self._workers is not None:
            self._workers.close()

    def _of(self, visitor: str) -> list[Job]:
        return [job for job in self._line.values() if visitor in job.waiters and not job.stop_asked.is_set()]

    def _leave(self, job: Job, visitor: str) -> None:
        job.waiters.pop(visitor, None)
        if not job.waiters:
            job.stop_asked.set()
            self._turn.notify_all()

    def _begin(self, job: Job) -> None:
        key = job.task.key
        # One that was told to stop and still works keeps its place under a name of its own.
        if key in self._line:
            self._line[f"{key} {id(self._line[key])}"] = self._line.pop(key)
        self._line[key] = job
        self._ended.forget(key)
        threading.Thread(target=self._carry_out, args=(job,), name=f"goldviz-job-{key[:40]}", daemon=True).start()
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="goldviz-job-waiters", daemon=True)
            self._watcher.start()

    def _carry_out(self, job: Job) -> None:
        state: State = "failed"
        try:
            self._take_a_turn(job)
            task = job.task
            if task.line == "work":
                carry_out = carry_out_here if self._workers is None else self._workers.carry_out
                result = carry_out(task.function, task.arguments, job.report, job.stop_asked, task.most_seconds)
            else:
                result = task.function(job.report, *task.arguments)
            self.results.put(job.task.key, result)
            state = "done"
        except Stopped:
            state = "stopped"
        except BaseException as error:  # noqa: BLE001 - nobody else would hear of it, also where a library panics
            job.message = sentence_of(error)
        finally:
            if self._closing.is_set() and state != "done":
                state, job.message = "failed", "The server was closed before this was done."
            self._end(job, state)

    def _take_a_turn(self, job: Job) -> None:
        """Wait until the job is the first that may begin. Raises :class:`Stopped` where nobody waits meanwhile."""
        with self._turn:
            while not job.stop_asked.is_set():
                if next((other for other in self._line.values() if self._may_begin(other)), None) is job:
                    job.began, job.state = time.monotonic(), "working"
                    self._turn.notify_all()
                    return
                self._turn.wait()
        raise Stopped

    def _may_begin(self, job: Job) -> bool:
        if job.state != "waiting" or job.stop_asked.is_set():
            return False
        places = self._places[job.task.line]
        working = [
            other for other in self._line.values() if other.task.line == job.task.line and other.state == "working"
        ]
        long = [other for other in working if other.task.seconds > SHORT_SECONDS]
        kept_free = job.task.line == "work" and job.task.seconds > SHORT_SECONDS and len(long) >= places - 1
        return len(working) < places and not kept_free

    def _end(self, job: Job, state: State) -> None:
        with self._turn:
            for key in [key for key, other in self._line.items() if other is job]:
                del self._line[key]
                if key == job.task.key:
                    self._ended.put(key, job)
            job.ended = time.monotonic()
            # Last, because whoever watches takes the result as soon as the state says so.
            job.state = state
            job.over.set()
            self._turn.notify_all()

    def _watch(self) -> None:
        """Let visitors leave whose sessions have ended a while ago."""
        while not self._closing.wait(ABSENT_SECONDS / 12):
            now = time.monotonic()
            with self._turn:
                waiting = [(job, visitor) for job in self._line.values() for visitor in job.waiters]
            here = {visitor for visitor in {visitor for _, visitor in waiting} if not visitor or self._present(visitor)}
            with self._turn:
                for job, visitor in waiting:
                    if visitor in here and visitor in job.waiters:
                        job.waiters[visitor] = now
                    elif now - job.waiters.get(visitor, now) > ABSENT_SECONDS:
                        self._leave(job, visitor)


def empty_results() -> Cache[Any]:
    """Room for results."""
    return Cache(RESULT_BYTES, size_in_memory)


def size_in_memory(result: object) -> int:
    """About how many bytes a result takes: those of its arrays and texts.

    >>> import numpy as np
    >>> size_in_memory((np.zeros(4), {"a": np.zeros(2), "b": "text"}))
    52
    """
    if isinstance(result, (str, bytes)):
        return len(result)
    if isinstance(result, dict):
        return sum(map(size_in_memory, result.values()))
    if isinstance(result, (tuple, list)):
        return sum(map(size_in_memory, result))
    return int(getattr(result, "nbytes", 0))


def _unheard(done: float, total: float) -> None:
    """The report of work that nobody waits for elsewhere."""
