"""The recorder: what a procedure talks to while it runs.

A procedure iterates over ``record.steps(n)`` and hands over what it sees by ``record(name, values)``. The recorder
knows nothing of networks and nothing of databases: it gives batches of records to a *sink* and reads commands
(pause, stop, a new learning rate) from a *control channel*. In a notebook the sink is memory and nobody gives
commands; in a worker both are the store.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from goldviz.runs.execution.limits import run_seconds
from goldviz.runs.store.checkpoints import room_of_run

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment

Declared = TypeVar("Declared", bound="Experiment")

MOST_CHECKPOINTS = 20
"""At most so many checkpoints of a run are kept, evenly spread."""
KEPT_BYTES = 16 * 2**20
"""States are handed over less often when they would take more room than this; the store keeps fewer of them."""
SPARE_STATE_SECONDS = 1.0
"""A checkpoint that the store drops for the next one is worth its packing only where so much work would be lost."""

TOGETHER = 0.02
"""Seconds for which the records of quick steps may wait to be handed over together."""
FEW = 16
"""Numbers that Python looks at sooner one by one than numpy does together: a call of numpy's costs a small network's
step a tenth of its time."""
LARGEST = float(np.finfo(np.float32).max)

log = logging.getLogger(__name__)


class Ended(Exception):  # noqa: N818 - an end is not an error
    """A run ends before its last step. ``status`` is how it is listed, ``message`` why."""

    def __init__(self, status: str, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class Command:
    """Something a person asked of a run: ``kind`` is stop, pause or change; ``changes`` are new hot settings."""

    kind: str
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """How far a run is: steps done, steps planned, seconds trained so far and the share spent on measuring."""

    step: int
    total: int
    seconds: float
    instrument_seconds: float


@dataclass
class Batch:
    """Records of consecutive steps: for each variable its steps and its values, stacked along the first axis."""

    last_step: int
    steps: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[np.ndarray]] = field(default_factory=dict)

    def add(self, name: str, step: int, values: np.ndarray) -> None:
        """Append one record."""
        self.steps.setdefault(name, []).append(step)
        self.values.setdefault(name, []).append(values)

    def extend(self, later: Batch) -> None:
        """Append the records of later steps."""
        for name, steps in later.steps.items():
            self.steps.setdefault(name, []).extend(steps)
            self.values.setdefault(name, []).extend(later.values[name])
        self.last_step = later.last_step

    def forget(self, step: int) -> None:
        """Drop the records of this step, which may be incomplete."""
        for name, steps in list(self.steps.items()):
            whole = sum(one < step for one in steps)
            del steps[whole:], self.values[name][whole:]
            if not whole:
                del self.steps[name], self.values[name]

    def stacked(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Each variable's steps (n,) and values (n, ...)."""
        return {name: (np.asarray(self.steps[name], np.int64), np.stack(self.values[name])) for name in self.values}


class Sink(Protocol):
    """Where records go. Every call returns at once; a slow sink queues."""

    def coordinates(self, coordinates: Mapping[str, list[Any]]) -> None:
        """Labels of the fixed dimensions."""

    def attributes(self, attributes: Mapping[str, Any]) -> None:
        """Facts about the run: device, versions."""

    def once(self, name: str, values: np.ndarray) -> None:
        """A variable without a growing dimension."""

    def batch(self, batch: Batch, progress: Progress) -> None:
        """The records of one step."""

    def mark(self, step: int, text: str, changes: Mapping[str, Any]) -> None:
        """A hot setting changed at this step."""

    def checkpoint(self, step: int, state: bytes) -> None:
        """The packed state of a run at the end of this step."""


class ControlChannel(Protocol):
    """Where commands come from."""

    def commands(self) -> list[Command]:
        """Commands given since the last call; costs next to nothing when there are none."""


class Measuring:
    """A context whose time a recorder counts as the cost of measuring. A generator's would cost a step more."""

    __slots__ = ("_record", "_started")

    def __init__(self, record: Recorder[Any]) -> None:
        self._record = record

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_error: object) -> None:
        self._record.instrument_seconds += time.perf_counter() - self._started


