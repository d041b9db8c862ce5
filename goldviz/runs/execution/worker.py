"""What a worker process does with a run: carry it out, and write what it records a few times a second."""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import either, label
from goldviz.runs.execution.cluster import dask_setup
from goldviz.runs.execution.limits import ran_out_of_memory
from goldviz.runs.execution.memory_watch import give_back_memory
from goldviz.runs.execution.spare_time import SPARE_TIME
from goldviz.runs.execution.watchdog import Watchdog
from goldviz.runs.recorder import Batch, Command, ControlChannel, Ended, Progress, Recorder
from goldviz.runs.store.outage import Outage
from goldviz.runs.store.run import Start
from goldviz.runs.store.run_store import Store, UnknownRunError
from goldviz.runs.store.schema import StoreBusyError, StoreError, StoreFullError
from goldviz.runs.versions import versions

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment

FLUSH_SECONDS = 0.2
HEARTBEAT_SECONDS = 2.0
PATIENCE_SECONDS = 120.0
"""So long a run waits for a locked database, before it begins and before its last records are given up."""
UNWRITTEN, DISK_FULL = "unwritten", "disk full"
"""In place of a status: the last records could not be written, here for want of room, and are lost."""

T = TypeVar("T")

# Dask calls the dask_setup of a module that a worker preloads, as one of another machine does with this one.
__all__ = ["StoreSink", "dask_setup", "execute", "patiently"]

log = logging.getLogger(__name__)


@dataclass
class _Outbox:
    """What waits to be written. Ends with a checkpoint, so that it and the records up to it go together."""

    progress: Progress
    batch: Batch | None = None
    once: dict[str, np.ndarray] = field(default_factory=dict)
    coordinates: Mapping[str, list[Any]] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    marked: list[Mapping[str, Any]] = field(default_factory=list)
    checkpoint: tuple[int, bytes] | None = None

    def empty(self) -> bool:
        return not (self.batch or self.once or self.coordinates or self.attributes or self.marked or self.checkpoint)

    def extend(self, later: _Outbox) -> None:
        """Take over what was put into a later box."""
        self.progress = later.progress
        if self.batch is None:
            self.batch = later.batch
        elif later.batch is not None:
            self.batch.extend(later.batch)
        self.once |= later.once
        self.coordinates = later.coordinates or self.coordinates
        self.attributes |= later.attributes
        self.marked += later.marked
        self.checkpoint = later.checkpoint


