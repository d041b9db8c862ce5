"""Execution: runs on Dask worker processes, on this machine by default or on any Dask cluster by its address."""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from goldviz.runs.execution.cluster import why_lost
from goldviz.runs.execution.limits import LimitsError, check, run_bytes, run_seconds
from goldviz.runs.execution.pace import expected
from goldviz.runs.execution.processes import ProcessesError, processes_for_run
from goldviz.runs.execution.worker import DISK_FULL, UNWRITTEN
from goldviz.runs.execution.workers import Workers, WorkersError
from goldviz.runs.recorder import Command
from goldviz.runs.store.checkpoints import CheckpointsError, room, room_of_run
from goldviz.runs.store.commands import Halt
from goldviz.runs.store.outage import Outage
from goldviz.runs.store.rows import UNFINISHED
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import StoreError

if TYPE_CHECKING:
    from distributed import Future

    from goldviz.declare.settings import Experiment

WATCH_SECONDS = 2.0
FORGET_TURNS = 30
"""Old checkpoints are looked through every so many turns of the watcher."""
MOST_SENT = 3
"""So often a run is sent whose worker died before it began; one that kills workers as it begins is given up then."""

NO_ROOM = (
    "Its last records could not be written: the disk was full, and its worker has given up waiting. What was recorded "
    "before is kept; it can be continued."
)
NO_END = (
    "Its last records and its end could not be written to the database, and its worker has given up waiting; the log "
    "says why. What was recorded before is kept; it can be continued."
)
LOST_ENDS = {DISK_FULL: NO_ROOM, UNWRITTEN: NO_END}
DEVICES = "goldviz.training.devices:present"
"""What a worker is asked for the names of its devices."""
PROBE = "goldviz.training.probe:probe"
"""What a worker is asked for how fast it trains."""

log = logging.getLogger(__name__)


class ExecutionError(RuntimeError):
    """No worker can take a run; the message is a sentence for a person."""


def worker_count() -> int:
    """``GOLDVIZ_WORKERS``, or one fewer than the machine has cores, at least one; 0 means threads in this process."""
    text = os.environ.get("GOLDVIZ_WORKERS", "").strip()
    if not text:
        return max(1, (os.cpu_count() or 2) - 1)
    if not text.isdigit() or int(text) > 1024:
        raise ExecutionError(f"GOLDVIZ_WORKERS is {text!r}; allowed is a whole number from 0 to 1024.")
    return int(text)


def checkpoints_budget() -> int:
    """``GOLDVIZ_KEPT_STATES_MB`` in bytes: how much room checkpoints for rewinding may take in all; default 2000 MB."""
    try:
        # Numbers that are not allowed are told of before any run starts.
        room_of_run()
        run_bytes()
        run_seconds()
        return room("GOLDVIZ_KEPT_STATES_MB", 2000)
    except (CheckpointsError, LimitsError) as error:
        raise ExecutionError(str(error)) from error


@dataclass(frozen=True)
class Waiting:
    """A run that is to be sent, and how often it was sent before."""

    settings: Experiment
    budget: int | None
    times: int = 0


@dataclass(frozen=True)
class Lost:
    """A run that came back without an answer: how it is listed, and why."""

    run: Waiting
    status: str
    reason: str

    @classmethod
    def of(cls, run: Waiting, future: Future[Any]) -> Lost:
        """A worker that died fails its run; a scheduler that went away only interrupts it."""
        if future.status == "error":
            return cls(run, "failed", f"{why_lost(future, 'that trained it')} What was recorded is kept.")
        return cls(run, "interrupted", "The scheduler of its worker went away. The run can be continued.")


