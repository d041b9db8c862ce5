"""Files from strangers, read by a process of its own that may take so much memory and time and no more."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import psutil
import pyarrow as pa

from goldviz.data.markets.market import MarketError
from goldviz.data.tables import hold_process
from goldviz.data.tables.file_table import Report, unheard
from goldviz.data.tables.hold_process import held
from goldviz.data.tables.whole_files import disk_faults_as

LOOK_SECONDS = 0.02
PLAIN_MEMORY = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
"""Arrow's own pools reserve a gigabyte of addresses at once, which the system counts."""


class DamagedError(ValueError):
    """The script could not read the file."""


def read_apart(
    script: ModuleType,
    content: bytes,
    arguments: Sequence[str],
    limits: tuple[int, float],
    file: str,
    too_much: str,
    report: Report = unheard,
    seconds_expected: float = 1.0,
) -> tuple[dict[str, Any], pa.Buffer]:
    """What a script says of the bytes of a file, a line of JSON, and what it writes behind that.

    The script is given the paths of the file and of its result, and the arguments. It is ended beyond its ``limits``,
    bytes of memory and seconds of a core, and by the system beyond twice as much. Raises :class:`MarketError` with the
    sentence ``too_much`` then, and :class:`DamagedError` where it fails; what ``report`` raises is passed on.
    """
    most_memory, most_seconds = limits
    with disk_faults_as(MarketError, f"{file} cannot be read on this machine"), TemporaryDirectory() as folder:
        source, result = Path(folder, "source"), Path(folder, "result")
        source.write_bytes(content)
        command = held(script, 2 * most_memory, round(2 * most_seconds), str(source), str(result), *arguments)
        surroundings, nowhere, beyond = os.environ | PLAIN_MEMORY, subprocess.DEVNULL, False
        with subprocess.Popen(command, env=surroundings, stdout=nowhere, stderr=nowhere) as process:
            try:
                while process.poll() is None and not beyond:
                    with suppress(psutil.Error):
                        memory, seconds = _taken(process.pid)
                        report(min(seconds, 0.99 * seconds_expected) + 1e-3, seconds_expected)
                        beyond = memory > most_memory or seconds > most_seconds
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_SECONDS)
            finally:
                process.kill()
        # A library that gets no memory ends its process by a signal.
        if beyond or process.returncode < 0 or process.returncode == hold_process.MEMORY:
            raise MarketError(too_much, "too_large")
        if process.returncode:
            raise DamagedError
        with open(result, "rb") as answer:
            return json.loads(answer.readline()), pa.py_buffer(np.fromfile(answer, np.uint8))


def _taken(process: int) -> tuple[int, float]:
    """What a process has in memory, and the seconds of a core that it took."""
    child = psutil.Process(process)
    return child.memory_info().rss, sum(child.cpu_times()[:2])
