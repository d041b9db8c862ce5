"""Execution: runs on Dask worker processes, on this machine by default or on any Dask cluster by its address."""

from __future__ import annotations

import importlib
import logging
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from goldviz.runs.cluster import local_cluster, quieten, why_lost
from goldviz.runs.processes import ProcessesError, processes_for_run
from goldviz.runs.recorder import Order
from goldviz.runs.schema import StoreError
from goldviz.runs.store import UNFINISHED, Store
from goldviz.runs.worker import execute

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

    from goldviz.declare.settings import Experiment

CONNECT_SECONDS = 5.0
WATCH_SECONDS = 2.0
FORGET_TURNS = 30
"""Old states are looked through every so many turns of the watcher."""
WARM_UP = "goldviz.declare.warm_up"
"""Imported by every worker as it starts; it imports torch, so that the first click need not wait."""

DEVICES = "goldviz.training.devices:present"
"""What a worker is asked for the names of its devices."""

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


def kept_states_budget() -> int:
    """``GOLDVIZ_KEPT_STATES_MB`` in bytes: how much room states for rewinding may take in all; default 2000 MB."""
    text = os.environ.get("GOLDVIZ_KEPT_STATES_MB", "2000").strip()
    if not text.isdigit():
        raise ExecutionError(f"GOLDVIZ_KEPT_STATES_MB is {text!r}; allowed is a whole number of megabytes.")
    return int(text) * 10**6


