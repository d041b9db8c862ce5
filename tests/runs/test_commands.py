"""A stop that comes with a pause, right before it or right behind: real worker processes, and every moment between."""

import threading
import time
from collections.abc import Callable

import pytest

from goldviz.runs.execution.execution import Executor
from goldviz.runs.execution.worker import execute
from goldviz.runs.recorder import Command, Progress
from goldviz.runs.store.commands import Halt
from goldviz.runs.store.run_store import Store, UnknownRunError
from tests.runs.conftest import ended, same_records, uninterrupted, until
from tests.runs.toy import Toy
from tests.thinned import thinned

ENDLESS = Toy(epochs=100_000, seconds=0.005)


def begun(executor: Executor) -> str:
    run_id = executor.submit(ENDLESS)
    until(lambda: executor.store.run(run_id).step > 2)
    return run_id


def at_rest(store: Store, run_id: str) -> str:
    """How the run is listed once nothing is on its way any more."""
    until(lambda: not store.run(run_id).unfinished)
    time.sleep(0.5)
    return store.run(run_id).status


@pytest.mark.parametrize("seconds", thinned([0.0, 0.1, 0.05, 0.2], 2))
def test_a_stop_behind_a_pause_is_not_lost(executor: Executor, seconds: float) -> None:
    run_id = begun(executor)
    executor.pause(run_id)
    time.sleep(seconds)
    executor.stop(run_id)
    assert at_rest(executor.store, run_id) == "stopped"
    run = executor.store.run(run_id)
    assert run.message == f"Stopped after epoch {run.step}."
    assert executor.store.take_commands(run_id) == []


def test_a_stop_before_a_pause_is_not_lost(executor: Executor) -> None:
    run_id = begun(executor)
    executor.stop(run_id)
    executor.pause(run_id)
    assert at_rest(executor.store, run_id) == "stopped"


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_a_run_that_goes_on_and_is_stopped_at_once_stops(executor: Executor, seconds: float) -> None:
    run_id = begun(executor)
    executor.pause(run_id)
    assert ended(executor.store, run_id).status == "paused"
    executor.resume(ENDLESS, run_id)
    time.sleep(seconds)
    executor.stop(run_id)
    assert at_rest(executor.store, run_id) == "stopped"


def test_of_two_visitors_who_press_at_the_same_moment_the_stop_wins(executor: Executor) -> None:
    for _ in range(3):
        run_id, together = begun(executor), threading.Barrier(2)

        def press(button: Callable[[str], None], run_id: str = run_id, together: threading.Barrier = together) -> None:
            together.wait()
            button(run_id)

        visitors = [threading.Thread(target=press, args=(button,)) for button in (executor.pause, executor.stop)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
        assert at_rest(executor.store, run_id) == "stopped"


def test_a_stop_that_comes_while_a_pause_is_written_wins(store: Store) -> None:
    run_id = store.create(Toy())
    start = store.begin(run_id)
    assert start is not None
    store.halt(run_id, "stop")
    ended_as = store.append(
        run_id, Progress(3, 30, 1.0, 0.0), lease=start.lease, status="paused", message="Paused after epoch 3."
    )
    assert (ended_as, store.run(run_id).status, store.run(run_id).message) == ("stopped",) * 2 + (
        "Stopped after epoch 3.",
    )


@pytest.mark.parametrize("given", [("pause", "stop"), ("stop", "pause")])
def test_orders_that_are_read_together_keep_the_stop_and_the_changes(store: Store, given: tuple[Halt, Halt]) -> None:
    run_id = store.create(Toy())
    for kind in given:
        store.command(run_id, Command(kind))
    store.command(run_id, Command("change", {"drift": 0.5}))
    assert execute(Toy(), run_id, store.url) == "stopped"
    assert store.enqueue(run_id)
    assert execute(Toy(), run_id, store.url) == "finished"
    same_records(store.load(run_id), uninterrupted(Toy(drift=0.5)))


def test_changes_that_a_run_did_not_come_to_hold_when_it_goes_on(store: Store) -> None:
    run_id = store.create(Toy())
    start = store.begin(run_id)
    assert start is not None
    store.command(run_id, Command("change", {"drift": 0.9}))
    left = [Command("change", {"drift": 0.1}), Command("pause")]
    store.append(run_id, Progress(0, 30, 0.0, 0.0), lease=start.lease, status="paused", message="", left=left)
    assert store.take_commands(run_id) == [Command("change", {"drift": 0.1}), Command("change", {"drift": 0.9})]


def test_a_run_that_is_over_takes_no_orders(store: Store) -> None:
    run_id = store.create(Toy(), status="finished")
    before = store.run(run_id)
    assert [store.halt(run_id, kind) for kind in ("pause", "stop")] == ["finished"] * 2
    assert store.run(run_id) == before
    assert store.take_commands(run_id) == []
    with pytest.raises(UnknownRunError):
        store.halt("0" * 12, "stop")