class Recorder(Generic[Declared]):
    """What a procedure sees of goldviz, with the settings of its laboratory. See the module's docstring.

    ``start_step`` and ``restored`` continue an earlier run; ``changes`` are hot settings that were in force then,
    ``seconds`` and ``instrument_seconds`` the time that it took; ``budget`` ends the run as *paused* after so many
    steps. ``processes`` is how many processes the procedure may share its work among, this one included; it changes
    no number that is recorded.
    """

    def __init__(
        self,
        settings: Declared,
        sink: Sink,
        channel: ControlChannel,
        *,
        start_step: int = 0,
        restored: bytes | None = None,
        changes: Mapping[str, Any] | None = None,
        seconds: float = 0.0,
        instrument_seconds: float = 0.0,
        budget: int | None = None,
        processes: int = 1,
    ) -> None:
        self.settings: Declared = settings.changed(**changes) if changes else settings
        self.restored = restored
        self.processes = processes
        self.step = start_step
        self.instrument_seconds = instrument_seconds
        self._sink = sink
        self._channel = channel
        self._variables = settings.variables
        self._budget = budget
        self._earlier_seconds = seconds
        self._started = time.perf_counter()
        self._coordinates: dict[str, list[Any]] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._limit = min(self.settings.time_limit, run_seconds())
        self.at_work = False
        """Whether the procedure computes, and not the recorder."""
        self._pending: Batch | None = None
        self._handed_over = -math.inf
        self._total = settings.steps_planned()
        self._kept_every = self._stays_every = 0
        self._kept_at = 0.0
        self._release: Callable[[], None] = lambda: None
        self._reason = ""

    @property
    def seconds(self) -> float:
        """Seconds of training so far, earlier parts of the run included."""
        return self._earlier_seconds + time.perf_counter() - self._started

    @property
    def overdue(self) -> float:
        """Seconds since the time limit was reached; negative before."""
        return time.perf_counter() - self._started - self._limit

    def starts(self) -> None:
        """The procedure begins now: what was loaded for it, torch above all, takes none of the run's time."""
        self._started = time.perf_counter()
        self.at_work = True

    def coordinates(self, **coordinates: Any) -> None:
        """Label the fixed dimensions: ``record.coordinates(network=["plain", "residual"], seed=[0, 1])``."""
        self._coordinates |= {name: _plain_list(labels) for name, labels in coordinates.items()}
        self._shapes.clear()
        self._sink.coordinates(self._coordinates)

    def attribute(self, **attributes: Any) -> None:
        """Note facts about the run, such as the device's name."""
        self._sink.attributes(attributes)

    def steps(self, n: int, state: Callable[[], bytes] | None = None) -> Iterator[int]:
        """Number the steps 1 to ``n``, going on where a restored run stood.

        Between two steps the records are handed over, those of quick steps together, commands are carried out and,
        every few steps, ``state()`` is kept so that the run can be rewound to there. Raises :class:`Ended` when the
        run has to end early.
        """
        self.at_work = False
        # What was prepared is no training: it had the time limit to itself.
        self._started = time.perf_counter()
        self._total = n
        first = self.step + 1
        if self.step == 0 and state is not None:
            self._keep(0, n, state)
        for step in range(first, n + 1):
            self._obey(step - 1, state)
            self.step, self._reason = step, ""
            self._open_batch()
            self.at_work = True
            yield step
            self.at_work = False
            keeps = state is not None and self._is_kept(step, n)
            if keeps or step == n:
                self._release()
            if keeps or step == n or time.perf_counter() - self._handed_over >= TOGETHER:
                self.hand_over()
            if state is not None and keeps:
                self._keep(step, n, state)
            if self._budget is not None and step - first + 1 >= self._budget and step < n:
                self._end("paused", f"Paused after {self.settings.step} {step}.", state)
        self.at_work = True

    def __call__(self, name: str, values: Any) -> None:
        """Record a variable at this step; its dimensions are those declared, without the growing one."""
        variable = self._variables[name]
        array = self._checked(name, values, variable.dims[1:])
        if self._pending is None:
            raise RuntimeError(f"{name} was recorded outside record.steps()")
        self._pending.add(name, self.step, array)
        if variable.must_stay_finite and not _all_finite(array):
            self._release()
            self.hand_over()
            where = _first_bad(array, variable.dims[1:], self._coordinates)
            words = f"{variable.long_name} was no longer finite at {self.settings.step} {self.step}{where}."
            raise Ended("diverged", f"{words} {self._reason}".rstrip())

    def because(self, reason: str) -> None:
        """Say in a sentence why this step's numbers are not finite; the first ends the words of a run that diverges.

        A procedure that cannot compute a number records NaN in its place, so that all that it recorded before is kept.
        """
        self._reason = self._reason or reason

    def holds_back(self, release: Callable[[], None]) -> None:
        """Let a procedure hold back what it measured, to measure several steps at once.

        ``release`` hands it over by :meth:`late`. It is called before a state is kept and before the run ends, so that
        nothing is lost.
        """
        self._release = release

    def late(self, name: str, steps: Sequence[int], values: Any) -> None:
        """Record a variable of earlier steps, (step, ...), after all that was recorded of it before."""
        array = self._checked(name, values, self._variables[name].dims[1:], (len(steps),))
        batch = self._open_batch()
        for step, row in zip(steps, array, strict=True):
            batch.add(name, step, row)

    def once(self, name: str, values: Any) -> None:
        """Record a variable that has no growing dimension."""
        self._sink.once(name, self._checked(name, values, self._variables[name].dims))

    def instrument(self) -> Measuring:
        """Count the time spent inside as the cost of measuring."""
        return Measuring(self)

    def _checked(self, name: str, values: Any, dims: tuple[str, ...], before: tuple[int, ...] = ()) -> np.ndarray:
        array = np.array(np.asarray(values))  # In two steps: a tensor knows no copy, and may change afterwards.
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name} was recorded as {array.dtype}; numbers and truth values can be recorded.")
        if array.dtype.kind == "f" and array.dtype.itemsize > 4:
            array = _in_float32(array)
        shape = (*before, *(self._shapes.get(name) or self._shape_of(name, dims)))
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}; its dimensions {dims} ask for {shape}.")
        return array

    def _shape_of(self, name: str, dims: tuple[str, ...]) -> tuple[int, ...]:
        missing = [dim for dim in dims if dim not in self._coordinates]
        if missing:
            raise ValueError(f"{name} was recorded before record.coordinates() labelled {', '.join(missing)}.")
        self._shapes[name] = tuple(len(self._coordinates[dim]) for dim in dims)
        return self._shapes[name]

    def _open_batch(self) -> Batch:
        if self._pending is None:
            self._pending = Batch(self.step)
        self._pending.last_step = self.step
        return self._pending

    def hand_over(self) -> None:
        """Give the sink what it does not have yet."""
        if self._pending is not None:
            progress = Progress(self.step, self._total, self.seconds, self.instrument_seconds)
            self._sink.batch(self._pending, progress)
            self._pending = None
            self._handed_over = time.perf_counter()

    def _state_interval(self, n: int) -> int:
        return self._kept_every or _interval(n, MOST_CHECKPOINTS)

    def _is_kept(self, step: int, n: int) -> bool:
        """Whether a step's state is handed over: of those that the store has room for, and others now and then."""
        if step == n or step % (self._stays_every or self._state_interval(n)) == 0:
            return True
        return step % self._state_interval(n) == 0 and time.perf_counter() - self._kept_at >= SPARE_STATE_SECONDS

    def _keep(self, step: int, n: int, state: Callable[[], bytes]) -> None:
        state_bytes = state()
        self._kept_every = _interval(n, KEPT_BYTES // max(len(state_bytes), 1))
        self._stays_every = _interval(n, room_of_run() // max(len(state_bytes), 1))
        self._sink.checkpoint(step, state_bytes)
        self._kept_at = time.perf_counter()

    def _obey(self, step: int, state: Callable[[], bytes] | None) -> None:
        commands = self._channel.commands()
        for command in commands:
            if command.kind == "change":
                self._change(step, command.changes)
        kinds = {command.kind for command in commands}
        # A stop wins over a pause, whichever was asked first.
        if "stop" in kinds:
            self._end("stopped", f"Stopped after {self.settings.step} {step}.", state)
        if "pause" in kinds:
            self._end("paused", f"Paused after {self.settings.step} {step}.", state)
        if self.overdue > 0:
            where = f"{self.settings.step} {step}"
            self._end("stopped", f"Stopped after {where}: the time limit of {self._limit:g} s was reached.", state)

    def cut_short(self) -> str:
        """Hand over all but the records of the unfinished step; returns why the run ends, in a sentence."""
        where = f"{self.settings.step} {self.step}"
        if self._pending is None:
            where = "its preparations" if self.step < self._total else f"the work after {where}"
        if self._pending is not None:
            self._pending.forget(self.step)
            self.step -= 1
            self._pending.last_step = self.step
            self.hand_over()
        return f"Stopped during {where}, which went on beyond the time limit of {self._limit:g} s."

    def _change(self, step: int, changes: Mapping[str, Any]) -> None:
        hot = {name: value for name, value in changes.items() if name in self.settings.hot_settings()}
        try:
            self.settings = self.settings.changed(**hot)
        except ValueError as error:
            log.warning("An order was refused: %s", error)
            return
        if hot:
            self._sink.mark(step, in_words(hot), hot)

    def _end(self, status: str, message: str, state: Callable[[], bytes] | None) -> None:
        self._release()
        self.hand_over()
        if state is not None:
            self._sink.checkpoint(self.step, state())
        raise Ended(status, message)


def in_words(changes: Mapping[str, Any]) -> str:
    """Changed settings as the text of a mark.

    >>> in_words({"learning_rate": 0.01, "clip": 1.0})
    'learning rate 0.01, clip 1'
    """
    return ", ".join(
        f"{name.replace('_', ' ')} {f'{value:g}' if isinstance(value, float) else value}"
        for name, value in changes.items()
    )


def _all_finite(array: np.ndarray) -> bool:
    if array.size <= FEW:
        return all(map(math.isfinite, array.ravel().tolist()))
    return bool(np.isfinite(array).all())


def _in_float32(array: np.ndarray) -> np.ndarray:
    """In single precision; what that cannot hold becomes infinite, and so counts as diverged."""
    if array.size <= FEW and not any(LARGEST < abs(value) < math.inf for value in array.ravel().tolist()):
        return array.astype(np.float32)
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def _interval(n: int, checkpoints: int) -> int:
    """Steps from one checkpoint to the next, where so many of ``n`` steps may be kept."""
    return max(1, -(-n // min(MOST_CHECKPOINTS, max(2, checkpoints))))


def _plain_list(labels: Any) -> list[Any]:
    return [label.item() if hasattr(label, "item") else label for label in labels]


def _first_bad(array: np.ndarray, dims: tuple[str, ...], coordinates: Mapping[str, list[Any]]) -> str:
    index = np.argwhere(~np.isfinite(array))[0]
    place = [f"{dim} {coordinates[dim][i]}" for dim, i in zip(dims, index, strict=True)]
    return f" ({', '.join(place)})" if place else ""
