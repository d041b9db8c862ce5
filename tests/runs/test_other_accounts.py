"""What another account of the machine can do to goldviz: its code is not carried out, and no port talks to it."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.ports import free_port
from tests.runs.conftest import until
from tests.runs.dask_processes import SLOW
from tests.runs.other_account import (
    NOBODY,
    as_nobody,
    carried_out,
    folder_of_all,
    needs_another_account,
    open_to_nobody,
)

ROOT = Path(__file__).parents[2]
CLUSTERS = """
from pathlib import Path
import sys

from goldviz.runs.jobs import worker as job_worker
from goldviz.runs.execution import workers
from goldviz.runs.execution.execution import Executor
from goldviz.runs.jobs.jobs import Jobs
from goldviz.runs.store.run_store import Store

workers.WARM_UP = ()
job_worker.WARM_UP = ("goldviz.runs.jobs.worker",)
executor = Executor(Store(f"sqlite:///{Path(sys.argv[1]) / 'runs.sqlite'}"), workers=1)
jobs = Jobs(1)
jobs.warm_up()
print(executor.worker_count)
jobs.close()
executor.close()
"""
OBSERVER = """
import json, os, sys, threading, time

def observe():
    place, last = os.environ["GOLDVIZ_TEST_PATHS"], None
    while True:
        if sys.path != last:
            last = list(sys.path)
            with open(f"{place}/{os.getpid()}.new", "w") as told:
                json.dump(last, told)
            os.replace(told.name, f"{place}/{os.getpid()}.json")
        time.sleep(0.05)

threading.Thread(target=observe, daemon=True).start()
"""
"""Writes down what a process imports from, whenever that changes. Python carries it out in every process."""
SERVE = "import sys; from goldviz.cli import main; sys.exit(main())"
POOL = """
from goldviz.labs.gold_forecast.process_pool import ProcessPool

with ProcessPool(str.upper, ["gold", "silver"], processes=2) as pool:
    print(pool.call("lower"), input())
"""


def environment(place: Path, **more: str) -> dict[str, str]:
    """goldviz's environment with ``place`` as the temporary folder and everything else of its own."""
    own = {"TMPDIR": str(place), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "GOLDVIZ_WORKERS": "1"}
    return {**os.environ, **own, **more}


def started(*command: str, place: Path) -> subprocess.CompletedProcess[str]:
    """A Python process in this folder, at its end."""
    return subprocess.run(
        [sys.executable, *command],
        check=False,
        env=environment(place),
        cwd=place,
        capture_output=True,
        text=True,
        input="\n",
        timeout=SLOW,
    )


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    with folder_of_all() as place:
        yield place


@needs_another_account
def test_code_of_another_account_is_not_carried_out_by_workers(tmp_path: Path, shared_folder: Path) -> None:
    done = started("-P", "-c", CLUSTERS, str(tmp_path), place=shared_folder)
    assert carried_out(shared_folder) == ""
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert sorted(path.name for path in shared_folder.iterdir() if path.suffix != ".py") == ["dask-scratch-space"]


@needs_another_account
def test_code_of_another_account_is_not_carried_out_by_a_process_pool(shared_folder: Path) -> None:
    done = started("-P", "-c", POOL, place=shared_folder)
    assert carried_out(shared_folder) == ""
    assert done.stdout == "['gold', 'silver'] \n", done.stderr


@needs_another_account
@pytest.mark.slow
def test_a_worker_elsewhere_whose_folder_is_somebody_elses_does_not_start(tmp_path: Path) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    (place / "dask-scratch-space").mkdir()
    os.chown(place / "dask-scratch-space", NOBODY, NOBODY)
    worker = (
        "worker",
        "tcp://127.0.0.1:1",
        "--no-nanny",
        "--no-dashboard",
        "--preload",
        "goldviz.runs.execution.worker",
    )
    done = started("-P", "-m", "dask", *worker, place=place)
    assert done.returncode == 1
    assert "This worker does not start: other accounts can write in its folder" in done.stderr
    assert done.stderr.strip().endswith("Name a folder of its own with --local-directory.")