class Executor:
    """Sends runs to workers, passes orders on, and notices workers that die.

    Runs begin in the order in which they came: they wait here, not with Dask, which deals tasks out to busy workers
    in advance. A paused run holds no worker: its state is in the store, and going on means being queued again.
    """

    def __init__(self, store: Store, *, workers: int | None = None, scheduler: str | None = None) -> None:
        self.store = store
        self._queue: dict[str, tuple[Experiment, int | None]] = {}
        self._futures: dict[str, Future[Any]] = {}
        self._lost: dict[str, str] = {}
        self._devices: Future[Any] | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._cluster: LocalCluster | None = None
        self._budget = kept_states_budget()
        workers = worker_count() if workers is None else workers
        scheduler = scheduler or os.environ.get("GOLDVIZ_SCHEDULER", "").strip()
        self._shares_runs = _shares_runs(workers, scheduler)
        self._client = self._connect(workers, scheduler)
        self._watcher = threading.Thread(target=self._watch, name="goldviz-watch", daemon=True)
        self._watcher.start()
        self.devices()  # asked now, so that the answer is there when a page wants it

    def _connect(self, workers: int, scheduler: str) -> Client:
        from distributed import Client

        try:
            if scheduler:
                quieten()
                return Client(scheduler, set_as_default=False, timeout=CONNECT_SECONDS)
            preload, one_thread = ("goldviz.runs.worker", WARM_UP), {"OMP_NUM_THREADS": "1"}
            self._cluster = local_cluster(workers, preload=preload, environment=one_thread)
            return Client(self._cluster, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            where = f"the Dask scheduler at {scheduler}" if scheduler else "the local workers"
            raise ExecutionError(f"No run can start: {where} cannot be reached ({error}).") from error

    @property
    def worker_count(self) -> int:
        """Workers that are up now."""
        try:
            # A client that is just being closed knows of no workers any more.
            return len(self._client.scheduler_info(n_workers=-1).get("workers", ()))
        except OSError:
            # The scheduler is away; Dask connects again when it is back.
            return 0

    def devices(self) -> list[str]:
        """What a worker can train on, in words; empty until the first worker has loaded torch."""
        with self._lock:
            if self._devices is None:
                self._devices = self._client.submit(_called, DEVICES, pure=False)
        if self._devices.status == "error":
            self._devices = None
            return []
        return list(self._devices.result()) if self._devices.done() else []

    def submit(self, settings: Experiment, *, name: str = "", budget: int | None = None) -> str:
        """Queue a new run and return its id at once."""
        run_id = self.store.create(settings, name=name)
        self._send(settings, run_id, budget)
        return run_id

    def fork(
        self, run_id: str, step: int, settings: Experiment, *, changes: Mapping[str, Any] | None = None, name: str = ""
    ) -> str:
        """Queue a run that goes on from a kept step of another, with other settings if wanted; see ``Store.fork``."""
        fork_id = self.store.fork(run_id, step, settings, changes=changes, name=name)
        self._send(settings, fork_id, None)
        return fork_id

    def resume(self, settings: Experiment, run_id: str, *, budget: int | None = None) -> None:
        """Queue a run that ended early again, for ``budget`` steps or to its end; two calls queue it once."""
        if self.store.enqueue(run_id):
            self._send(settings, run_id, budget)

    def pause(self, run_id: str) -> None:
        """Ask a run to give its worker back after its next step, keeping its state; one that waits stops waiting."""
        if not self._stop_waiting(run_id, "paused", "Paused while it waited."):
            self.store.order(run_id, Order("pause"))

    def stop(self, run_id: str) -> None:
        """Ask a run to end after its next step; one that waits or is paused ends at once."""
        if self._stop_waiting(run_id, "stopped", "Stopped while it waited."):
            return
        run = self.store.run(run_id)
        where = f"{run.attributes['step_dimension']} {run.step}"
        if not self.store.turn(run_id, ("paused",), "stopped", f"Stopped after {where}."):
            self.store.order(run_id, Order("stop"))

    def _stop_waiting(self, run_id: str, status: str, message: str) -> bool:
        if not self.store.turn(run_id, ("queued",), status, message):
            return False
        with self._lock:
            self._queue.pop(run_id, None)
            future = self._futures.pop(run_id, None)
        if future is not None:
            future.cancel()
            self._deal_out()
        return True

    def change(self, run_id: str, **changes: Any) -> None:
        """Change hot settings of a run while it goes on."""
        self.store.order(run_id, Order("change", changes))

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
        # A worker that is just being started anew makes this take longer; it ends with this process.
        with suppress(TimeoutError):
            self._client.close(timeout=2)
        if self._cluster is None:
            return
        with suppress(TimeoutError):
            self._cluster.close(timeout=5)
        try:
            for run_id in left:
                self.store.turn(run_id, UNFINISHED, "interrupted", "The server was closed. The run can be continued.")
        except StoreError as error:
            log.warning("Unfinished runs could not be listed as interrupted: %s", error)

    def _send(self, settings: Experiment, run_id: str, budget: int | None) -> None:
        with self._lock:
            self._queue[run_id] = (settings, budget)
        self._deal_out()

    def _deal_out(self) -> None:
        """Hand the runs that wait longest to the workers that are free."""
        workers = max(1, self.worker_count)
        with self._lock:
            while self._queue and len(self._futures) < workers and not self._closing.is_set():
                run_id = next(iter(self._queue))
                settings, budget = self._queue.pop(run_id)
                key = f"{run_id}-{os.urandom(4).hex()}"
                processes = processes_for_run(len(self._futures) + 1) if self._shares_runs else 1
                future = self._client.submit(
                    execute, settings, run_id, self.store.url, budget, processes=processes, key=key, pure=False
                )
                self._futures[run_id] = future
                future.add_done_callback(partial(self._done, run_id))

    def _done(self, run_id: str, future: Future[Any]) -> None:
        with self._lock:
            if self._futures.get(run_id) is not future:
                return
            del self._futures[run_id]
            if future.status == "error" and not self._closing.is_set():
                self._lost[run_id] = f"{why_lost(future, 'that trained it')} What was recorded is kept."
        self._write_lost()
        self._deal_out()

    def _write_lost(self) -> None:
        """List runs whose worker died as failed; what cannot be written now is tried again by the watcher."""
        with self._lock:
            lost = dict(self._lost)
        try:
            for run_id, reason in lost.items():
                self.store.turn(run_id, (*UNFINISHED, "interrupted"), "failed", reason)
                with self._lock:
                    self._lost.pop(run_id, None)
        except StoreError as error:
            log.warning("A run lost its worker, and that could not be written yet: %s", error)

    def _watch(self) -> None:
        """Give signs of life for queued runs, and find those that nobody trains any more."""
        turns = 0
        while not self._closing.wait(WATCH_SECONDS):
            try:
                with self._lock:
                    waiting = [*self._futures, *self._queue]
                if waiting:
                    self.store.touch(waiting)
                self._deal_out()
                self._write_lost()
                self.store.interrupt_silent()
                turns += 1
                if turns % FORGET_TURNS == 0:
                    self.store.forget_old_states(self._budget)
            except StoreError as error:
                log.warning("The store could not be looked after: %s", error)


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
