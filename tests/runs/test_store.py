import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from goldviz.runs.execution.worker import execute
from goldviz.runs.recorder import Batch, Command, Progress
from goldviz.runs.store import schema
from goldviz.runs.store.migrations import SCHEMA_VERSION
from goldviz.runs.store.run_store import HEARTBEAT_LIMIT, NAME_LENGTH, Store, UnknownRunError
from goldviz.runs.store.schema import StoreBusyError, StoreError, default_url, settled, shown
from tests.runs.conftest import aged, same_records, uninterrupted
from tests.runs.toy import Toy


def written(store: Store, run_id: str, step: int, **what: Any) -> None:
    batch = Batch(step)
    batch.add("norm", step, np.array([step], np.float32))
    store.append(run_id, Progress(step, 30, float(step), 0.0), batch=batch, **what)


def file_of(store: Store) -> Path:
    return Path(store.place)


# -- what is kept --------------------------------------------------------------------------------------------------


def test_a_new_run_waits_and_remembers_its_settings(store: Store) -> None:
    run_id = store.create(Toy(epochs=5), name="  first\n run \x00 ")
    run = store.run(run_id)
    assert (run.status, run.name, run.step, run.total, run.experiment) == ("queued", "first run", 0, 5, "toy")
    assert Toy.checked_json(run.settings) == Toy(epochs=5)
    assert run.unfinished
    assert run.seconds_left is None
    assert replace(run, step=2, total=8, seconds=10.0).seconds_left == 30


