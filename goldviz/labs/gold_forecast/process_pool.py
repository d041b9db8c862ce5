"""A process pool: members that do the same kind of work side by side, some of them in processes of their own.

What a member does depends on its task alone, so the results are the same however many processes share the work.
The processes are plain ones that talk through their standard input and output. Those of ``multiprocessing`` would not
do: a worker of Dask may not have any, and in a Streamlit app they would run the page's script again.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar

Member = TypeVar("Member")
Task = TypeVar("Task")

LENGTH = struct.Struct("<Q")
"""Every message is preceded by its number of bytes."""
CLOSE_SECONDS = 5.0


class ProcessPoolError(RuntimeError):
    """A process that did a share of the work is gone."""

    for_a_person = True


class ProcessPool(Generic[Member, Task]):
    """One member for each task, made by ``build(task)``; ``processes`` of them share the work, this one included.

    ``build`` is a function of a module, for other processes find it by its name. ``costs`` say how much work each
    member has, in any unit; without them all count the same. A pool is used in a ``with`` statement, whose end lets the
    other processes go. They also end, at once, when this process dies, however it dies.

    >>> with ProcessPool(str.upper, ["gold", "silver"]) as pool:
    ...     pool.call("replace", "L", "-")
    ['GO-D', 'SI-VER']
    """

    def __init__(
        self,
        build: Callable[[Task], Member],
        tasks: Sequence[Task],
        *,
        processes: int = 1,
        costs: Sequence[float] | None = None,
    ) -> None:
        self._size = len(tasks)
        self._shares = shares(costs or [1.0] * len(tasks), processes)
        self._others: list[_Process] = []
        try:
            # They load what they need while this process builds its own members.
            for share in self._shares[1:]:
                self._others.append(_Process(build, [tasks[number] for number in share]))
            self._own = [build(tasks[number]) for number in self._shares[0]]
        except BaseException:
            self.close()
            raise

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call the method on every member with the same arguments; the results are in the order of the tasks."""
        return self.call_each(method, [arguments] * self._size)

    def call_each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call the method on every member with arguments of its own; the results are in the order of the tasks.

        Raises what the first member raises that fails, and :class:`ProcessPoolError` where a process is gone; the pool
        cannot be used after either.
        """
        try:
            for share, process in zip(self._shares[1:], self._others, strict=True):
                process.send((method, [arguments[number] for number in share]))
            outcomes = [called(self._own, method, [arguments[number] for number in self._shares[0]])]
            outcomes += [process.answer() for process in self._others]
        except BaseException:
            self.close()
            raise
        results: dict[int, Any] = {}
        errors: dict[int, Exception] = {}
        for share, (answers, error) in zip(self._shares, outcomes, strict=True):
            results.update(zip(share, answers, strict=False))
            if error is not None:
                errors[share[len(answers)]] = error
        if errors:
            self.close()
            raise errors[min(errors)]
        return [results[number] for number in range(self._size)]

    def close(self) -> None:
        """Let the other processes go."""
        for process in self._others:
            process.close()
        self._others.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def shares(costs: Sequence[float], processes: int) -> list[list[int]]:
    """Which tasks each process does: always the costliest one left to the process with the least to do.

    The largest share is at most 4/3 of what it has to be (Graham 1969). No share is empty, but for the first one where
    there is no task at all.

    >>> shares([5, 1, 1, 4, 1], 2)
    [[0, 2], [1, 3, 4]]
    """
    parts: list[list[int]] = [[] for _ in range(max(1, min(processes, len(costs))))]
    loads = [0.0] * len(parts)
    for number in sorted(range(len(costs)), key=lambda number: -costs[number]):
        least = min(range(len(parts)), key=lambda process: (loads[process], len(parts[process])))
        parts[least].append(number)
        loads[least] += costs[number]
    return [sorted(share) for share in parts]


def called(
    members: Sequence[Any], method: str, arguments: Sequence[tuple[Any, ...]]
) -> tuple[list[Any], Exception | None]:
    """What the members return one after another, up to the first error, and that error."""
    results: list[Any] = []
    for member, own in zip(members, arguments, strict=True):
        try:
            results.append(getattr(member, method)(*own))
        except Exception as error:  # noqa: BLE001 - it is raised where all shares are known
            return results, error
    return results, None


def send_message(stream: BinaryIO, content: Any) -> None:
    """Write a message."""
    data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def received_message(stream: BinaryIO) -> bytes | None:
    """Wait for a message and return its bytes, still to be unpickled; None when the other side is gone."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    data = stream.read(length)
    return data if len(data) == length else None


class _Process:
    """A process of :mod:`goldviz.labs.gold_forecast.pool_process` with its share of the members."""

    def __init__(self, build: Callable[[Any], Any], tasks: Sequence[Any]) -> None:
        self.members = len(tasks)
        # It finds the same modules, runs torch on one thread, and is no target of a Ctrl-C that is meant for this one.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            # By -P it imports from nowhere else, as the folder in which this one was started.
            [sys.executable, "-P", "-m", "goldviz.labs.gold_forecast.pool_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self.send((build, list(tasks)))

    def send(self, content: Any) -> None:
        """Hand work over; raises :class:`ProcessPoolError` where nobody is there to take it."""
        try:
            send_message(self._stream(self._process.stdin), content)
        except OSError as error:
            raise self._gone() from error

    def answer(self) -> tuple[list[Any], Exception | None]:
        """Wait for what its members returned; raises :class:`ProcessPoolError` where the process is gone."""
        data = received_message(self._stream(self._process.stdout))
        if data is None:
            raise self._gone()
        answer: tuple[list[Any], Exception | None] = pickle.loads(data)  # noqa: S301 - from our own process
        return answer

    def close(self) -> None:
        """The end of its input ends it."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                self._stream(stream).close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _gone(self) -> ProcessPoolError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_SECONDS)
        return ProcessPoolError(
            f"A process that trained {self.members} of this run's networks died (exit status "
            f"{self._process.returncode}): it was killed from outside, or ran out of memory. Fewer processes need less "
            "memory; GOLDVIZ_REFIT_PROCESSES=1 uses none beside the run's own."
        )

    @staticmethod
    def _stream(stream: Any) -> BinaryIO:
        binary: BinaryIO = stream
        return binary
