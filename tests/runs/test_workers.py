"""Workers and schedulers that really go away, and come back."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, SpecCluster, Worker

from goldviz.runs.execution.execution import Executor
from goldviz.runs.execution.workers import Workers
from goldviz.runs.store.run_store import Store
from tests.ports import free_port
from tests.runs.conftest import ended, same_records, uninterrupted, until
from tests.runs.dask_processes import SLOW, scheduler, until_connected, worker
from tests.runs.toy import Toy

ENDLESS = Toy(epochs=100_000, seconds=0.01)


def kill_workers(executor: Executor) -> None:
    """Kill the worker processes of this executor."""
    cluster = executor._workers._cluster
    assert isinstance(cluster, SpecCluster)
    for nanny in cluster.workers.values():
        os.kill(nanny.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def shared(light_workers: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """One worker, on a store that the module's tests share."""
    executor = Executor(Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'runs.sqlite'}"), workers=1)
    yield executor
    executor.close()
    executor.store.close()


@pytest.fixture
def single(shared: Executor) -> Executor:
    until(lambda: shared.worker_count == 1, SLOW)
    return shared


def test_a_connection_that_was_closed_comes_back_to_the_workers_that_are_up(tmp_path: Path) -> None:
    workers = Workers(0, "", f"sqlite:///{tmp_path / 'runs.sqlite'}")
    try:
        first = workers._cluster
        assert first is not None
        assert first.scheduler is not None
        workers._client.close()
        assert workers.mend()
        assert workers._cluster is first
        assert workers.submit(int, "3").result(timeout=SLOW) == 3
        workers._client.close()
        first.sync(first.scheduler.close)
        assert workers.mend()
        assert first.status.name != "running"
        assert workers.submit(int, "4").result(timeout=SLOW) == 4
    finally:
        workers.close()


@pytest.mark.slow
def test_a_run_whose_worker_died_before_it_began_is_sent_again(single: Executor) -> None:
    kill_workers(single)
    # Sent before anybody has noticed that its worker is gone.
    run_id = single.submit(Toy())
    assert ended(single.store, run_id, SLOW).status == "finished"
    same_records(single.store.load(run_id), uninterrupted(Toy()))


def test_no_task_names_the_database_and_no_stranger_gets_in(single: Executor) -> None:
    run_id = single.submit(Toy(epochs=100_000, seconds=0.01))
    until(lambda: single.store.run(run_id).step > 0, SLOW)
    cluster = single._workers._cluster
    assert isinstance(cluster, SpecCluster)
    assert cluster.scheduler is not None
    [task] = [task for key, task in cluster.scheduler.tasks.items() if run_id in str(key)]
    assert single.store.url not in repr(task.run_spec)
    assert str(cluster.scheduler_address).startswith("tls://127.0.0.1:")
    port = str(cluster.scheduler_address).rpartition(":")[2]
    with pytest.raises((OSError, RuntimeError, TimeoutError)):
        Client(f"tcp://127.0.0.1:{port}", timeout=1, set_as_default=False)
    single.stop(run_id)
    assert ended(single.store, run_id).status == "stopped"


def test_nothing_is_imported_from_where_dask_keeps_files_and_no_port_speaks_http(single: Executor) -> None:
    client, cluster = single._workers._client, single._workers._cluster
    assert cluster is not None
    assert cluster.scheduler is not None
    [nanny] = cluster.workers.values()
    [seen] = client.run(_import_path).values()
    for folder, path in ((nanny.local_directory, sys.path), (seen["folder"], seen["path"])):
        place = Path(folder).parents[0 if folder == nanny.local_directory else 1]
        assert (place.stat().st_uid, stat.S_IMODE(place.stat().st_mode)) == (os.getuid(), 0o700)
        assert [entry for entry in path if Path(entry).is_relative_to(place) or "dask-scratch-space" in entry] == []
    assert [served for server in (cluster.scheduler, nanny) for served in server.services or ()] == []
    assert seen["services"] == []


@pytest.mark.slow
def test_dask_wakes_seldom_while_nothing_happens(single: Executor) -> None:
    client, cluster = single._workers._client, single._workers._cluster
    assert cluster is not None
    assert cluster.scheduler is not None
    # A worker hears with the answer to its first sign of life that the next ones may come later.
    until(lambda: all(times["heartbeat"] < 0.1 for times in client.run(_often).values()), SLOW)
    often = [*client.run(_often).values(), *map(_often, (cluster.scheduler, *cluster.workers.values()))]
    assert sum(sum(times.values()) for times in often) < 5, "times a second, in all processes"