class StoreSink:
    """A sink and a control channel on the store. A thread writes and reads, so training never waits for the disk."""

    def __init__(
        self,
        store: Store,
        start: Start,
        watch: Callable[[Progress], None],
        trouble: Callable[[str], None] = lambda sentence: None,
        every: float = FLUSH_SECONDS,
    ) -> None:
        run = start.run
        self._every = every
        self._store = store
        self._run_id = run.id
        self._lease = start.lease
        self._watch = watch
        self._trouble, self._told = trouble, ""
        self._lock = threading.Lock()
        self._progress = Progress(run.step, run.total, run.seconds, run.instrument_seconds)
        self._outboxes: list[_Outbox] = [_Outbox(self._progress)]
        self._commands: list[Command] = list(patiently(lambda: store.take_commands(run.id)))
        self._wake = threading.Event()
        self._waits_for_first = True
        self._closing = False
        self.seconds = 0.0
        """Seconds of a processor that the thread has taken."""
        self._database = Outage(log, f"Run {run.id} has its database again.")
        self._thread = threading.Thread(target=self._pump, name=f"goldviz-writer-{run.id}", daemon=True)
        self._thread.start()

    def coordinates(self, coordinates: Mapping[str, list[Any]]) -> None:
        """Queue the labels of the fixed dimensions."""
        with self._lock:
            self._outboxes[-1].coordinates = dict(coordinates)

    def attributes(self, attributes: Mapping[str, Any]) -> None:
        """Queue facts about the run."""
        with self._lock:
            self._outboxes[-1].attributes |= attributes

    def once(self, name: str, values: np.ndarray) -> None:
        """Queue a variable without a growing dimension."""
        with self._lock:
            self._outboxes[-1].once[name] = values

    def batch(self, batch: Batch, progress: Progress) -> None:
        """Queue the records of one step; the first one is written without waiting."""
        with self._lock:
            self._progress = progress
            self._outboxes[-1].extend(_Outbox(progress, batch))
        if self._waits_for_first:
            self._waits_for_first = False
            self._wake.set()
        self._watch(progress)

    def hurry(self) -> None:
        """Write what is queued without waiting for the next turn."""
        self._wake.set()

    def mark(self, step: int, text: str, changes: Mapping[str, Any]) -> None:
        """Queue the change of a hot setting."""
        with self._lock:
            self._outboxes[-1].marked.append({"step": step, "text": text, "changes": dict(changes)})

    def checkpoint(self, step: int, state: bytes) -> None:
        """Queue a checkpoint."""
        with self._lock:
            self._outboxes[-1].checkpoint = (step, state)
            self._outboxes.append(_Outbox(self._progress))

    def commands(self) -> list[Command]:
        """Commands that the thread has read since the last call."""
        # Asked before every step, so without the lock; what comes at this moment is there at the next.
        if not self._commands:
            return []
        with self._lock:
            commands, self._commands = self._commands, []
        return commands

    def close(self, status: str, message: str, patience: float | None = None) -> str:
        """Write all that waits and how the run ended; waits for a locked database, so many seconds at most.

        Returns how the run is listed: as stopped where it paused while it was asked to stop; :data:`UNWRITTEN` or
        :data:`DISK_FULL` where the database takes nothing any more.
        """
        self._closing = True
        self._wake.set()
        self._thread.join()
        try:
            return patiently(lambda: self._write_end(status, message), StoreError, patience)
        except UnknownRunError:
            return status
        except StoreError as error:
            log.error("The end of run %s could not be written: %s", self._run_id, error)
            return DISK_FULL if isinstance(error, StoreFullError) else UNWRITTEN
        finally:
            self._tell("")

    def _write_end(self, status: str, message: str) -> str:
        try:
            self._write_all()
            outcome = self._store.append(
                self._run_id, self._progress, lease=self._lease, status=status, message=message, left=self._commands
            )
        except StoreFullError as error:
            self._tell(str(error))
            raise
        self._database.over()
        return outcome or status

    def _tell(self, sentence: str) -> None:
        """Tell whoever had the run carried out what keeps its records in memory; nothing once they are written."""
        if sentence != self._told:
            self._told = sentence
            self._trouble(sentence)

    def _pump(self) -> None:
        spoke = time.monotonic()
        while not self._closing:
            self.seconds = time.thread_time()
            self._wake.wait(self._every)
            self._wake.clear()
            try:
                wrote = self._write_all()
                self._tell("")
                commands = self._store.take_commands(self._run_id)
                with self._lock:
                    self._commands.extend(commands)
                if wrote:
                    spoke = time.monotonic()
                elif time.monotonic() - spoke > HEARTBEAT_SECONDS:
                    self._store.sign_of_life(self._run_id, self._lease)
                    spoke = time.monotonic()
                self._database.over()
            except UnknownRunError:
                with self._lock:
                    self._commands.append(Command("stop"))
                return
            except StoreError as error:
                # A locked database is met again at the next turn; nothing is dropped meanwhile.
                if isinstance(error, StoreFullError):
                    self._tell(str(error))
                    self._give_sign_of_life()
                self._database.away(f"Run {self._run_id} waits for its database: {error}")

    def _give_sign_of_life(self) -> None:
        """A full disk may still have room for this."""
        with suppress(StoreError, UnknownRunError):
            self._store.sign_of_life(self._run_id, self._lease)

    def _write_all(self) -> bool:
        wrote = False
        while (box := self._next_box()) is not None:
            try:
                self._store.append(
                    self._run_id,
                    box.progress,
                    lease=self._lease,
                    batch=box.batch,
                    once=box.once,
                    coordinates=box.coordinates,
                    attributes=box.attributes,
                    new_marks=box.marked,
                    checkpoint=box.checkpoint,
                )
            except StoreError:
                self._put_back(box)
                raise
            wrote = True
        return wrote

    def _next_box(self) -> _Outbox | None:
        """Take the oldest box that holds something."""
        with self._lock:
            box = self._outboxes.pop(0)
            if not self._outboxes:
                self._outboxes.append(_Outbox(self._progress))
        return None if box.empty() else box

    def _put_back(self, box: _Outbox) -> None:
        with self._lock:
            if box.checkpoint is None:
                # It was the last box and still open: what has come since then belongs to it.
                box.extend(self._outboxes.pop(0))
            self._outboxes.insert(0, box)


