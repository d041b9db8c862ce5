"""A Streamlit server of its own for a benchmark: goldviz, or any other script, started in the same way."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A server that answers at ``port``."""

    port: int
    process: psutil.Process

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu_seconds(self) -> float:
        """Processor time that the server itself has taken; its workers are not counted."""
        used = self.process.cpu_times()
        return float(used.user + used.system)

    def workers_cpu_seconds(self) -> float:
        """Processor time that the processes under the server have taken."""
        times = [child.cpu_times() for child in self.process.children(recursive=True)]
        return float(sum(used.user + used.system for used in times))

    def megabytes(self) -> float:
        """Resident memory of the server itself."""
        return float(self.process.memory_info().rss) / 2**20


@contextmanager
def running(script: Path, folder: Path, *, workers: int = 1) -> Iterator[Server]:
    """Serve a script with goldviz's own configuration and a database in ``folder``, until the block ends."""
    if script.parent != ROOT:
        shutil.copytree(ROOT / ".streamlit", script.parent / ".streamlit", dirs_exist_ok=True)
    port = _free_port()
    environment = {
        **os.environ,
        "GOLDVIZ_DATABASE_URL": database(folder),
        "GOLDVIZ_WORKERS": str(workers),
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    log = folder / f"server-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=script.parent)
    try:
        _wait_until_healthy(process, port, log)
        yield Server(port, psutil.Process(process.pid))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def database(folder: Path) -> str:
    """The address of the database that a server with this folder uses."""
    return f"sqlite:///{folder / 'runs.sqlite'}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise RuntimeError(f"The server did not come up:\n{log.read_text()}")
