"""Work for job workers: functions of a module, as they travel to another process."""

import importlib
import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from goldviz.runs.execution import limits
from goldviz.runs.jobs.jobs import Report


class NoSuchThingError(ValueError):
    for_a_person = True


def counted(report: Report, total: int, folder: str) -> dict[str, Any]:
    """Count to ``total``, one for every file of that number in ``folder``; tell who counted."""
    for done in range(total):
        report(done, total)
        while not (Path(folder) / str(done)).exists():
            time.sleep(0.01)
            report(done, total)
    return {"pid": os.getpid(), "numbers": np.arange(total)}


def process(report: Report) -> int:
    return os.getpid()


def wrong(report: Report, sentence: str) -> None:
    if sentence:
        raise NoSuchThingError(sentence)
    raise KeyError("secret/path")


class PanicException(BaseException):
    """What a library in Rust raises."""


def panic(report: Report) -> None:
    raise PanicException


def unsendable(report: Report) -> object:
    return threading.Lock()


def model_name(report: Report, name: str) -> str:
    from goldviz.text_models import text_model

    return text_model(name).name


def beside_a_driver(report: Report) -> int:
    """Make this worker's process as it is where an NVIDIA driver is: the system holds it to nothing."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    limits.NVIDIA_DRIVER = Path(__file__)
    return os.getpid()


def greedy(report: Report, megabytes: int, folder: str) -> int:
    """Take memory step by step, and hold it for a while where there is no more."""
    held = []
    try:
        for done in range(0, megabytes, 50):
            report(done, megabytes)
            held.append(np.ones(50 * 2**17))
    except MemoryError:
        Path(folder, "full").touch()
        time.sleep(2.0)
        raise
    return len(held)


def modest(report: Report, folder: str) -> int:
    """Take two hundred megabytes once somebody else has taken all."""
    while not Path(folder, "full").exists():
        report(0, 1)
        time.sleep(0.01)
    np.ones(200 * 2**17)
    return os.getpid()


def importing(report: Report, folder: str) -> None:
    """Import a module of ``folder``, and then work without an end."""
    sys.path.insert(0, folder)
    try:
        importlib.import_module("slow_for_jobs")
    finally:
        sys.path.remove(folder)
    endless(report)


def short_at_first(report: Report, folder: str) -> int:
    """Run out of memory once."""
    if not Path(folder, "short").exists():
        Path(folder, "short").touch()
        raise MemoryError
    return os.getpid()


def endless(report: Report) -> None:
    """Work that never tells how far it is."""
    while True:
        time.sleep(0.01)
