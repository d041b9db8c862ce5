"""A scheduler killed in the middle of each laboratory's run: the run says so, goes on, and loses no number."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment
from goldviz.runs.execution.execution import Executor
from goldviz.runs.store.run_store import Store
from tests.labs.small_runs import EVERY_TRAINED, carried_out, endless
from tests.ports import free_port
from tests.runs.conftest import ended, until
from tests.runs.dask_processes import SLOW, scheduler, until_connected, worker

pytestmark = pytest.mark.slow

STEPS_AFTER = 3


@dataclass
class Elsewhere:
    """A scheduler and its worker, which share no process with the executor."""

    port: int
    processes: ExitStack

    def start(self) -> None:
        self.scheduler = self.processes.enter_context(scheduler(self.port))
        self.worker = self.processes.enter_context(worker(self.port))

    def kill_scheduler(self) -> None:
        """By SIGKILL: its worker is told nothing, and trains on for a while."""
        self.scheduler.kill()
        self.scheduler.wait()

    def kill_worker(self) -> None:
        self.worker.kill()
        self.worker.wait()


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    with ExitStack() as processes:
        started = Elsewhere(free_port(), processes)
        started.start()
        yield started


@pytest.fixture(scope="module")
def executor(elsewhere: Elsewhere, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'runs.sqlite'}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("goldviz.runs.execution.workers.CONNECT_SECONDS", 1.0)
        connected = until_connected(store, elsewhere.port)
        yield connected
    connected.close()
    store.close()


@EVERY_TRAINED
def test_a_run_whose_scheduler_was_killed_says_so_and_goes_on_bit_for_bit(
    lab: Laboratory, executor: Executor, elsewhere: Elsewhere
) -> None:
    store, settings = executor.store, endless(lab)
    run_id = executor.submit(settings)
    until(lambda: store.run(run_id).step > 1, SLOW)
    elsewhere.kill_scheduler()
    run = ended(store, run_id, SLOW)
    assert run.status == "interrupted"
    assert run.message == "The scheduler of its worker went away. The run can be continued."
    elsewhere.kill_worker()
    run = store.run(run_id)
    assert store.load(run_id).sizes[settings.step] == run.step > 1
    elsewhere.start()
    executor.resume(settings, run_id, budget=STEPS_AFTER)
    run = ended(store, run_id, SLOW)
    assert run.status == "paused", run.message
    same_as_undisturbed(store.load(run_id), settings, run.step)


def same_as_undisturbed(found: xr.Dataset, settings: Experiment, steps: int) -> None:
    kept, status = carried_out(settings, budget=steps)
    assert status == "paused"
    assert kept.progress.step == steps
    for name, values in kept.records.values.items():
        np.testing.assert_array_equal(found[name].values, np.stack(values), err_msg=name)
    for name, values in kept.finals.items():
        if name != "states":
            np.testing.assert_array_equal(found[name].values, values, err_msg=name)
