"""A worker killed in the middle of each laboratory's run: the run says so, keeps what it has, and goes on."""

import os
import signal
from collections.abc import Iterator

import pytest

from goldviz.declare.laboratory import Laboratory
from goldviz.runs.execution.execution import Executor
from goldviz.runs.store.run_store import Store
from tests.labs.small_runs import EVERY_TRAINED, endless
from tests.runs.conftest import ended, until
from tests.runs.dask_processes import SLOW

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    started = Executor(Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'runs.sqlite'}"), workers=1)
    yield started
    started.close()
    started.store.close()


@EVERY_TRAINED
def test_a_run_whose_worker_was_killed_says_so_and_goes_on(lab: Laboratory, executor: Executor) -> None:
    store, settings = executor.store, endless(lab)
    run_id = executor.submit(settings)
    until(lambda: store.run(run_id).step > 1, SLOW)
    os.kill(int(store.run(run_id).attributes["worker"]), signal.SIGKILL)
    run = ended(store, run_id, SLOW)
    assert run.status == "failed"
    assert run.message.endswith("it was killed from outside, or ran out of memory. What was recorded is kept.")
    assert store.load(run_id).sizes[settings.step] == run.step > 1
    executor.resume(settings, run_id)
    try:
        until(lambda: store.run(run_id).status == "running" and store.run(run_id).step > run.step, SLOW)
    finally:
        executor.stop(run_id)
    assert ended(store, run_id, SLOW).status == "stopped"
    assert store.load(run_id).sizes[settings.step] >= run.step