class Executor:
    """Sends runs to workers, passes commands on, and notices workers that die.

    Runs begin in the order in which they came: they wait here, not with Dask, which deals tasks out to busy workers
    in advance. A paused run holds no worker: its state is in the store, and going on means being queued again.
    """

    def __init__(self, store: Store, *, workers: int | None = None, scheduler: str | None = None) -> None:
        self.store = store
        self._queue: dict[str, Waiting] = {}
        self._futures: dict[str, Future[Any]] = {}
        self._lost: dict[str, Lost] = {}
        self._asked: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._sent: dict[str, Waiting] = {}
        self._store_away = Outage(log, "The store can be looked after again.")
        self._scheduler_away = Outage(log, "Runs are sent to their scheduler again.")
        self._budget = checkpoints_budget()
        workers = worker_count() if workers is None else workers
        scheduler = scheduler or os.environ.get("GOLDVIZ_SCHEDULER", "").strip()
        self._at_once = max(workers, 1)
        self._shares_runs = _shares_runs(workers, scheduler)
        self._workers = _workers(workers, scheduler, store.url)
        self._watcher = threading.Thread(target=self._watch, name="goldviz-watch", daemon=True)
        self._watcher.start()
        # Asked now, so that the answers are there when a page wants them.
        self.devices()
        self.probe()

    @property
    def worker_count(self) -> int:
        """Workers that are up now."""
        return self._workers.count

    @property
    def missing(self) -> str:
        """What keeps runs from starting now, in a sentence; nothing where nothing does."""
        return self._workers.missing

    def devices(self) -> list[str]:
        """What a worker can train on, in words; empty until the first worker has loaded torch."""
        return list(self._answer(DEVICES) or ())

    def probe(self) -> float:
        """Seconds that a small step of training takes on a worker, measured once; 0 until it was."""
        return float(self._answer(PROBE) or 0.0)

    def _answer(self, question: str) -> Any:
        """What a worker said to a question, which is asked once; None until it has answered."""
        with self._lock:
            if question not in self._asked and self._workers.reachable:
                with suppress(OSError):  # A scheduler that does not answer is asked the next time.
                    self._asked[question] = self._workers.submit(_called, question)
            asked = self._asked.get(question)
            if asked is not None and asked.status in ("error", "cancelled", "lost"):
                del self._asked[question]
        return asked.result() if asked is not None and asked.status == "finished" else None

    def check(self, settings: Experiment) -> None:
        """Raise :class:`SettingsError` for a run that would take more memory or time than there is here."""
        slower = expected(self.store, settings, self.probe()).seconds / settings.estimated_seconds()
        check(settings, self._at_once, slower)

    def submit(self, settings: Experiment, *, name: str = "", budget: int | None = None) -> str:
        """Queue a new run and return its id at once; raises :class:`SettingsError` for one that asks for too much."""
        self.check(settings)
        run_id = self.store.create(settings, name=name)
        self._send(settings, run_id, budget)
        return run_id

    def fork(
        self, run_id: str, step: int, settings: Experiment, *, changes: Mapping[str, Any] | None = None, name: str = ""
    ) -> str:
        """Queue a run that goes on from a kept step of another, with other settings if wanted; see ``Store.fork``."""
        self.check(settings)
        fork_id = self.store.fork(run_id, step, settings, changes=changes, name=name)
        self._send(settings, fork_id, None)
        return fork_id

    def resume(self, settings: Experiment, run_id: str, *, budget: int | None = None) -> None:
        """Queue a run that ended early again, for ``budget`` steps or to its end; two calls queue it once."""
        self.check(settings)
        if self.store.enqueue(run_id):
            self._send(settings, run_id, budget)

    def pause(self, run_id: str) -> None:
        """Ask a run to give its worker back after its next step, keeping its state; one that waits stops waiting."""
        self._halt(run_id, "pause")

    def stop(self, run_id: str) -> None:
        """Ask a run to end after its next step; one that waits or is paused ends at once."""
        self._halt(run_id, "stop")

    def _halt(self, run_id: str, kind: Halt) -> None:
        if self.store.halt(run_id, kind) != "queued":
            return
        with self._lock:
            for line in (self._queue, self._sent):
                line.pop(run_id, None)
            future = self._futures.pop(run_id, None)
        if future is not None:
            future.cancel()
            self._deal_out()

    def change(self, run_id: str, **changes: Any) -> None:
        """Change hot settings of a run while it goes on."""
        self.store.command(run_id, Command("change", changes))

    def trouble(self, run_id: str) -> str:
        """What keeps the records of a run in its worker's memory, in a sentence; mostly nothing."""
        return self._workers.troubles.get(run_id, "")

    def waiting_before(self, run_id: str) -> int:
        """How many of this process's runs were queued before this one and are not finished."""
        with self._lock:
            earlier = [*self._futures, *self._queue]
        return earlier.index(run_id) if run_id in earlier else 0

    def close(self) -> None:
        """Let the workers go; runs that they had not finished can be continued."""
        self._closing.set()
        with self._lock:
            left = [*self._futures, *self._queue]
        self._workers.close()
        try:
            for run_id in left:
                self.store.turn(run_id, UNFINISHED, "interrupted", "The server was closed. The run can be continued.")
        except StoreError as error:
            log.warning("Unfinished runs could not be listed as interrupted: %s", error)

    def _send(self, settings: Experiment, run_id: str, budget: int | None) -> None:
        with self._lock:
            self._queue[run_id] = Waiting(settings, budget)
        self._deal_out()

    def _deal_out(self) -> None:
        """Hand the runs that wait longest to the workers that are free."""
        from goldviz.runs.store.address import carry_out

        if not self._queue:
            return
        workers = max(1, self.worker_count)
        with self._lock:
            while self._queue and len(self._futures) < workers and self._open:
                run_id, run = next(iter(self._queue.items()))
                # Dask keeps numbers for ever of each word before a key's first dash.
                key = f"train-{run_id}-{os.urandom(4).hex()}"
                processes = processes_for_run(len(self._futures) + 1) if self._shares_runs else 1
                arguments = (run.settings, run_id, self._workers.store, run.budget)
                try:
                    future = self._workers.submit(carry_out, *arguments, processes=processes, key=key)
                except (OSError, RuntimeError) as error:
                    self._scheduler_away.away(f"A run waits until its scheduler is back: {error}")
                    return
                self._scheduler_away.over()
                self._sent[run_id] = replace(self._queue.pop(run_id), times=run.times + 1)
                self._futures[run_id] = future
                future.add_done_callback(partial(self._done, run_id))

    @property
    def _open(self) -> bool:
        return self._workers.reachable and not self._closing.is_set()

    def _done(self, run_id: str, future: Future[Any]) -> None:
        lost_end = LOST_ENDS.get(future.result()) if future.status == "finished" else None
        with self._lock:
            if self._futures.get(run_id) is not future:
                return
            del self._futures[run_id]
            run = self._sent.pop(run_id)
            self._workers.troubles.pop(run_id, None)
            if lost_end:
                self._lost[run_id] = Lost(run, "interrupted", lost_end)
            elif future.status != "finished" and not self._closing.is_set():
                self._lost[run_id] = Lost.of(run, future)
        self._settle_lost()
        self._deal_out()

    def _settle_lost(self) -> bool:
        """Send runs again that had not begun, and list others by what became of their worker; whether all could be.

        What cannot be written now is tried again by the watcher.
        """
        with self._lock:
            lost_runs = dict(self._lost)
        try:
            for run_id, how in lost_runs.items():
                again = how.run.times < MOST_SENT and self.store.run(run_id).status == "queued"
                if not again:
                    self.store.turn(run_id, (*UNFINISHED, "interrupted"), how.status, how.reason)
                with self._lock:
                    if self._lost.pop(run_id, None) and again:
                        self._queue = {run_id: how.run, **self._queue}
        except UnknownRunError:
            with self._lock:
                self._lost.pop(run_id, None)
        except StoreError as error:
            self._store_away.away(f"A run lost its worker, and that could not be written yet: {error}")
            return False
        return True

    def _watch(self) -> None:
        """Give signs of life for queued runs, and find those that nobody trains any more."""
        turns = 0
        while not self._closing.wait(WATCH_SECONDS):
            try:
                with self._lock:
                    waiting = [*self._futures, *self._queue]
                if waiting:
                    self.store.touch(waiting)
                # Before anything that a scheduler may keep waiting: what waits here has only just been touched.
                self.store.interrupt_silent()
                self._workers.mend()
                count = self._settle_lost()
                self._deal_out()
                turns += 1
                if turns % FORGET_TURNS == 0:
                    self.store.forget_old_checkpoints(self._budget)
                    self.store.thin_checkpoints()
                    self.store.give_back_room()
                if count:
                    self._store_away.over()
            except StoreError as error:
                self._store_away.away(f"The store could not be looked after: {error}")


def _workers(processes: int, scheduler: str, database: str) -> Workers:
    try:
        return Workers(processes, scheduler, database)
    except WorkersError as error:
        raise ExecutionError(str(error)) from error


def _shares_runs(workers: int, scheduler: str) -> bool:
    """Whether a run may have processes of its own beside its worker; raises :class:`ExecutionError`."""
    try:
        processes_for_run()  # a number that is not allowed is told of before any run starts
    except ProcessesError as error:
        raise ExecutionError(str(error)) from error
    if scheduler:
        # What cores the workers' machines have is not known here; whoever names a number does know.
        return bool(os.environ.get("GOLDVIZ_REFIT_PROCESSES", "").strip())
    # Threads of this process train where memory is scarce.
    return workers > 0


def _called(reference: str) -> Any:
    """What the function ``module:name`` returns, on the worker."""
    module, name = reference.split(":")
    return getattr(importlib.import_module(module), name)()
