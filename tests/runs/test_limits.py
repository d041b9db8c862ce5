"""What a run may take: refused before it starts where it asks for more, and ended in a step that takes too long."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldviz.declare.memory_of_training import AT_LEAST
from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, SettingsError, label, schemas
from goldviz.runs.execution.execution import ExecutionError, Executor
from goldviz.runs.execution.limits import MEMORY, SECONDS, check
from goldviz.runs.execution.worker import execute
from goldviz.runs.store.run_store import Store
from tests.runs.conftest import until
from tests.runs.toy import Toy

GIGABYTE = "1000"


def largest(declared: type[Experiment]) -> Experiment:
    """All whole settings that make a run larger at their largest, one seed in ten places."""
    found: Experiment = declared().model_copy(update={"seeds": tuple(range(10))})
    for name, schema in schemas(declared).items():
        if schema.get("type") != "integer" or "maximum" not in schema:
            continue
        more = found.model_copy(update={name: schema["maximum"]})
        if (more.estimated_bytes(), more.estimated_seconds()) >= (found.estimated_bytes(), found.estimated_seconds()):
            found = more
    return found


TAKES_MEMORY = [
    name for name, declared in experiments().items() if largest(declared).estimated_bytes() > 1.05 * AT_LEAST
]
"""What is smaller at its largest is never refused for its memory."""


@pytest.mark.parametrize("name", TAKES_MEMORY)
def test_every_laboratory_s_largest_settings_are_refused_with_what_to_lower(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = largest(experiments()[name])
    limit = int((AT_LEAST + settings.estimated_bytes()) / 2e6)
    monkeypatch.setenv(MEMORY, str(limit))
    with pytest.raises(SettingsError) as refused:
        check(settings)
    assert "This run would take about" in str(refused.value)
    setting, value = lowered(settings, str(refused.value))
    assert settings.model_copy(update={setting: value}).estimated_bytes() <= limit * 1e6
    assert settings.model_copy(update={setting: more(value)}).estimated_bytes() > limit * 1e6


@pytest.mark.parametrize(
    ("left", "advice"), [(0.05, "Lower several of hidden, context"), (0, "Even the smallest such run takes more.")]
)
def test_a_run_that_no_single_setting_makes_fit(left: float, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = largest(experiments()["price-tokens"])
    monkeypatch.setenv(MEMORY, str(int((AT_LEAST + left * (settings.estimated_bytes() - AT_LEAST)) / 1e6)))
    with pytest.raises(SettingsError) as refused:
        check(settings)
    assert f"here. {advice}" in str(refused.value)
    assert "market seed" not in str(refused.value)


@pytest.mark.parametrize("name", experiments())
def test_too_long_a_run_is_refused_with_what_to_lower(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = largest(experiments()[name])
    monkeypatch.setenv(MEMORY, "1" + "0" * 9)
    limit = int(settings.estimated_seconds() / 2)
    monkeypatch.setenv(SECONDS, str(limit))
    with pytest.raises(SettingsError) as refused:
        check(settings)
    setting, value = lowered(settings, str(refused.value))
    assert settings.model_copy(update={setting: value}).estimated_seconds() <= limit


def lowered(settings: Experiment, sentence: str) -> tuple[str, Any]:
    """The setting that a sentence asks to lower, and to what."""
    _, _, rest = sentence.removesuffix(".").rpartition("here. ")
    what, _, number = rest.partition(": at most ")
    if what == "Name fewer seeds":
        return "seeds", settings.seeds[: int(number)]
    [name] = [name for name in type(settings).model_fields if what == f"Lower {label(name).lower()}"]
    return name, int(number)


def more(value: Any) -> Any:
    return (*value, 99) if isinstance(value, tuple) else value + 1


@pytest.mark.parametrize("name", experiments())
def test_what_ships_fits_a_gigabyte(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, GIGABYTE)
    for preset in experiments()[name].presets:
        settings = experiments()[name].preset(preset.slug)
        assert settings.estimated_bytes() > 0
        check(settings)


@pytest.mark.parametrize(("name", "value"), [(MEMORY, "lots"), (MEMORY, "0"), (SECONDS, "-1"), (SECONDS, "9" * 30)])
def test_a_limit_that_is_none_is_said_before_any_run(
    name: str, value: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ExecutionError, match=f"{name} is '{value}'; allowed is a whole number from 1 on."):
        Executor(store, workers=0)


class Spinning(Toy):
    """Its fourth step computes for a long time, in Python."""

    def train(self, record: Any) -> None:
        record.coordinates(network=["plain", "residual"], seed=list(self.seeds))
        for epoch in record.steps(self.epochs):
            record("norm", np.array([epoch]))
            end = time.monotonic() + (self.seconds if epoch == 4 else 0)
            while time.monotonic() < end:
                pass
            through.append(epoch)


through: list[int] = []
"""The steps of such runs that went to their end in this process."""


def test_a_long_step_ends_at_the_time_limit_and_its_records_stay(store: Store) -> None:
    run_id = store.create(Spinning(epochs=9))
    through.clear()
    assert execute(Spinning(epochs=9, seconds=10.0, time_limit=1), run_id, store.url) == "stopped"
    assert through == [1, 2, 3]
    run = store.run(run_id)
    assert run.message == "Stopped during epoch 4, which went on beyond the time limit of 1 s."
    assert run.step == 3
    assert store.load(run_id)["norm"].squeeze().values.tolist() == [1, 2, 3]


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    monkeypatch.setenv(MEMORY, "1000")
    started = Executor(Store(f"sqlite:///{tmp_path / 'runs.sqlite'}"), workers=1)
    yield started
    started.close()
    started.store.close()


@pytest.mark.slow
def test_a_step_outside_of_python_ends_with_its_worker_and_the_next_run_finishes(worker: Executor) -> None:
    asleep = worker.submit(Toy(epochs=9, time_limit=1, fail_at=2, failure="sleep"))
    until(lambda: worker.store.run(asleep).status == "stopped")
    assert worker.store.run(asleep).message.startswith("Stopped during epoch 2, which went on beyond the time limit")
    after = worker.submit(Toy(epochs=3))
    until(lambda: worker.store.run(after).status == "finished", 120)


@pytest.mark.slow
def test_a_run_that_takes_more_than_it_said_fails_with_a_sentence_and_the_worker_goes_on(worker: Executor) -> None:
    greedy = worker.submit(Toy(epochs=9, fail_at=2, failure="gigabytes"))
    until(lambda: not worker.store.run(greedy).unfinished)
    run = worker.store.run(greedy)
    assert (run.status, run.step) == ("failed", 2)
    assert run.message == "The worker ran out of memory; choose a smaller value of size or epochs."
    after = worker.submit(Toy(epochs=3))
    until(lambda: worker.store.run(after).status == "finished")
    assert worker.store.run(after).attributes["worker"] == run.attributes["worker"]
