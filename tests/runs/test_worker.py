import sqlite3
import threading
import time
from pathlib import Path

import pytest

from goldviz.runs.execution import worker
from goldviz.runs.execution.worker import execute
from goldviz.runs.recorder import Command, Progress
from goldviz.runs.store import schema
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import ended, same_records, uninterrupted, until
from tests.runs.toy import Toy


def started(store: Store, toy: Toy) -> tuple[str, threading.Thread]:
    """The run, carried out by a thread of this process."""
    run_id = store.create(toy)
    thread = threading.Thread(target=execute, args=(toy, run_id, store.url))
    thread.start()
    return run_id, thread


def locked(store: Store) -> sqlite3.Connection:
    """Another program that holds the database; roll back to let go."""
    other = sqlite3.connect(Path(store.place), isolation_level=None, check_same_thread=False, timeout=30)
    other.execute("begin immediate")
    return other


def test_runs_of_one_process_share_their_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    monkeypatch.setattr(worker, "Store", lambda url: opened.append(url) or Store(url))
    first, second = (store.create(Toy(epochs=2)) for _ in range(2))
    assert execute(Toy(epochs=2), first, store.url) == execute(Toy(epochs=2), second, store.url) == "finished"
    assert opened == [store.url]


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        ("error", "The training code failed with ZeroDivisionError: float division by zero"),
        ("sentence", "Depth is 3, but the moon is full; choose another night."),
        ("memory", "The worker ran out of memory; choose a smaller value of size or epochs."),
    ],
)
def test_a_run_that_fails_says_why_and_keeps_its_records(store: Store, failure: str, sentence: str) -> None:
    toy = Toy(epochs=9, fail_at=5, failure=failure)
    run_id = store.create(toy)
    assert execute(toy, run_id, store.url) == "failed"
    assert (store.run(run_id).status, store.run(run_id).message) == ("failed", sentence)
    same_records(
        store.load(run_id), uninterrupted(Toy(epochs=9)).sel(epoch=slice(1, 4), every_third=[3]).drop_vars("end")
    )


def test_a_run_that_failed_goes_on_where_it_was(store: Store) -> None:
    toy = Toy(epochs=30, fail_at=17)
    run_id = store.create(toy)
    execute(toy, run_id, store.url)
    assert store.enqueue(run_id)
    assert execute(toy.changed(fail_at=0), run_id, store.url) == "finished"
    same_records(store.load(run_id), uninterrupted(Toy(epochs=30)))


def test_a_diverged_run_keeps_its_records(store: Store) -> None:
    toy = Toy(epochs=9, diverge_at=6)
    run_id = store.create(toy)
    assert execute(toy, run_id, store.url) == "diverged"
    same_records(store.load(run_id), uninterrupted(toy))
    assert (store.run(run_id).step, store.run(run_id).total) == (6, 9)


@pytest.mark.parametrize("budget", [1, 4, 7])
def test_going_on_bit_by_bit_gives_the_same_run(store: Store, budget: int) -> None:
    toy = Toy(epochs=12, seeds=(0, 9))
    run_id = store.create(toy)
    steps = []
    while execute(toy, run_id, store.url, budget) == "paused":
        steps.append(store.run(run_id).step)
        store.enqueue(run_id)
    assert steps == list(range(budget, 12, budget))
    same_records(store.load(run_id), uninterrupted(toy))
    assert store.run(run_id).seconds >= store.run(run_id).instrument_seconds > 0


def test_what_was_ordered_while_a_run_waited_holds_from_its_first_step(store: Store) -> None:
    toy = Toy(epochs=12)
    run_id = store.create(toy)
    store.command(run_id, Command("change", {"drift": 0.5}))
    execute(toy, run_id, store.url, 5)
    store.enqueue(run_id)
    execute(toy, run_id, store.url)
    same_records(store.load(run_id), uninterrupted(toy.changed(drift=0.5)))
    assert [mark["step"] for mark in store.about(run_id).marks] == [0]


def test_a_run_that_is_not_queued_is_left_alone(store: Store) -> None:
    run_id = store.create(Toy(), status="paused")
    assert execute(Toy(), run_id, store.url) == "paused"
    assert execute(Toy(), "unknown", store.url) == "deleted"


def test_a_locked_database_loses_nothing_and_keeps_the_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "LOCK_SECONDS", 1.0)
    store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    toy = Toy(epochs=60, seconds=0.02, seeds=(0, 1))
    run_id, thread = started(store, toy)
    until(lambda: store.run(run_id).step > 3)
    other = locked(store)
    before = store.run(run_id).step
    time.sleep(0.5)
    assert store.run(run_id).step <= before
    other.execute("rollback")
    until(lambda: store.run(run_id).step >= min(before + 10, toy.epochs))
    time.sleep(0.2)
    other.execute("begin immediate")
    # Longer than SQLite waits by itself, and past the end of training.
    time.sleep(2.5)
    other.execute("rollback")
    other.close()
    thread.join()
    assert store.run(run_id).status == "finished"
    same_records(store.load(run_id), uninterrupted(toy))
    assert list(store.checkpoint_steps(run_id)) == list(range(0, 61, 3))
    store.close()


def test_a_run_deleted_while_it_trains_ends_quietly(store: Store) -> None:
    run_id, thread = started(store, Toy(epochs=10_000, seconds=0.01))
    until(lambda: store.run(run_id).step > 3)
    store.delete([run_id])
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert store.list() == ([], 0)


def test_orders_reach_a_run_while_it_trains(store: Store) -> None:
    toy = Toy(epochs=10_000, seconds=0.01)
    run_id, thread = started(store, toy)
    until(lambda: store.run(run_id).step > 3)
    store.command(run_id, Command("change", {"learning_rate": 2.0}))
    until(lambda: store.run(run_id).changes == {"learning_rate": 2.0})
    changed = store.about(run_id).marks[0]["step"]
    store.command(run_id, Command("stop"))
    thread.join()
    run = ended(store, run_id)
    assert run.status == "stopped"
    assert run.message == f"Stopped after epoch {run.step}."
    assert store.checkpoint_steps(run_id)[-1] == run.step

    norms = store.load(run_id)["norm"].values
    plain = uninterrupted(toy.changed(epochs=run.step, seconds=0))["norm"].values
    assert (norms[:changed] == plain[:changed]).all()
    assert (norms[changed:] != plain[changed:]).any()


def test_whoever_watches_hears_of_every_step(store: Store) -> None:
    told: list[Progress] = []
    run_id = store.create(Toy(epochs=5))
    execute(Toy(epochs=5), run_id, store.url, watch=told.append)
    assert [(progress.step, progress.total) for progress in told] == [(step, 5) for step in range(1, 6)]


def test_the_keyboard_stops_a_kept_run_with_its_records(store: Store) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 4:
            raise KeyboardInterrupt

    run_id = store.create(Toy(epochs=9))
    with pytest.raises(KeyboardInterrupt):
        execute(Toy(epochs=9), run_id, store.url, watch=interrupt)
    assert store.run(run_id).status == "stopped"
    assert store.load(run_id)["epoch"].values.tolist() == [1, 2, 3, 4]
