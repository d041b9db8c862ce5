"""A run's estimate is corrected by a probe of this machine, and by what runs took on it."""

import time
from pathlib import Path

import pytest

from goldviz.api import carried_out
from goldviz.declare.settings import Experiment, measured_costs
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.runs.execution.pace import NEAREST, expected
from goldviz.runs.execution.worker import execute
from goldviz.runs.recorder import Progress
from goldviz.runs.store.run_store import Store
from goldviz.training.probe import probe
from tests.runs.toy import Toy

SETTINGS = DepthGradients()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def finished(store: Store, settings: Experiment, took: float, *, told: bool = True) -> str:
    """A run that took so many seconds, or trained so many where it does not tell what it took."""
    run_id = store.create(settings)
    start = store.begin(run_id)
    assert start is not None
    progress = Progress(settings.steps_planned(), settings.steps_planned(), took, 0.0)
    attributes = {"took": took} if told else None
    store.append(run_id, progress, lease=start.lease, attributes=attributes, status="finished")
    return run_id


def test_without_a_timed_run_the_estimate_is_the_settings_own(store: Store) -> None:
    assert expected(store, SETTINGS) == (SETTINGS.estimated_seconds(), 0)


@pytest.mark.parametrize("told", [True, False])
def test_a_machine_that_is_eight_times_slower_is_believed(store: Store, told: bool) -> None:
    for _ in range(3):
        finished(store, SETTINGS, 8 * SETTINGS.estimated_seconds(), told=told)
    longer = SETTINGS.changed(epochs=40)
    seconds, runs = expected(store, longer)
    assert seconds == pytest.approx(8 * longer.estimated_seconds())
    assert runs == 3


def test_before_a_laboratory_s_first_run_a_probe_tells_how_fast_the_machine_is(store: Store) -> None:
    other, costs = AdaptiveComputation(), measured_costs(AdaptiveComputation)
    assert costs is not None
    for _ in range(3):
        finished(store, SETTINGS, 8 * SETTINGS.estimated_seconds())
    for slower in (1, 3):
        found = expected(store, other, slower * costs.probe)
        assert found == (pytest.approx(slower * other.estimated_seconds()), 0)
    for _ in range(3):
        finished(store, other, 2 * other.estimated_seconds())
    assert expected(store, other, 9 * costs.probe) == (pytest.approx(2 * other.estimated_seconds()), 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        DepthGradients(depth=30),
        DepthGradients(width=200, batch=100, epochs=5),
        AdaptiveComputation(steps=200),
        RecurrentGradients(steps=60),
        NeuralProgrammer(columns=3, steps=150),
    ],
    ids=lambda one: one.name,
)
def test_the_first_estimate_of_a_run_is_right_within_a_factor_of_two(settings: Experiment) -> None:
    """Of processor time, which others on the machine change least; what is loaded with a first run is left out."""
    costs = measured_costs(type(settings))
    assert costs is not None
    carried_out(settings.changed(**{f"{settings.step}s": 2}), progress=False, keep=False)
    slower = probe() / costs.probe
    began = time.process_time()
    carried_out(settings, progress=False, keep=False)
    took = time.process_time() - began
    assert 0.5 < slower * settings.estimated_seconds() / took < 2


def test_the_runs_that_are_most_alike_count(store: Store) -> None:
    long = SETTINGS.changed(epochs=2000)
    for _ in range(NEAREST):
        finished(store, SETTINGS, 8 * SETTINGS.estimated_seconds())
        finished(store, long, 2 * long.estimated_seconds())
    assert expected(store, SETTINGS).seconds == pytest.approx(8 * SETTINGS.estimated_seconds())
    assert expected(store, long).seconds == pytest.approx(2 * long.estimated_seconds())


def test_runs_on_another_device_and_unfinished_ones_tell_nothing(store: Store) -> None:
    finished(store, SETTINGS.changed(device="auto"), 1000.0)
    store.set_status(finished(store, SETTINGS, 1000.0), "stopped")
    assert expected(store, SETTINGS).runs == 0


def test_a_run_says_what_it_took_with_all_its_parts(store: Store) -> None:
    settings = Toy(epochs=4, seconds=0.02)
    run_id = store.create(settings)
    execute(settings, run_id, store.url, 2)
    half = store.run(run_id).attributes["took"]
    assert half >= 0.04
    store.enqueue(run_id)
    execute(settings, run_id, store.url)
    assert store.run(run_id).attributes["took"] >= half + 0.04
