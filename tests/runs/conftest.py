"""A store of its own for each test, and ways to carry a toy run out."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import xarray as xr

from goldviz.declare.laboratory import laboratory_of
from goldviz.runs.execution import workers
from goldviz.runs.execution.execution import Executor
from goldviz.runs.jobs import worker as job_worker
from goldviz.runs.recorder import Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import Store
from tests.runs.toy import Toy


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture(scope="package")
def light_workers() -> Iterator[None]:
    """Worker processes that load no laboratory and no PyTorch, which toys do not need and take seconds to load."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "WARM_UP", ())
        patch.setattr(job_worker, "WARM_UP", ("goldviz.runs.jobs.worker",))
        yield


@pytest.fixture(scope="package")
def shared_executor(light_workers: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """Two real worker processes on a store that the tests of runs share."""
    started = Executor(Store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'runs.sqlite'}"), workers=2)
    yield started
    started.close()
    started.store.close()


@pytest.fixture
def executor(shared_executor: Executor) -> Executor:
    """The shared executor with both its workers up: a killed one takes seconds to come back."""
    until(lambda: shared_executor.worker_count == 2)
    return shared_executor


def uninterrupted(settings: Toy) -> xr.Dataset:
    """What a run records when nothing happens to it."""
    memory = Memory()
    try:
        laboratory_of(settings).run(settings, Recorder(settings, memory, NobodyAsks()))
    except Ended:
        assert settings.diverge_at
    return memory.dataset({name: vars(variable) for name, variable in settings.variables.items()}, {})


def same_records(found: xr.Dataset, expected: xr.Dataset) -> None:
    """Equal to the bit: labels, values, kinds of number and words of every variable."""
    xr.testing.assert_identical(found.drop_attrs(deep=False), expected.drop_attrs(deep=False))
    assert {name: array.dtype for name, array in found.items()} == {
        name: array.dtype for name, array in expected.items()
    }


def aged(store: Store, seconds: float) -> None:
    """Make the last sign of life of every run so much older: time flies."""
    connection = sqlite3.connect(store.place, timeout=30)
    connection.execute("update runs set heartbeat = heartbeat - ?", (seconds,))
    connection.commit()
    connection.close()


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait for something that has to happen, on a machine that may have much else to do."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def ended(store: Store, run_id: str, seconds: float = 120.0) -> Run:
    """The run as soon as it neither waits nor trains."""
    until(lambda: not store.run(run_id).unfinished, seconds)
    return store.run(run_id)
