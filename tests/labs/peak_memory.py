"""The memory that a run takes, in a process of its own: ``python -m tests.labs.peak_memory <laboratory> <settings>``.

The peak is the kernel's own count (``VmHWM``): what Python's allocator knows of holds no tensor, and ``ru_maxrss``
begins with what the process that started this one had.
"""

import json
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.registry import experiments
from goldviz.runs.execution.limits import hold_to_memory
from goldviz.runs.execution.spare_time import LATER, SpareTime
from goldviz.runs.execution.workers import WARM_UP
from goldviz.runs.recorder import Batch, Ended, Progress, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks

AT_MOST_BYTES = 6 * 10**9
"""Of this process, whatever a run says that it needs."""
ENOUGH_SECONDS = 240


class Forgetting(Memory):
    """A sink that keeps nothing, as a worker's records go to the database."""

    def batch(self, batch: Batch, progress: Progress) -> None:
        self.progress = progress


class EnoughError(Exception):
    pass


def megabytes(name: str) -> float:
    """What the kernel says of this process: VmRSS now, VmHWM at most."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) * 1024 / 1e6


def enough(*_signal: object) -> None:
    raise EnoughError


def main() -> None:
    name, changes = sys.argv[1], json.loads(sys.argv[2])
    settings = experiments()[name].checked(changes)
    for module in WARM_UP:
        import_module(module)
    SpareTime().load(LATER, rest=0)
    hold_to_memory(AT_MOST_BYTES)
    signal.signal(signal.SIGALRM, enough)
    signal.alarm(ENOUGH_SECONDS)
    before, began, sink, ended = megabytes("VmRSS"), time.monotonic(), Forgetting(), "finished"
    try:
        laboratory_of(settings).run(settings, Recorder(settings, sink, NobodyAsks()))
    except (Ended, EnoughError, MemoryError, RuntimeError) as error:
        ended = f"{type(error).__name__}: {error}"
    with suppress(EnoughError):
        signal.alarm(0)
    told = {
        "estimate": round(settings.estimated_bytes() / 1e6),
        "peak": round(megabytes("VmHWM") - before),
        "before": round(before),
        "steps": sink.progress.step,
        "seconds": round(time.monotonic() - began, 1),
        "ended": ended[:80],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