@given(name=st.text(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_any_name_can_be_kept_on_one_line(store: Store, name: str) -> None:
    run_id = store.create(Toy())
    store.rename(run_id, name)
    kept = store.run(run_id).name
    assert kept.isprintable()
    assert len(kept) <= NAME_LENGTH
    assert kept.split() == "".join(c if c.isprintable() else " " for c in name).split() or len(name) >= NAME_LENGTH


def test_a_run_ends_whatever_signs_its_last_words_have(store: Store) -> None:
    run_id = store.create(Toy())
    mark = {"step": 1, "text": "rate\0", "changes": {}}
    store.append(run_id, Progress(1, 5, 0.0, 0.0), new_marks=[mark], status="failed", message="No cat\udcff.png, a\0b")
    assert (store.run(run_id).status, store.run(run_id).message) == ("failed", "No cat?.png, a\u2400b")
    store.set_status(run_id, "interrupted", "half a pair \ud800")
    assert store.run(run_id).message == "half a pair ?"


def test_runs_are_listed_newest_first_and_filtered(store: Store) -> None:
    ids = [store.create(Toy(), name=f"run 100% {i}") for i in range(5)]
    store.set_status(ids[1], "finished")
    found, total = store.list(limit=2, offset=1)
    assert ([run.id for run in found], total) == ([ids[3], ids[2]], 5)
    assert [run.id for run in store.list(status="finished")[0]] == [ids[1]]
    assert store.list(text="100% 4")[1] == 1
    assert store.list(text="100_")[1] == 0
    assert store.list(text=ids[2])[0][0].id == ids[2]
    assert store.list(experiment="other") == ([], 0)
    assert store.count_unfinished() == 4


def test_an_unknown_run_is_named(store: Store) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.run("abc"),
        lambda: store.rename("abc", "x"),
        lambda: store.set_status("abc", "stopped"),
        lambda: store.load("abc"),
        lambda: store.begin("abc"),
        lambda: store.enqueue("abc"),
        lambda: store.fork("abc", 0, Toy()),
        lambda: written(store, "abc", 1),
    ]
    for call in calls:
        with pytest.raises(UnknownRunError, match="There is no run 'abc' in this store"):
            call()


def test_deleting_forgets_everything(store: Store) -> None:
    run_id, other = store.create(Toy()), store.create(Toy())
    written(
        store, run_id, 1, once={"end": np.zeros(1, np.float32)}, checkpoint=(1, b"x"), new_marks=[_mark(1, drift=1.0)]
    )
    store.command(run_id, Command("stop"))
    store.delete([run_id, "unknown"])
    with sqlite3.connect(file_of(store)) as connection:
        tables = ("runs", "batches", "finals", "states", "marks", "orders")
        assert [connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables] == [
            1,
            0,
            0,
            0,
            0,
            0,
        ]
    connection.close()
    assert store.run(other)


def _mark(step: int, **changes: float) -> dict[str, Any]:
    return {"step": step, "text": "changed", "changes": changes}


def test_an_order_is_taken_once(store: Store) -> None:
    run_id = store.create(Toy())
    store.command(run_id, Command("change", {"drift": 0.5}))
    store.command(run_id, Command("stop"))
    assert store.take_commands(run_id) == [Command("change", {"drift": 0.5}), Command("stop", {})]
    assert store.take_commands(run_id) == []


# -- who may write -------------------------------------------------------------------------------------------------


def test_of_many_that_begin_a_run_one_gets_it(store: Store) -> None:
    run_id = store.create(Toy())
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(store.begin(run_id))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(start is not None for start in got) == 1


def test_a_worker_that_lost_its_run_to_another_cannot_write_any_more(store: Store) -> None:
    run_id = store.create(Toy())
    first = store.begin(run_id)
    assert first is not None
    written(store, run_id, 1, lease=first.lease)
    store.set_status(run_id, "interrupted")
    assert store.enqueue(run_id)
    second = store.begin(run_id)
    assert second is not None
    with pytest.raises(UnknownRunError):
        written(store, run_id, 2, lease=first.lease)
    with pytest.raises(UnknownRunError):
        store.sign_of_life(run_id, first.lease)
    written(store, run_id, 1, lease=second.lease)
    assert store.load(run_id)["norm"].sizes["epoch"] == 1


def test_a_silent_run_is_interrupted_and_a_late_sign_of_life_brings_it_back(store: Store) -> None:
    run_id, waiting = store.create(Toy()), store.create(Toy())
    start = store.begin(run_id)
    assert start is not None
    assert store.interrupt_silent() == 0
    aged(store, 60)
    store.touch([run_id, waiting])
    assert store.interrupt_silent() == 1
    assert store.run(waiting).status == "queued"
    run = store.run(run_id)
    assert run.status == "interrupted"
    assert "can be continued" in run.message
    store.sign_of_life(run_id, start.lease)
    assert (store.run(run_id).status, store.run(run_id).message) == ("running", "")
    assert store.run(run_id).version > run.version


@pytest.mark.parametrize("ahead", [3600.0, -3600.0])
def test_a_worker_whose_clock_is_off_is_not_taken_for_dead(
    store: Store, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    now = time.time()
    run_id, silent = store.create(Toy()), store.create(Toy())
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(time, "time", lambda: now + ahead)
        start, gone = store.begin(run_id), store.begin(silent)
        assert start is not None
        assert gone is not None
        written(store, run_id, 1, lease=start.lease)
        store.sign_of_life(run_id, start.lease)
    assert store.interrupt_silent() == 0
    aged(store, HEARTBEAT_LIMIT + 1)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(time, "time", lambda: now + ahead)
        store.sign_of_life(run_id, start.lease)
    assert store.interrupt_silent() == 1
    assert (store.run(run_id).status, store.run(silent).status) == ("running", "interrupted")


def test_a_watcher_whose_clock_is_off_interrupts_the_silent_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, run_id = time.time(), store.create(Toy())
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert store.interrupt_silent() == 0
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    aged(store, HEARTBEAT_LIMIT + 1)
    assert store.interrupt_silent() == 1
    assert store.run(run_id).status == "interrupted"


def test_going_on_forgets_what_came_after_the_last_kept_step(store: Store) -> None:
    run_id = store.create(Toy())
    start = store.begin(run_id)
    assert start is not None
    for step in range(1, 6):
        kept = (step, b"state %d" % step) if step == 3 else None
        marked = [_mark(step, drift=step / 10)] if step in (2, 3, 4) else []
        written(store, run_id, step, lease=start.lease, checkpoint=kept, new_marks=marked)
    store.set_status(run_id, "interrupted")
    store.command(run_id, Command("stop"))
    store.command(run_id, Command("change", {"drift": 0.9}))
    assert store.enqueue(run_id)
    assert not store.enqueue(run_id)
    again = store.begin(run_id)
    assert again is not None
    assert (again.run.step, again.state, again.run.seconds) == (3, b"state 3", 3.0)
    assert store.run(run_id) == again.run
    assert store.load(run_id)["epoch"].values.tolist() == [1, 2, 3]
    # What was in force at the end stays in force, and says so where it begins now.
    assert [(mark["step"], mark["changes"]) for mark in store.about(run_id).marks] == [
        (2, {"drift": 0.2}),
        (3, {"drift": 0.3}),
        (3, {"drift": 0.4}),
    ]
    assert store.run(run_id).changes == {"drift": 0.4}
    assert store.take_commands(run_id) == [Command("change", {"drift": 0.9})]


# -- forks ---------------------------------------------------------------------------------------------------------


def finished(store: Store, toy: Toy, budget: int | None = None) -> str:
    run_id = store.create(toy)
    execute(toy, run_id, store.url, budget)
    return run_id


@pytest.mark.parametrize("step", [0, 4, 9, 20])
def test_a_fork_without_changes_records_what_its_parent_did(store: Store, step: int) -> None:
    toy = Toy(epochs=20, seeds=(1, 2))
    parent = finished(store, toy)
    fork = store.fork(parent, step, toy, name="again")
    assert (store.run(fork).step, store.run(fork).parent, store.run(fork).parent_step) == (step, parent, step)
    assert store.load(fork).sizes.get("epoch", 0) == step
    assert execute(toy, fork, store.url) == "finished"
    same_records(store.load(fork), uninterrupted(toy))
    same_records(store.load(parent), uninterrupted(toy))


def test_a_fork_keeps_earlier_changes_and_marks_its_own(store: Store) -> None:
    toy = Toy(epochs=20)
    run_id = store.create(toy)
    store.command(run_id, Command("change", {"drift": 0.5}))
    execute(toy, run_id, store.url, 10)
    store.enqueue(run_id)
    store.command(run_id, Command("change", {"drift": 0.7, "learning_rate": 0.2}))
    execute(toy, run_id, store.url)

    same = store.fork(run_id, 10, toy)
    assert store.run(same).changes == {"drift": 0.5}
    other = store.fork(run_id, 10, toy.changed(learning_rate=3.0))
    assert store.run(other).changes == {"drift": 0.5, "learning_rate": 3.0}
    assert [mark["step"] for mark in store.about(other).marks] == [0, 10]
    assert Toy.checked_json(store.run(other).settings) == toy
    back = store.fork(run_id, 10, toy, changes={"drift": 0.0})
    assert store.run(back).changes == {"drift": 0.0}

    follow = store.fork(run_id, 10, toy, changes={"drift": 0.7, "learning_rate": 0.2})
    execute(toy, follow, store.url)
    same_records(store.load(follow), store.load(run_id))


def test_a_fork_of_a_step_that_was_not_kept_names_those_that_were(store: Store) -> None:
    run_id = finished(store, Toy(epochs=2))
    with pytest.raises(StoreError, match="no kept state at step 7; kept are 0, 1, 2"):
        store.fork(run_id, 7, Toy(epochs=2))
    assert store.list()[1] == 1


def test_old_states_go_first_and_those_of_unfinished_runs_stay(store: Store) -> None:
    ids = [store.create(Toy()) for _ in range(4)]
    for run_id in ids:
        written(store, run_id, 1, checkpoint=(1, bytes(100)))
    for run_id in ids[1:]:
        store.set_status(run_id, "finished")
    store.forget_old_checkpoints(300)
    assert [list(store.checkpoint_steps(run_id)) for run_id in ids] == [[1], [], [1], [1]]


# -- the database itself -------------------------------------------------------------------------------------------


def test_a_store_pickles_as_its_address(store: Store) -> None:
    run_id = store.create(Toy())
    same = pickle.loads(pickle.dumps(store))
    assert same.run(run_id) == store.run(run_id)
    same.close()


def test_readers_do_not_wait_for_a_writer(store: Store) -> None:
    run_id = store.create(Toy())
    writer = sqlite3.connect(file_of(store), isolation_level=None)
    assert writer.execute("pragma journal_mode").fetchone() == ("wal",)
    writer.execute("begin immediate")
    assert store.run(run_id).id == run_id
    writer.execute("rollback")
    writer.close()


@pytest.mark.slow
def test_several_processes_may_create_the_database_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'runs.sqlite'}"
    code = f"from goldviz.runs.store.run_store import Store; print(Store({url!r}).list())"
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    assert [process.communicate()[0].strip() for process in started] == ["([], 0)"] * 4


def test_threads_may_share_a_store(store: Store) -> None:
    run_id = store.create(Toy())
    errors: list[Exception] = []

    def work(offset: int) -> None:
        try:
            for step in range(offset, 100, 4):
                written(store, run_id, step)
                store.load(run_id)
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert store.load(run_id)["epoch"].values.tolist() == list(range(1, 100))


def test_a_database_of_a_later_version_is_refused_and_left_alone(store: Store) -> None:
    store.create(Toy())
    connection = sqlite3.connect(file_of(store))
    connection.execute("update schema_version set version = ?", (SCHEMA_VERSION + 1,))
    connection.commit()
    connection.close()
    before = file_of(store).read_bytes()
    with pytest.raises(StoreError, match=f"written by a later goldviz .its schema is {SCHEMA_VERSION + 1}"):
        Store(store.url)
    assert file_of(store).read_bytes() == before


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing to see here, " * 100)
    with pytest.raises(StoreError, match=r"The file .*notes.txt is not a goldviz database\.$"):
        Store(f"sqlite:///{path}")


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be opened: check that its folder exists and can be written\.$"):
        Store(f"sqlite:///{tmp_path}")


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"The folder of the database .* cannot be made"):
        Store(f"sqlite:///{tmp_path / 'file' / 'runs.sqlite'}")


