"""What a run may take of the machine: checked before it starts, against what its settings say they need."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from goldviz.declare.settings import SettingsError, label, schemas
from goldviz.plain_files import content_of

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment

MEMORY, SECONDS = "GOLDVIZ_RUN_MEMORY_MB", "GOLDVIZ_RUN_SECONDS"
JOB_MEMORY = "GOLDVIZ_JOB_MEMORY_MB"
A_DAY = 86_400
SHARE = 0.75
"""Of the machine's memory, for all runs that train at once; the rest is for the server and the operating system."""
JOBS_SHARE = 0.2
"""Of the machine's memory, for all jobs at once."""
LEAST_BYTES = 256 * 10**6
WORKER_BYTES = 2**30
"""What a worker has beside its run: Python, torch, and the stacks of its threads."""
WORKER_LIMIT = "GOLDVIZ_WORKER_BYTES"
"""Tells a worker process how much memory it may have."""
NVIDIA_DRIVER = Path("/dev/nvidiactl")
LONGEST_LIMIT = 100
CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class LimitsError(ValueError):
    """A limit that is not allowed; the message is a sentence for a person."""

    for_a_person = True


def run_bytes(at_once: int = 1) -> int:
    """``GOLDVIZ_RUN_MEMORY_MB`` in bytes: what a run may take, or its share of the machine with so many ``at_once``.

    Raises :class:`LimitsError`.
    """
    megabytes = _whole_number(MEMORY)
    return megabytes * 10**6 if megabytes else max(LEAST_BYTES, int(SHARE * machine_bytes() / max(at_once, 1)))


def job_bytes(processes: int = 1) -> int:
    """``GOLDVIZ_JOB_MEMORY_MB`` in bytes: what the jobs of a worker process may take together, or its share.

    Raises :class:`LimitsError`.
    """
    megabytes = _whole_number(JOB_MEMORY)
    return megabytes * 10**6 if megabytes else max(LEAST_BYTES, int(JOBS_SHARE * machine_bytes() / max(processes, 1)))


def run_seconds() -> float:
    """``GOLDVIZ_RUN_SECONDS``: how long any run may train; a day by default. Raises :class:`LimitsError`."""
    return float(_whole_number(SECONDS) or A_DAY)


def _whole_number(name: str) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:20]) < 10**12:
        raise LimitsError(f"{name} is {text[:40]!r}; allowed is a whole number from 1 on.")
    return int(text)


def machine_bytes() -> int:
    """The machine's memory, or the container's where that is less."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else [8 * 10**9]
    for file in map(Path, CONTAINER_LIMITS):
        with suppress(OSError, ValueError):
            sizes.append(int(content_of(file, LONGEST_LIMIT)))
    return min(sizes)


def check(settings: Experiment, at_once: int = 1, slower: float = 1.0) -> None:
    """Raise :class:`SettingsError` for a run that would take more memory or time than there is.

    The sentence names the setting to lower, and how far. ``slower`` is how many times as long as estimated runs take
    here.
    """
    memory, seconds = run_bytes(at_once), run_seconds()
    if (need := settings.estimated_bytes()) > memory:
        fewer = _remedy(settings, _for_memory(settings), lambda trial: trial.estimated_bytes(), memory)
        sentence = f"This run would take about {gigabytes(need)} of memory; a run may take {gigabytes(memory)} here."
        raise SettingsError({"memory": f"{sentence} {fewer}"})
    if (need := slower * settings.estimated_seconds()) > seconds:
        fewer = _remedy(settings, _for_time(settings), lambda trial: slower * trial.estimated_seconds(), seconds)
        sentence = f"This run would take about {hours(need)}; a run may take {hours(seconds)} here."
        raise SettingsError({"time": f"{sentence} {fewer}"})


def _for_memory(settings: Experiment) -> list[str]:
    return list(dict.fromkeys([*settings.smaller, *_whole_settings(settings), "seeds"]))


def _for_time(settings: Experiment) -> list[str]:
    numbers_of_steps = [name for name in _whole_settings(settings) if "steps" in name or "epochs" in name]
    return list(dict.fromkeys([*numbers_of_steps, *settings.smaller, *_whole_settings(settings), "seeds"]))


def _whole_settings(settings: Experiment) -> Iterator[str]:
    all_schemas = schemas(type(settings))
    return (
        name for name in all_schemas if all_schemas[name].get("type") == "integer" and "minimum" in all_schemas[name]
    )


def _remedy(settings: Experiment, names: list[str], needs: Callable[[Experiment], float], bound: float) -> str:
    """The first of these settings that makes the run fit when it alone is lowered, and how far it has to be."""
    for name in names:
        largest = _largest(settings, name, lambda trial: needs(trial) <= bound)
        if largest:
            what = "Name fewer seeds" if name == "seeds" else f"Lower {label(name).lower()}"
            return f"{what}: at most {largest}."
    lower = [name for name in names if needs(_lowest(settings, [name])) < needs(settings)]
    if not lower or needs(_lowest(settings, lower)) > bound:
        return "Even the smallest such run takes more."
    return f"Lower several of {', '.join(label(name).lower() for name in lower[:4])}."


def _lowest(settings: Experiment, names: list[str]) -> Experiment:
    all_schemas = schemas(type(settings))
    return settings.model_copy(
        update={name: settings.seeds[:1] if name == "seeds" else all_schemas[name]["minimum"] for name in names}
    )


def _largest(settings: Experiment, name: str, fits: Callable[[Experiment], bool]) -> int:
    """The largest value of a whole setting, or number of seeds, with which a run fits; 0 where there is none."""
    seeds = name == "seeds"
    low = 1 if seeds else int(schemas(type(settings))[name]["minimum"])
    high = len(settings.seeds) if seeds else int(getattr(settings, name))

    def fitting(value: int) -> bool:
        return fits(settings.model_copy(update={name: settings.seeds[:value] if seeds else value}))

    if low >= high or low < 1 or not fitting(low):
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fitting(middle) else (low, middle)
    return low


def gigabytes(count: float) -> str:
    """Bytes as people read them.

    >>> gigabytes(2.04e9), gigabytes(256e6)
    ('2.0 GB', '256 MB')
    """
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def hours(seconds: float) -> str:
    """Seconds as people read them.

    >>> hours(1_209_600), hours(5400), hours(90)
    ('14 days', '1.5 hours', '1.5 minutes')
    """
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.0f} seconds"


def ran_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that there was no more memory: Python's own, or one of torch's or Arrow's."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or "allocate memory" in text or "out of memory" in text or "bad_alloc" in text


def system_holds() -> bool:
    """Whether the system can hold a process to an amount of data: Linux does, but counts what is only reserved.

    An NVIDIA driver reserves far more than it uses.
    """
    return sys.platform == "linux" and not NVIDIA_DRIVER.exists()


def hold_to_memory(limit: int) -> None:
    """Let this process have no more than so many bytes of data: what asks for more fails with an error of its own.

    Nothing is done where :func:`system_holds` says that it cannot be.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        if system_holds():
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
