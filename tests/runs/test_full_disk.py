"""A disk that is full while a run grows: it is told, nothing recorded earlier is lost, and with room it goes on."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from goldviz.api import RunFailedError, _run_kept
from goldviz.runs.execution import worker
from goldviz.runs.execution.execution import NO_END, NO_ROOM, Executor
from goldviz.runs.execution.worker import DISK_FULL, execute
from goldviz.runs.recorder import Progress
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import ended, same_records, uninterrupted, until
from tests.runs.test_strangers import small_disk
from tests.runs.toy import Toy

TOY = Toy(epochs=300, seconds=0.01, size=2000, seeds=(0,))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 4000):
        yield tmp_path / "disk"


def fill(disk: Path) -> Path:
    """Leave no room; returns the file that takes it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as written:
        try:
            while True:
                written.write(bytes(min(4096, shutil.disk_usage(disk).free or 4096)))
        except OSError:
            return filler


def test_a_run_tells_that_its_disk_is_full_and_goes_on_with_room(disk: Path) -> None:
    store, told = Store(f"sqlite:///{disk / 'runs.sqlite'}"), list[str]()
    run_id = store.create(TOY)
    thread = threading.Thread(target=execute, args=(TOY, run_id, store.url), kwargs={"trouble": told.append})
    thread.start()
    until(lambda: store.run(run_id).step > 20)
    filler = fill(disk)
    until(lambda: bool(told))
    assert told == [store.full]
    assert "cannot be written: the disk is full. Make room on it" in store.full
    kept = store.load(run_id)
    assert kept.sizes["epoch"] > 10
    filler.unlink()
    thread.join()
    assert (store.run(run_id).status, told[-1], store.full) == ("finished", "", "")
    same_records(store.load(run_id), uninterrupted(TOY.changed(seconds=0)))
    store.close()


@pytest.mark.slow
def test_a_run_that_found_no_room_to_the_end_can_be_continued(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", 1.0)
    store, before = Store(f"sqlite:///{disk / 'runs.sqlite'}"), list[int]()
    executor = Executor(store, workers=0)
    run_id = executor.submit(TOY)
    until(lambda: store.run(run_id).step > 20)
    filler = fill(disk)
    until(lambda: executor.trouble(run_id) == store.full != "")
    before.append(store.load(run_id).sizes["epoch"])
    until(lambda: not executor._futures, 60)
    assert executor.trouble(run_id) == ""
    filler.unlink()
    until(lambda: store.run(run_id).message == NO_ROOM)
    assert store.run(run_id).status == "interrupted"
    assert store.load(run_id).sizes["epoch"] >= before[0]
    executor.resume(TOY, run_id)
    assert ended(store, run_id, 60).status == "finished"
    same_records(store.load(run_id), uninterrupted(TOY.changed(seconds=0)))
    executor.close()
    store.close()


def test_what_a_run_came_to_is_said_where_its_end_cannot_be_written(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", 0.5)
    store = Store(f"sqlite:///{disk / 'runs.sqlite'}")
    run_id = store.create(TOY)

    def fill_up(progress: Progress) -> None:
        if not (disk / "filler").exists():
            fill(disk)

    assert execute(TOY, run_id, store.url, watch=fill_up) == DISK_FULL
    store.close()


@pytest.mark.slow
def test_a_kept_run_of_a_notebook_says_that_its_disk_was_full(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{disk / 'runs.sqlite'}")

    def fill_up(progress: Progress) -> None:
        if not (disk / "filler").exists():
            fill(disk)

    with pytest.raises(RunFailedError, match=r"^The end of run \S+ could not be written .*: the disk is full\. What"):
        _run_kept(TOY, fill_up, None)


@pytest.mark.slow
def test_a_database_that_takes_nothing_for_another_reason_is_not_told_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PATIENCE_SECONDS", 0.5)
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    executor = Executor(store, workers=0)
    run_id = executor.submit(TOY)
    until(lambda: store.run(run_id).step > 20)
    with closing(sqlite3.connect(store.place, timeout=30, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        until(lambda: not executor._futures, 120)
        other.execute("ROLLBACK")
    until(lambda: store.run(run_id).message == NO_END)
    assert store.run(run_id).status == "interrupted"
    executor.close()
    store.close()
