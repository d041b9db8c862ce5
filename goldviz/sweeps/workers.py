"""The worker processes of a sweep: plain ones, so that a script or a notebook needs no guard for them.

One that dies takes its cell along, no other, and is started again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Queue
from threading import Event, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

from goldviz.runs.execution.processes import processes_for_run

KILLED = -9


class SweepError(RuntimeError):
    """A sweep that cannot go on; the message is a sentence for a person."""

    for_a_person = True


class Task(NamedTuple):
    """A run to carry out, and the key under which it is kept."""

    key: str
    experiment: str
    settings: str


class Outcome(NamedTuple):
    """What came of a run: a sentence where it failed, and how long it took."""

    key: str
    failed: str
    seconds: float


class Workers:
    """So many processes; each takes the next task when it has done one. Leaving the context ends them at once."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._told: Queue[Outcome | float | SweepError] = Queue()
        self._tasks: deque[Task] = deque()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._over = Event()

    def __enter__(self) -> Self:
        for number in range(self._count):
            self._processes[number] = self._started(probe=number == 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        for process in list(self._processes.values()):
            process.kill()
        for process in list(self._processes.values()):
            _buried(process)

    def probe(self) -> float:
        """How fast this machine is, by the first worker once it is ready. Raises :class:`SweepError`."""
        return self._ready(self._processes[0])

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """What comes of each task, as it comes. Ask for :meth:`probe` first. Raises :class:`SweepError`."""
        self._tasks.extend(tasks)
        for number in range(self._count):
            Thread(target=self._serve, args=(number,), daemon=True).start()
        for _ in range(len(tasks)):
            told = self._told.get()
            if isinstance(told, SweepError):
                raise told
            assert isinstance(told, Outcome)
            yield told

    def _serve(self, number: int) -> None:
        ready = number == 0
        while not self._over.is_set():
            try:
                task = self._tasks.popleft()
            except IndexError:
                return
            process = self._processes[number]
            try:
                if not ready:
                    self._ready(process)
                    ready = True
                self._told.put(Outcome(**self._asked(process, task)))
            except SweepError as error:
                self._told.put(error)
                return
            except (OSError, ValueError, EOFError):
                if self._over.is_set():
                    return
                self._told.put(Outcome(task.key, _death(_buried(process)), 0.0))
                self._processes[number], ready = self._started(), False

    def _started(self, probe: bool = False) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "GOLDVIZ_REFIT_PROCESSES": str(processes_for_run(self._count)),
        }
        # A session of its own, so that Ctrl-C is for the sweep alone; by -P it imports what the sweep does.
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "goldviz.sweeps.worker", *(["--probe"] if probe else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )

    def _ready(self, process: subprocess.Popen[bytes]) -> float:
        line = process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            code = process.wait()
            raise SweepError(f"The workers cannot start (exit status {code}); what they said is on the error stream.")
        return float(json.loads(line)["ready"])

    def _asked(self, process: subprocess.Popen[bytes], task: Task) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(task._asdict()).encode() + b"\n")
        process.stdin.flush()
        if not (line := process.stdout.readline()):
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer


def _buried(process: subprocess.Popen[bytes]) -> int:
    """The exit status of a process that has ended, whose pipes are closed."""
    code = process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            stream.close()  # type: ignore[union-attr]
    return code


def _death(code: int) -> str:
    how = "the system ended it, as it does where memory runs out" if code == KILLED else f"exit status {code}"
    return f"The worker process died in this run: {how}."
