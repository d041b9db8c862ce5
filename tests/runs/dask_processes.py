"""A Dask scheduler and a worker in processes of their own, as on a server that has them elsewhere."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from goldviz.runs.execution.execution import ExecutionError, Executor
from goldviz.runs.store.run_store import Store

SLOW = 240.0
"""Starting a process takes long where all cores are busy."""


@contextmanager
def dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Dask's own command, with goldviz at hand."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", "dask", *arguments], env=environment, **silent)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(port: int) -> Iterator[subprocess.Popen[bytes]]:
    with dask("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard") as process:
        yield process


@contextmanager
def worker(port: int) -> Iterator[subprocess.Popen[bytes]]:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "120")
    with dask("worker", f"tcp://127.0.0.1:{port}", *options) as process:
        yield process


def until_connected(store: Store, port: int) -> Executor:
    """The executor of a server that is started together with its scheduler: refused at first, then not."""
    with pytest.raises(ExecutionError, match=r"No run can start: the Dask scheduler at tcp://127\.0\.0\.1:1 cannot"):
        Executor(store, scheduler="tcp://127.0.0.1:1")
    deadline = time.monotonic() + SLOW
    while time.monotonic() < deadline:
        with suppress(ExecutionError):
            return Executor(store, scheduler=f"tcp://127.0.0.1:{port}")
    pytest.fail("the scheduler did not come up")