def patiently(call: Callable[[], T], passing: type[StoreError] = StoreBusyError, patience: float | None = None) -> T:
    """Call again and again while it raises an error that will pass, until patience is at an end."""
    deadline = time.monotonic() + (PATIENCE_SECONDS if patience is None else patience)
    while True:
        try:
            return call()
        except passing:
            if time.monotonic() > deadline:
                raise
            time.sleep(FLUSH_SECONDS)


class _BothChannels:
    """Commands from the store, and from whoever called."""

    def __init__(self, *channels: ControlChannel) -> None:
        self._channels = channels

    def commands(self) -> list[Command]:
        """All channels' commands."""
        return [command for channel in self._channels for command in channel.commands()]


def execute(
    settings: Experiment,
    run_id: str,
    database_url: str,
    budget: int | None = None,
    *,
    processes: int = 1,
    watch: Callable[[Progress], None] = lambda progress: None,
    channel: ControlChannel | None = None,
    trouble: Callable[[str], None] = lambda sentence: None,
) -> str:
    """Carry a queued run out, from its start or from its last checkpoint. Returns how it ended.

    Whatever goes wrong in the procedure is written into the run as a sentence. Commands come from the store, and
    from ``channel`` where there is one. The procedure may share its work among ``processes``. ``trouble`` is told, in a
    sentence, when a full disk keeps records in memory, and an empty one when they are written.
    """
    store = patiently(lambda: _store(database_url))
    try:
        with SPARE_TIME.taken():
            start = patiently(lambda: store.begin(run_id))
            if start is None:
                return store.run(run_id).status
            sink = StoreSink(store, start, watch, trouble)
            return _carry_out(settings, sink, start, budget, processes, channel)
    except UnknownRunError:
        return "deleted"
    finally:
        store.close()
        give_back_memory()


@cache
def _store(database_url: str) -> Store:
    """The same for all runs of this process: what a database is asked is understood once."""
    return Store(database_url)


def _carry_out(
    settings: Experiment,
    sink: StoreSink,
    start: Start,
    budget: int | None,
    processes: int,
    channel: ControlChannel | None,
) -> str:
    began, earlier = time.monotonic(), float(start.run.attributes.get("took", 0.0))
    sink.attributes({"versions": versions(), "worker": os.getpid(), "began": time.time()})
    try:
        record = Recorder(
            settings,
            sink,
            _BothChannels(sink, channel) if channel else sink,
            start_step=start.run.step,
            restored=start.state,
            changes=settings.changes_from_store(start.run.settings_version, start.run.changes),
            seconds=start.run.seconds,
            instrument_seconds=start.run.instrument_seconds,
            budget=budget,
            processes=processes,
        )
        try:
            with Watchdog(record, _end_of_process(record, sink)):
                laboratory_of(settings).run(settings, record)
        finally:
            record.hand_over()
        status, message = "finished", ""
    except Ended as ended:
        status, message = ended.status, str(ended)
    except MemoryError:
        status, message = "failed", _out_of_memory("worker", settings)
    except KeyboardInterrupt:
        sink.close("stopped", "Interrupted from the keyboard.")
        raise
    except Exception as error:  # noqa: BLE001 - a run fails with its reason, and the worker goes on
        status, message = "failed", _reason(error, settings, start.run.id)
    sink.attributes({"took": earlier + time.monotonic() - began})
    return sink.close(status, message)


def _end_of_process(record: Recorder[Experiment], sink: StoreSink) -> Callable[[], None] | None:
    """What ends this process with its run, where it is a worker's, which is started anew; else nothing does."""
    if multiprocessing.parent_process() is None:
        return None

    def end() -> None:
        sink.close("stopped", record.cut_short())
        os._exit(1)

    return end


def _reason(error: Exception, settings: Experiment, run_id: str) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    if getattr(error, "for_a_person", False):
        return text
    log.error("Run %s failed:\n%s", run_id, "".join(traceback.format_exception(error)))
    if ran_out_of_memory(error):
        return _out_of_memory("device", settings)
    return f"The training code failed with {type(error).__name__}: {text[:300]}"


def _out_of_memory(what: str, settings: Experiment) -> str:
    if not settings.smaller:
        return f"The {what} ran out of memory."
    names = either(label(name).lower() for name in settings.smaller)
    return f"The {what} ran out of memory; choose a smaller value of {names}."