def _often(dask_worker: Any) -> dict[str, float]:
    """How many times a second Dask calls each of what it calls again and again."""
    return {name: 1000 / callback.callback_time for name, callback in dask_worker.periodic_callbacks.items()}


def _import_path(dask_worker: Worker) -> dict[str, Any]:
    return {"folder": dask_worker.local_directory, "path": sys.path, "services": list(dask_worker.services)}


@pytest.mark.slow
def test_a_worker_killed_ten_times_in_a_row_on_a_busy_machine_comes_back(single: Executor) -> None:
    store, spin = single.store, "while True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(4 * (os.cpu_count() or 1))]
    try:
        for turn in range(10):
            run_id = single.submit(ENDLESS)
            until(lambda run_id=run_id: store.run(run_id).step > 1, SLOW)  # type: ignore[misc]
            waiting = single.submit(Toy(epochs=5 + turn))
            os.kill(int(store.run(run_id).attributes["worker"]), signal.SIGKILL)
            assert ended(store, run_id, SLOW).status == "failed"
            assert ended(store, waiting, SLOW).status == "finished"
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_workers_that_dask_gave_up_are_started_anew(single: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.runs.execution.workers.ABSENT_SECONDS", 10.0)
    cluster = single._workers._cluster
    assert isinstance(cluster, SpecCluster)
    [nanny] = cluster.workers.values()
    nanny.auto_restart = False
    kill_workers(single)
    assert ended(single.store, single.submit(Toy()), SLOW).status == "finished"


@pytest.mark.slow
def test_a_scheduler_that_was_away_is_found_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.runs.execution.workers.CONNECT_SECONDS", 1.0)
    port = free_port()
    toy = Toy(epochs=3000, seconds=0.01)
    with scheduler(port) as first, worker(port):
        executor = until_connected(store, port)
        until(lambda: executor.worker_count == 1, SLOW)
        assert executor.missing == ""
        run_id = executor.submit(toy)
        until(lambda: store.run(run_id).step > 20, SLOW)
        first.kill()
        until(lambda: "is away" in executor.missing, SLOW)
    assert executor.missing == (
        f"The Dask scheduler at tcp://127.0.0.1:{port} is away. What is queued starts when it is back."
    )
    run = ended(store, run_id, SLOW)
    assert (run.status, run.message) == (
        "interrupted",
        "The scheduler of its worker went away. The run can be continued.",
    )
    waiting = executor.submit(Toy())
    assert store.run(waiting).status == "queued"
    with scheduler(port), worker(port):
        assert ended(store, waiting, SLOW).status == "finished"
        executor.resume(toy.changed(seconds=0), run_id)
        assert ended(store, run_id, SLOW).status == "finished"
        same_records(store.load(run_id), uninterrupted(toy.changed(seconds=0)))
        executor.close()


@pytest.mark.slow
def test_nobody_waits_for_ever_for_a_scheduler_that_fell_silent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.runs.execution.workers.ANSWER_SECONDS", 0.5)
    port = free_port()
    with scheduler(port) as only, worker(port), ThreadPoolExecutor(3) as others:
        executor = until_connected(store, port)
        until(lambda: executor.worker_count == 1, SLOW)
        only.send_signal(signal.SIGSTOP)
        try:
            asked = [others.submit(ask) for ask in (lambda: executor.missing, executor.probe, executor.devices)]
            silent, probe, devices = (one.result(30) for one in asked)
            waiting = executor.submit(Toy())
        finally:
            only.send_signal(signal.SIGCONT)
        assert silent == "No worker is up at the moment. What is queued starts when one is back."
        assert (probe, devices) == (0.0, [])
        assert ended(store, waiting, SLOW).status == "finished"
        executor.close()


@pytest.mark.slow
def test_a_run_waits_for_a_scheduler_whose_machine_does_not_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goldviz.runs.execution.workers.CONNECT_SECONDS", 4.0)
    monkeypatch.setattr("goldviz.runs.store.run_store.HEARTBEAT_LIMIT", 3.0)
    port = free_port()
    with scheduler(port) as only:
        executor = until_connected(store, port)
        only.kill()
        only.wait()
    try:
        with socket.create_server(("127.0.0.1", port)):
            until(lambda: "is away" in executor.missing, SLOW)
            waiting = executor.submit(Toy())
            for _ in range(60):
                time.sleep(0.2)
                assert store.run(waiting).status == "queued"
        with scheduler(port), worker(port):
            assert ended(store, waiting, SLOW).status == "finished"
    finally:
        executor.close()
