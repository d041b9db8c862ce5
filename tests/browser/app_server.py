"""A goldviz server of its own for a test."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).parents[2]


@dataclass
class Server:
    """A running goldviz: its address, its process, its database."""

    address: str
    process: subprocess.Popen[bytes]
    database: str

    def kill(self) -> None:
        """Take it away without a warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def own_faults(log: Path) -> list[str]:
    """The tracebacks of a server's log that go through goldviz: a connection that a visitor drops is told by others."""
    ours = re.compile(rf'File "{re.escape(str(ROOT))}/(goldviz|pages|app\.py)')
    tracebacks = log.read_text().split("Traceback (most recent call last):")[1:]
    return [text for text in tracebacks if ours.search(text)]


def environment_of(database: str, folder: Path, workers: int, more: Mapping[str, str]) -> dict[str, str]:
    """What a server's process is told, with its data in this folder."""
    return {
        **os.environ,
        "GOLDVIZ_DATABASE_URL": database,
        "GOLDVIZ_WORKERS": str(workers),
        "GOLDVIZ_DATA": str(folder / "markets"),
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        **more,
    }


@contextmanager
def running(
    database: str,
    log: Path,
    workers: int = 1,
    more: Mapping[str, str] | None = None,
    script: Path = ROOT / "app.py",
    base: str = "",
    python: Path = Path(sys.executable),
) -> Iterator[Server]:
    """goldviz on a free port with its own database and data, until the block ends; ``more`` goes to its environment,
    and ``base`` is the path below which that has it answer. ``python`` is of the environment that serves it."""
    port = free_port()
    environment = environment_of(database, log.parent, workers, more or {})
    command = [str(python), "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=log.parent)
    server = Server(f"http://127.0.0.1:{port}{base}", process, database)
    try:
        _wait_until_healthy(server, log)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_healthy(server: Server, log: Path) -> None:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if server.process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"the server did not come up:\n{log.read_text()}")
