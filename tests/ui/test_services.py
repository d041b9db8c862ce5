"""What all visitors share: it stays bounded, mends itself, and is one thing for all threads."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import plotly.graph_objects as go
import pytest

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.execution.execution import ExecutionError
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui.serving import services

T = TypeVar("T")
THREADS = 8


def _at_once(call: Callable[[], T]) -> list[T]:
    """What a call returns to several threads that make it at the same moment."""
    barrier = Barrier(THREADS)

    def wait_and_call(_: int) -> T:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(wait_and_call, range(THREADS)))


def test_the_least_recently_seen_runs_are_let_go() -> None:
    first, second = services.live_run("first"), services.live_run("second")
    for number in range(services.RUNS_IN_MEMORY - 2):
        services.live_run(str(number))
    assert services.live_run("first") is first
    services.live_run("one more")
    assert services.live_run("first") is first
    assert services.live_run("second") is not second


def test_a_run_is_shared_by_all_who_look_at_it() -> None:
    run_id = services.store().create(DepthGradients())
    runs = _at_once(lambda: services.live_run(run_id))
    assert len(set(map(id, runs))) == 1
    assert _at_once(lambda: services.live_run(run_id).snapshot()[0].id) == [run_id] * THREADS


def test_asking_for_a_run_that_does_not_exist_costs_nobody_else_anything() -> None:
    with pytest.raises(UnknownRunError):
        services.live_run("nothing").snapshot()
    run_id = services.store().create(DepthGradients())
    assert services.live_run(run_id).snapshot()[0].id == run_id


class Drawer:
    """Draws a figure and counts how often it was asked to."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self) -> go.Figure:
        self.drawn += 1
        return go.Figure()


def test_a_figure_is_drawn_once_for_its_key_and_the_oldest_are_let_go() -> None:
    drawer = Drawer()
    kept = services.figure_json(("kept",), drawer)
    services.figure_json(("forgotten",), drawer)
    for number in range(services.FIGURES_IN_MEMORY - 2):
        services.figure_json((number,), drawer)
    assert services.figure_json(("kept",), drawer) == kept
    assert drawer.drawn == services.FIGURES_IN_MEMORY
    services.figure_json(("one more",), drawer)
    services.figure_json(("kept",), drawer)
    assert drawer.drawn == services.FIGURES_IN_MEMORY + 1
    services.figure_json(("forgotten",), drawer)
    assert drawer.drawn == services.FIGURES_IN_MEMORY + 2


def test_all_threads_get_the_same_figure() -> None:
    figure = go.Figure(go.Scatter(y=[1, 2, 3]))
    assert set(_at_once(lambda: services.figure_json(("shared",), lambda: figure))) == {figure.to_json()}


def test_a_figure_that_fails_is_tried_again() -> None:
    with pytest.raises(ZeroDivisionError):
        services.figure_json(("key",), lambda: 1 / 0)
    assert services.figure_json(("key",), go.Figure)


def test_all_threads_get_one_store_and_one_executor() -> None:
    assert len(set(map(id, _at_once(services.store)))) == 1
    assert not services.executor_ready()
    assert len(set(map(id, _at_once(services.executor)))) == 1
    assert services.executor_ready()


def test_a_store_that_cannot_be_opened_is_tried_again(database: Path) -> None:
    database.mkdir()
    for ask in (services.store, services.executor, lambda: services.live_run("x")):
        with pytest.raises(StoreError, match=re.escape(str(database))):
            ask()
    database.rmdir()
    run_id = services.executor().store.create(DepthGradients())
    assert services.store().run(run_id).status == "queued"


def test_workers_that_cannot_start_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_WORKERS", "several")
    with pytest.raises(ExecutionError, match="GOLDVIZ_WORKERS is 'several'; allowed is a whole number"):
        services.executor()
    assert not services.executor_ready()
    assert "GOLDVIZ_WORKERS is 'several'" in services.executor_refusal()
    monkeypatch.setenv("GOLDVIZ_WORKERS", "0")
    assert services.executor().worker_count == 1
    assert services.executor_refusal() == ""


def test_another_address_is_another_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = services.executor()
    run_id = services.store().create(DepthGradients())
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'another.sqlite'}")
    with pytest.raises(UnknownRunError):
        services.store().run(run_id)
    assert services.executor() is not first
    assert services.executor().store.url == services.store().url


def test_after_closing_everything_starts_anew() -> None:
    before = services.store(), services.executor(), services.live_run("run")
    services.close()
    assert not services.executor_ready()
    after = services.store(), services.executor(), services.live_run("run")
    assert all(old is not new for old, new in zip(before, after, strict=True))


def test_closing_twice_or_before_anything_is_no_error() -> None:
    services.close()
    services.close()
