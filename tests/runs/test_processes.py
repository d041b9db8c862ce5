import pytest

import goldviz.api
from goldviz.runs.execution.execution import ExecutionError, Executor
from goldviz.runs.execution.processes import ProcessesError, processes_for_run
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import ended, until
from tests.runs.sharing import Sharing


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.delenv("GOLDVIZ_REFIT_PROCESSES", raising=False)


@pytest.mark.parametrize(("runs", "processes"), [(1, 8), (2, 4), (3, 2), (5, 1), (20, 1)])
def test_the_cores_are_divided_among_the_runs(runs: int, processes: int) -> None:
    assert processes_for_run(runs) == processes


def test_the_variable_overrules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_REFIT_PROCESSES", " 3 ")
    assert processes_for_run() == processes_for_run(7) == 3


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "1025", "²"])
def test_what_is_no_number_of_processes_is_refused(monkeypatch: pytest.MonkeyPatch, text: str, store: Store) -> None:
    monkeypatch.setenv("GOLDVIZ_REFIT_PROCESSES", text)
    sentence = f"GOLDVIZ_REFIT_PROCESSES is {text!r}; allowed is a whole number from 1 to 1024."
    with pytest.raises(ProcessesError) as refused:
        processes_for_run()
    assert str(refused.value) == sentence
    with pytest.raises(ExecutionError) as told:
        Executor(store, workers=0)
    assert str(told.value) == sentence


def test_a_recorder_shares_with_nobody_unless_told() -> None:
    assert Recorder(Sharing(), Memory(), NobodyAsks()).processes == 1


def test_a_run_in_a_notebook_may_use_every_core() -> None:
    assert goldviz.api.run(Sharing(), progress=False).attrs["processes"] == 8


def test_a_kept_run_may_too(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", store.url)
    assert goldviz.api.run(Sharing(), progress=False, keep=True).attrs["processes"] == 8


@pytest.mark.slow
def test_runs_that_are_trained_together_share_the_cores(store: Store) -> None:
    executor = Executor(store, workers=2)
    try:
        until(lambda: executor.worker_count == 2)
        alone = executor.submit(Sharing(epochs=100_000))
        beside = executor.submit(Sharing())
        assert ended(store, beside).attributes["processes"] == 4
        executor.stop(alone)
        assert ended(store, alone).attributes["processes"] == 8
        after = executor.submit(Sharing())
        assert ended(store, after).attributes["processes"] == 8
    finally:
        executor.close()


def test_where_memory_is_scarce_a_run_stays_in_one_process(store: Store) -> None:
    executor = Executor(store, workers=0)
    try:
        assert ended(store, executor.submit(Sharing())).attributes["processes"] == 1
    finally:
        executor.close()