def test_a_read_only_database_can_be_read_and_says_that_it_cannot_be_written(store: Store) -> None:
    run_id = store.create(Toy())
    event.listen(store._engine, "connect", lambda connection, _: connection.execute("pragma query_only = on"))
    store._connections.close()
    assert store.run(run_id).id == run_id
    with pytest.raises(StoreError, match="cannot be written: it is read-only"):
        store.rename(run_id, "x")


def test_a_new_file_that_another_process_is_just_making_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "runs.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.1, other.rollback)
    release.start()
    store = Store(f"sqlite:///{file}")
    release.join()
    assert store.list()[1] == 0


def test_a_locked_database_says_so_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "LOCK_SECONDS", 0.2)
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    run_id = store.create(Toy())
    other = sqlite3.connect(file_of(store), isolation_level=None)
    other.execute("begin exclusive")
    try:
        with pytest.raises(StoreBusyError, match="is locked by another program; close that program or wait"):
            store.rename(run_id, "x")
    finally:
        other.close()
    store.rename(run_id, "x")
    store.close()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "is not a database address"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("oracle9://host/x", "cannot be used"),
        (
            "postgresql://teacher:secret@127.0.0.1:1/goldviz",
            r"postgresql\+psycopg://teacher:\*\*\*@127.0.0.1:1/goldviz",
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_explained_without_its_password(url: str, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence) as raised:
        Store(url)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_addresses_mean_the_same_in_every_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert settled("sqlite:///runs.sqlite") == f"sqlite:///{tmp_path / 'runs.sqlite'}"
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", "sqlite:///a.sqlite")
    assert default_url() == f"sqlite:///{tmp_path / 'a.sqlite'}"
    assert shown(default_url()) == str(tmp_path / "a.sqlite")
    monkeypatch.delenv("GOLDVIZ_DATABASE_URL")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert shown(default_url()).endswith("runs.sqlite")