@dataclass(frozen=True)
class Served:
    """A server, started in a temporary folder of all accounts in which another one was first, and a pool's process."""

    processes: tuple[psutil.Process, ...]
    port: int
    folder: Path
    place: Path

    def with_children(self) -> list[psutil.Process]:
        return [one for process in self.processes for one in (process, *process.children(recursive=True))]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    for name in ("observer", "paths"):
        (folder / name).mkdir()
    (folder / "observer" / "sitecustomize.py").write_text(OBSERVER)
    more = {
        "PYTHONPATH": os.pathsep.join([str(folder / "observer"), str(ROOT)]),
        "GOLDVIZ_TEST_PATHS": str(folder / "paths"),
        "GOLDVIZ_DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}",
        "GOLDVIZ_DATA": str(folder / "data"),
    }
    with ExitStack() as stack:
        place = stack.enter_context(folder_of_all())
        log = stack.enter_context((folder / "server.log").open("wb"))
        up = Served(
            tuple(
                # As the command that pip installs: the folder in which it is started is no place to import from.
                psutil.Process(
                    stack.enter_context(
                        ended(
                            subprocess.Popen(
                                [sys.executable, "-P", "-c", *script],
                                env=environment(place, **more),
                                cwd=place,
                                stdin=subprocess.PIPE,
                                stdout=log,
                                stderr=log,
                                start_new_session=True,
                            )
                        )
                    ).pid
                )
                for script in ((SERVE, "serve", "--port", str(port)), (POOL,))
            ),
            port,
            folder,
            place,
        )
        # A scheduler, a nanny and a worker for runs, and the same for jobs.
        until(lambda: len(ports(up)) >= 1 + 2 * 3 and "pool_process" in commands(up), SLOW)
        until(lambda: {one.pid for one in up.with_children()} <= set(seen(up)), SLOW)
        yield up


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process, which is ended afterwards."""
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=SLOW)


def commands(served: Served) -> str:
    """The command lines of its processes."""
    return " ".join(word for one in served.with_children() for word in one.cmdline())


def ports(served: Served) -> list[int]:
    """Where its processes listen."""
    listening = [
        connection.laddr
        for one in served.with_children()
        for connection in one.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert {address.ip for address in listening} <= {"127.0.0.1"}
    return [address.port for address in listening]


def seen(served: Served) -> dict[int, list[str]]:
    """What each process imports from."""
    return {int(told.stem): json.loads(told.read_text()) for told in (served.folder / "paths").glob("*.json")}


@pytest.mark.slow
@needs_another_account
def test_no_process_imports_from_where_another_account_can_write(served: Served) -> None:
    assert open_to_nobody({entry for path in seen(served).values() for entry in path}) == []
    assert carried_out(served.place) == ""


@pytest.mark.slow
@needs_another_account
def test_another_account_reads_command_lines_alone(served: Served) -> None:
    scratch = next(path for path in served.place.iterdir() if path.name.startswith("goldviz-"))
    files = [f"/proc/{one.pid}/{name}" for one in served.with_children() for name in ("environ", "maps", "cmdline")]
    read = as_nobody(READ, *files, served.folder / "runs.sqlite", scratch).split()
    assert read == [name for name in files if name.endswith("cmdline")]


READ = """
    import os, sys
    for name in sys.argv[1:]:
        try:
            os.listdir(name) if os.path.isdir(name) else open(name, "rb").read(1)
            print(name)
        except PermissionError:
            pass
"""


@pytest.mark.slow
@needs_another_account
def test_no_port_but_its_own_answers_without_a_key(served: Served) -> None:
    assert [port for port in ports(served) if answers(port)] == [served.port]


def answers(port: int) -> bool:
    """Whether somebody speaks HTTP at a port, whatever is asked."""
    found = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as asking:
        asking.sendall(b"GET /info/main/workers.html HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = asking.recv(100)
    return found.startswith(b"HTTP/")
