"""Real worker processes, and faults that really happen."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.runs.execution.execution import ExecutionError, Executor, checkpoints_budget, worker_count
from goldviz.runs.execution.limits import MEMORY
from goldviz.runs.recorder import Command
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import aged, ended, same_records, uninterrupted, until
from tests.runs.toy import Toy

ENDLESS = Toy(epochs=100_000, seconds=0.01)


def begun(executor: Executor, toy: Toy) -> str:
    run_id = executor.submit(toy)
    until(lambda: executor.store.run(run_id).step > 2)
    return run_id


def worker_of(store: Store, run_id: str) -> int:
    return int(store.run(run_id).attributes["worker"])


def test_a_run_is_carried_out_by_another_process(executor: Executor) -> None:
    run_id = executor.submit(Toy(), name="first")
    run = ended(executor.store, run_id)
    assert (run.status, run.step, run.name) == ("finished", 30, "first")
    assert worker_of(executor.store, run_id) != os.getpid()
    same_records(executor.store.load(run_id), uninterrupted(Toy()))
    assert executor.worker_count == 2
    until(lambda: bool(executor.devices()))


def test_a_worker_keeps_freed_memory_for_the_next_step(executor: Executor) -> None:
    asked = executor._workers.submit(os.getenv, "MALLOC_TRIM_THRESHOLD_", "as the system has it", key="asked")
    assert asked.result(30) == os.environ.get("MALLOC_TRIM_THRESHOLD_", "as the system has it")


def test_runs_go_on_beside_one_that_fails(executor: Executor) -> None:
    good = executor.submit(Toy(epochs=50, seconds=0.01))
    bad = executor.submit(Toy(fail_at=3))
    assert (
        ended(executor.store, bad).message == "The training code failed with ZeroDivisionError: float division by zero"
    )
    assert ended(executor.store, good).status == "finished"


def test_a_run_waits_behind_a_question_but_not_behind_a_run(executor: Executor) -> None:
    """Dask takes runs for short here, and a question for as long as the one before it."""
    ended(executor.store, executor.submit(Toy()))
    assert executor._workers.submit(time.sleep, 2.0, key="asked-first").result(30) is None
    executor._workers._cluster.scheduler.task_prefixes["train"].duration_average = 0.01
    question = executor._workers.submit(time.sleep, 1.0, key="asked-again")
    runs = [begun(executor, ENDLESS) for _ in range(2)]
    assert question.result(30) is None
    assert len({worker_of(executor.store, run_id) for run_id in runs}) == 2
    for run_id in runs:
        executor.stop(run_id)
        ended(executor.store, run_id)


def test_a_killed_worker_fails_its_run_with_the_reason_and_nothing_else(executor: Executor) -> None:
    store = executor.store
    victim, neighbour = begun(executor, ENDLESS), begun(executor, ENDLESS)
    assert worker_of(store, victim) != worker_of(store, neighbour)
    os.kill(worker_of(store, victim), signal.SIGKILL)
    run = ended(store, victim)
    assert run.status == "failed"
    assert run.message == (
        "The worker process that trained it died: it was killed from outside, or ran out of memory. "
        "What was recorded is kept."
    )
    assert store.load(victim).sizes["epoch"] > 2

    following = executor.submit(Toy())
    assert ended(store, following).status == "finished"
    step = store.run(neighbour).step
    until(lambda: store.run(neighbour).step > step)
    executor.stop(neighbour)
    assert ended(store, neighbour).status == "stopped"
    until(lambda: executor.worker_count == 2)


def test_a_run_whose_worker_died_goes_on_as_if_nothing_had_happened(executor: Executor) -> None:
    toy = Toy(epochs=100, seconds=0.01, seeds=(0, 4))
    run_id = begun(executor, toy)
    until(lambda: executor.store.run(run_id).step > 20)
    os.kill(worker_of(executor.store, run_id), signal.SIGKILL)
    assert ended(executor.store, run_id).status == "failed"
    executor.resume(toy, run_id)
    assert ended(executor.store, run_id).status == "finished"
    same_records(executor.store.load(run_id), uninterrupted(toy.changed(seconds=0)))


def test_a_paused_run_gives_its_worker_to_others_and_goes_on_the_same(executor: Executor) -> None:
    store = executor.store
    toy = Toy(epochs=1000, seconds=0.01)
    busy, paused = begun(executor, ENDLESS), begun(executor, toy)
    executor.pause(paused)
    run = ended(store, paused)
    assert run.status == "paused"
    assert 2 < run.step < 1000
    between = executor.submit(Toy())
    assert ended(store, between).status == "finished"
    assert store.run(paused) == run
    executor.resume(toy, paused, budget=1)
    assert (ended(store, paused).status, store.run(paused).step) == ("paused", run.step + 1)
    for _ in range(2):
        executor.resume(toy.changed(seconds=0), paused)
    assert ended(store, paused).status == "finished"
    same_records(store.load(paused), uninterrupted(toy.changed(seconds=0)))
    executor.stop(busy)
    ended(store, busy)


def test_waiting_runs_can_be_paused_and_stopped_and_never_train(executor: Executor) -> None:
    store = executor.store
    busy = [begun(executor, ENDLESS) for _ in range(2)]
    first, second = executor.submit(Toy()), executor.submit(Toy())
    assert executor.waiting_before(second) == 3
    executor.stop(first)
    executor.pause(second)
    assert (store.run(first).status, store.run(first).message) == ("stopped", "Stopped while it waited.")
    assert store.run(second).status == "paused"
    executor.stop(second)
    assert (store.run(second).status, store.run(second).message) == ("stopped", "Stopped after epoch 0.")
    for run_id in busy:
        executor.stop(run_id)
        assert ended(store, run_id).status == "stopped"
    assert [store.run(run_id).step for run_id in (first, second)] == [0, 0]
    # A stopped run can still be continued; the command to stop does not linger.
    executor.resume(Toy(), first)
    assert ended(store, first).status == "finished"


def test_a_worker_that_is_free_takes_what_waits_in_order(executor: Executor) -> None:
    store = executor.store
    busy, other = begun(executor, ENDLESS), begun(executor, ENDLESS)
    waiting = [executor.submit(Toy(epochs=5 + i, seconds=0.02)) for i in range(6)]
    executor.stop(other)
    for run_id in waiting:
        assert ended(store, run_id).status == "finished"
    assert store.run(busy).status == "running"
    begins = [store.run(run_id).attributes["began"] for run_id in waiting]
    assert begins == sorted(begins)
    executor.stop(busy)
    ended(store, busy)


def test_an_order_that_came_too_late_does_not_stop_a_run_that_goes_on(executor: Executor) -> None:
    run_id = executor.submit(Toy(), budget=5)
    assert ended(executor.store, run_id).status == "paused"
    executor.store.command(run_id, Command("stop"))
    executor.resume(Toy(), run_id)
    assert ended(executor.store, run_id).status == "finished"


def test_a_finished_run_stays_finished(executor: Executor) -> None:
    run_id = executor.submit(Toy())
    run = ended(executor.store, run_id)
    executor.resume(Toy(), run_id)
    executor.stop(run_id)
    executor.pause(run_id)
    assert executor.store.run(run_id) == run


def test_a_hot_change_holds_after_going_on_and_in_forks(executor: Executor) -> None:
    store = executor.store
    toy = Toy(epochs=1000, seconds=0.005)
    run_id = begun(executor, toy)
    executor.change(run_id, learning_rate=3.0)
    until(lambda: store.run(run_id).changes == {"learning_rate": 3.0})
    until(lambda: store.checkpoint_steps(run_id)[-1] > store.about(run_id).marks[0]["step"])
    executor.pause(run_id)
    assert ended(store, run_id).status == "paused"
    step = store.checkpoint_steps(run_id)[-2]
    assert step > store.about(run_id).marks[0]["step"]
    fork = executor.fork(run_id, step, toy.changed(seconds=0), name="fork")
    executor.resume(toy.changed(seconds=0), run_id)
    assert ended(store, run_id).status == ended(store, fork).status == "finished"
    same_records(store.load(fork), store.load(run_id))
    assert store.about(fork).marks == store.about(run_id).marks
    plain = uninterrupted(toy.changed(seconds=0))["norm"].values
    changed = store.about(run_id).marks[0]["step"]
    found = store.load(run_id)["norm"].values
    assert (found[:changed] == plain[:changed]).all()
    assert (found[changed:] != plain[changed:]).all()


def test_a_run_deleted_while_it_trains_frees_its_worker(executor: Executor) -> None:
    run_id, other = begun(executor, ENDLESS), begun(executor, ENDLESS)
    executor.store.delete([run_id])
    assert ended(executor.store, executor.submit(Toy())).status == "finished"
    executor.stop(other)
    ended(executor.store, other)


SERVER = """
import sys, time
from goldviz.runs.execution import workers
from goldviz.runs.execution.execution import Executor
from goldviz.runs.store.run_store import Store
from tests.runs.toy import Toy

workers.WARM_UP = ()

if __name__ == "__main__":
    executor = Executor(Store(sys.argv[1]), workers=1)
    short, long, waiting = (executor.submit(Toy(epochs=n, seconds=0.01)) for n in (5, 1000, 30))
    while executor.store.run(short).unfinished or executor.store.run(long).step < 40:
        time.sleep(0.01)
    print(short, long, waiting, flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_killed_server_leaves_runs_that_can_be_continued(executor: Executor, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    server = subprocess.Popen(
        [sys.executable, str(script), executor.store.url], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    short, long, waiting = server.stdout.readline().split()
    server.kill()
    server.wait()
    server.stdout.close()

    store = executor.store
    assert store.run(short).status == "finished"
    aged(store, 8)
    # The executor of this process is the restarted server: it finds what nobody trains any more.
    for run_id in (long, waiting):
        run = ended(store, run_id)
        assert run.status == "interrupted"
        assert "it can be continued" in run.message
    for run_id, epochs in ((long, 1000), (waiting, 30)):
        toy = Toy(epochs=epochs, seconds=0.0)
        executor.resume(toy, run_id)
        assert ended(store, run_id).status == "finished"
        same_records(store.load(run_id), uninterrupted(toy))


@pytest.mark.slow
def test_a_closed_executor_leaves_runs_that_can_be_continued(store: Store) -> None:
    toy = Toy(epochs=3000, seconds=0.01)
    executor = Executor(store, workers=1)
    running, waiting = begun(executor, toy), executor.submit(toy)
    executor.close()
    for run_id in (running, waiting):
        assert store.run(run_id).status == "interrupted"
        assert store.run(run_id).message == "The server was closed. The run can be continued."


def test_without_worker_processes_runs_train_in_threads(store: Store) -> None:
    executor = Executor(store, workers=0)
    run_id = executor.submit(Toy())
    assert ended(store, run_id).status == "finished"
    assert worker_of(store, run_id) == os.getpid()
    executor.close()
    same_records(store.load(run_id), uninterrupted(Toy()))


def test_a_scheduler_that_is_not_there_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldviz.runs.execution.workers.CONNECT_SECONDS", 0.5)
    with pytest.raises(ExecutionError, match=r"the Dask scheduler at tcp://127.0.0.1:1 cannot be reached"):
        Executor(store, scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize("text", ["many", "-1", "1.5", "5000"])
def test_a_wrong_number_of_workers_is_explained(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", text)
    with pytest.raises(ExecutionError, match=f"GOLDVIZ_WORKERS is {text!r}; allowed is a whole number from 0 to 1024"):
        worker_count()
    monkeypatch.setenv("GOLDVIZ_WORKERS", "3")
    assert worker_count() == 3


def test_the_room_for_states_is_set_in_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_KEPT_STATES_MB", "3")
    assert checkpoints_budget() == 3_000_000
    monkeypatch.setenv("GOLDVIZ_KEPT_STATES_MB", "plenty")
    with pytest.raises(ExecutionError, match="whole number of megabytes"):
        checkpoints_budget()


def test_importing_execution_does_not_load_torch_or_streamlit() -> None:
    module = "goldviz.runs.execution.execution"
    code = f"import sys, json, {module}; print(json.dumps(sorted({{'torch', 'streamlit'}} & set(sys.modules))))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == []


def test_nothing_is_queued_that_asks_for_too_much(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "10")
    before = executor.store.list()[1]
    with pytest.raises(SettingsError, match=r"may take 10 MB here\. Lower size: at most 100000\.$"):
        executor.submit(Toy(size=10_000_000))
    assert executor.store.list()[1] == before
    assert executor.store.run(executor.submit(Toy(size=100_000, epochs=1)))
