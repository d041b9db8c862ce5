from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.laboratory import laboratory_of
from goldviz.runs import recorder
from goldviz.runs.recorder import KEPT_BYTES, MOST_CHECKPOINTS, Batch, Command, Ended, Progress, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from tests.runs.conftest import same_records, uninterrupted
from tests.runs.toy import Toy


class Log(Memory):
    """A sink that also keeps states and what it was told of progress."""

    def __init__(self) -> None:
        super().__init__()
        self.states: dict[int, bytes] = {}
        self.told: list[Progress] = []

    def batch(self, batch: Batch, progress: Progress) -> None:
        self.told.append(progress)
        super().batch(batch, progress)

    def checkpoint(self, step: int, state: bytes) -> None:
        self.states[step] = state


class Commands:
    """A control channel with commands for certain moments: ``commands[step]`` is given after that step."""

    def __init__(self, commands: Mapping[int, list[Command]], log: Log) -> None:
        self._commands, self._log = dict(commands), log

    def commands(self) -> list[Command]:
        step = self._log.told[-1].step if self._log.told else 0
        return self._commands.pop(step, [])


def carried_out(settings: Toy, commands: Mapping[int, list[Command]] | None = None, **how: Any) -> tuple[Log, str, str]:
    log = Log()
    try:
        laboratory_of(settings).run(settings, Recorder(settings, log, Commands(commands or {}, log), **how))
    except Ended as end:
        return log, end.status, str(end)
    return log, "finished", ""


@pytest.fixture(autouse=True)
def each_step_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a test sees what each step handed over, however quick the machine is."""
    monkeypatch.setattr(recorder, "TOGETHER", 0.0)


def test_records_of_quick_steps_are_handed_over_together_and_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    each, _, _ = carried_out(Toy(epochs=50))
    monkeypatch.setattr(recorder, "TOGETHER", 1000.0)
    together, status, _ = carried_out(Toy(epochs=50))
    assert status == "finished"
    assert [told.step for told in together.told] == sorted({1, *(step for step in together.states if step), 50})
    for name, (steps, values) in each.records.stacked().items():
        np.testing.assert_array_equal(together.records.stacked()[name][0], steps)
        np.testing.assert_array_equal(together.records.stacked()[name][1], values)


def test_steps_are_numbered_from_one_and_handed_over_in_order() -> None:
    log, status, _ = carried_out(Toy(epochs=7))
    assert status == "finished"
    assert [told.step for told in log.told] == [1, 2, 3, 4, 5, 6, 7]
    assert {told.total for told in log.told} == {7}
    assert all(0 <= told.instrument_seconds <= told.seconds for told in log.told)
    assert log.records.steps["count"] == [3, 6]


def test_doubles_are_kept_in_single_precision_and_whole_numbers_as_they_are() -> None:
    log, *_ = carried_out(Toy(epochs=3))
    assert log.records.values["position"][0].dtype == np.float32
    assert log.records.values["count"][0].dtype == np.int64


def test_what_is_recorded_is_a_copy() -> None:
    log = Log()
    record = Recorder(Toy(epochs=2), log, NobodyAsks())
    record.coordinates(seed=[0])
    values = np.zeros(1, np.float32)
    for _ in record.steps(2):
        values += 1
        record("norm", values)
    assert [float(found[0]) for found in log.records.values["norm"]] == [1.0, 2.0]


def test_a_number_too_large_for_single_precision_diverges_without_a_warning() -> None:
    log = Log()
    record = Recorder(Toy(epochs=2), log, NobodyAsks())
    record.coordinates(network=["plain", "residual"], seed=[0])
    next(record.steps(2))
    # pytest turns warnings into errors, so an overflow that warned would show here.
    with pytest.raises(Ended, match="no longer finite at epoch 1"):
        record("position", [[1e300], [0.0]])


@pytest.mark.parametrize(
    ("values", "reason"),
    [([1.0, 2.0], "shape"), (["one"], "numbers"), ([None], "numbers"), ([1 + 2j], "numbers")],
)
def test_values_that_do_not_fit_are_refused(values: list[Any], reason: str) -> None:
    record = Recorder(Toy(), Log(), NobodyAsks())
    record.coordinates(seed=[0])
    next(record.steps(1))
    with pytest.raises((ValueError, TypeError), match=reason):
        record("norm", values)


def test_a_dimension_without_labels_is_named() -> None:
    record = Recorder(Toy(), Log(), NobodyAsks())
    record.coordinates(seed=[0])
    next(record.steps(1))
    with pytest.raises(ValueError, match=r"record.coordinates\(\) labelled network"):
        record("position", [[0.0], [0.0]])


def test_coordinates_may_be_given_in_parts() -> None:
    log = Log()
    record = Recorder(Toy(), log, NobodyAsks())
    record.coordinates(network=["plain"])
    record.coordinates(seed=np.array([3, 4]))
    assert log.labels == {"network": ["plain"], "seed": [3, 4]}
    for _ in record.steps(1):
        record("position", [[1.0, 2.0]])


def test_recording_between_two_runs_of_the_loop_is_refused() -> None:
    record = Recorder(Toy(), Log(), NobodyAsks())
    record.coordinates(seed=[0])
    with pytest.raises(RuntimeError, match="outside"):
        record("norm", [0.0])


def test_a_diverged_run_keeps_what_it_recorded_and_says_where() -> None:
    log, status, message = carried_out(Toy(epochs=9, diverge_at=4, seeds=(5, 6)))
    assert (status, message) == ("diverged", "Position was no longer finite at epoch 4 (network plain, seed 5).")
    assert log.records.steps["position"] == [1, 2, 3, 4]
    assert log.told[-1].total == 9


class HoldingBack:
    """A procedure that hands ``norm`` over only when it has to, and notes which steps each state came after."""

    def __init__(self, log: Log, commands: Mapping[int, list[Command]], **how: Any) -> None:
        self.record = Recorder(Toy(epochs=30), log, Commands(commands, log), **how)
        self.record.coordinates(seed=[0], network=["plain"])
        self.record.holds_back(self.release)
        self.log, self.waiting = log, list[int]()
        self.handed_over: dict[int, int] = {}

    def release(self) -> None:
        if self.waiting:
            self.record.late("norm", self.waiting, [[float(step)] for step in self.waiting])
            self.waiting = []

    def state(self) -> bytes:
        self.handed_over[self.record.step] = len(self.log.records.steps.get("norm", []))
        return b"state"

    def run(self, diverge_at: int = 0) -> str:
        try:
            for step in self.record.steps(30, self.state):
                self.waiting.append(step)
                self.record("position", [[float("nan") if step == diverge_at else 0.0]])
        except Ended as end:
            return end.status
        return "finished"


@pytest.mark.parametrize(
    ("last", "status", "commands", "how"),
    [
        (30, "finished", {}, {}),
        (7, "paused", {7: [Command("pause")]}, {}),
        (7, "stopped", {7: [Command("stop")]}, {}),
        (7, "paused", {}, {"budget": 7}),
    ],
)
def test_what_is_held_back_is_there_before_a_state_is_kept_and_at_the_end(
    last: int, status: str, commands: dict[int, list[Command]], how: dict[str, int]
) -> None:
    log = Log()
    procedure = HoldingBack(log, commands, **how)
    assert procedure.run() == status
    assert log.records.steps["norm"] == list(range(1, last + 1))
    assert [float(value[0]) for value in log.records.values["norm"]] == log.records.steps["norm"]
    assert procedure.handed_over == {step: step for step in procedure.handed_over}
    assert last in procedure.handed_over


def test_what_is_held_back_is_kept_of_a_run_that_diverges() -> None:
    log = Log()
    assert HoldingBack(log, {}).run(diverge_at=5) == "diverged"
    assert log.records.steps["norm"] == [1, 2, 3, 4, 5]


def test_late_values_need_a_row_for_each_step() -> None:
    record = HoldingBack(Log(), {}).record
    with pytest.raises(ValueError, match="shape"):
        record.late("norm", [1, 2], [[0.0]])


@pytest.mark.parametrize(("kind", "status"), [("pause", "paused"), ("stop", "stopped")])
def test_an_order_ends_the_run_after_the_step_with_its_state(kind: str, status: str) -> None:
    log, found, message = carried_out(Toy(epochs=9), {4: [Command(kind)]})
    assert (found, message) == (status, f"{status.capitalize()} after epoch 4.")
    assert max(log.states) == log.told[-1].step == 4


def test_a_budget_pauses_and_the_last_step_finishes() -> None:
    log, status, _ = carried_out(Toy(epochs=3), budget=1)
    assert (status, log.told[-1].step) == ("paused", 1)
    log, status, _ = carried_out(Toy(epochs=3), budget=3)
    assert (status, log.told[-1].step) == ("finished", 3)


def test_the_time_limit_stops_a_run_with_its_state() -> None:
    log, status, message = carried_out(Toy(epochs=1000, seconds=0.3, time_limit=1))
    assert status == "stopped"
    assert "the time limit of 1 s was reached" in message
    assert max(log.states) == log.told[-1].step


def test_a_changed_hot_setting_is_marked_and_in_force_from_the_next_step() -> None:
    log, *_ = carried_out(Toy(epochs=6), {2: [Command("change", {"learning_rate": 5.0, "drift": 0.5})]})
    assert log.marks == [
        {"step": 2, "text": "learning rate 5, drift 0.5", "changes": {"learning_rate": 5.0, "drift": 0.5}}
    ]
    plain, *_ = carried_out(Toy(epochs=6))
    found, expected = log.records.values["norm"], plain.records.values["norm"]
    assert [bool(np.array_equal(a, b)) for a, b in zip(found, expected, strict=True)] == [True] * 2 + [False] * 4


@pytest.mark.parametrize(
    "changes", [{"learning_rate": -1.0}, {"learning_rate": "fast"}, {"epochs": 3}, {"nonsense": 1}, {}]
)
def test_an_order_that_is_not_allowed_changes_nothing(changes: dict[str, Any]) -> None:
    log, status, _ = carried_out(Toy(epochs=6), {2: [Command("change", changes)]})
    assert (status, log.marks) == ("finished", [])
    same_records(log.dataset({name: vars(v) for name, v in Toy.variables.items()}, {}), uninterrupted(Toy(epochs=6)))


def test_large_states_are_kept_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    often, *_ = carried_out(Toy(epochs=100))
    assert len(often.states) == MOST_CHECKPOINTS + 1
    # Small states in as much less room.
    room, of_run = KEPT_BYTES // 32, 2_000_000 // 32
    monkeypatch.setattr(recorder, "KEPT_BYTES", room)
    monkeypatch.setattr(recorder, "room_of_run", lambda: of_run)
    large = Toy(epochs=100, size=room // 50)
    # A quick run hands over what the store has room for, a slow one also states that are dropped for later ones.
    monkeypatch.setattr(recorder, "SPARE_STATE_SECONDS", 1e9)
    quick, *_ = carried_out(large)
    assert list(quick.states) == [0, 50, 100]
    monkeypatch.setattr(recorder, "SPARE_STATE_SECONDS", 0.0)
    slow, *_ = carried_out(large)
    assert list(slow.states) == [0, 34, 50, 68, 100]


def continued(settings: Toy, pieces: list[int], ends: Callable[[int], dict[int, list[Command]]]) -> Log:
    """Carry a run out in pieces, each going on from the state that the last one left."""
    whole, restored, step = Log(), None, 0
    for piece in [*pieces, settings.epochs]:
        log, status, _ = carried_out(settings, ends(step + piece), start_step=step, restored=restored)
        whole.records.extend(log.records)
        whole.labels |= log.labels
        whole.finals |= log.finals
        step = max(log.states)
        restored = log.states[step]
        if status == "finished":
            return whole
    raise AssertionError("it never finished")


@given(st.integers(1, 30), st.lists(st.integers(1, 9), max_size=6), st.sampled_from(["pause", "stop"]))
def test_a_run_in_pieces_records_what_an_uninterrupted_one_does(epochs: int, pieces: list[int], kind: str) -> None:
    settings = Toy(epochs=epochs, seeds=(0, 3))
    log = continued(settings, pieces, lambda step: {step: [Command(kind)]})
    variables = {name: vars(variable) for name, variable in settings.variables.items()}
    same_records(log.dataset(variables, {}), uninterrupted(settings))


@given(st.integers(1, 300), st.integers(1, 40))
def test_kept_states_are_few_and_evenly_spread(epochs: int, budget: int) -> None:
    log, *_ = carried_out(Toy(epochs=epochs), budget=budget)
    kept = sorted(log.states)
    assert kept[0] == 0
    assert kept[-1] == min(epochs, budget)
    assert len(kept) <= MOST_CHECKPOINTS + 2
    assert len(set(np.diff(kept[:-1]))) <= 1


def test_what_is_cut_short_after_the_last_step_is_not_called_preparations() -> None:
    record = Recorder(Toy(epochs=2), Log(), NobodyAsks())
    assert record.cut_short().startswith("Stopped during its preparations, which went on")
    assert list(record.steps(2)) == [1, 2]
    assert record.cut_short().startswith("Stopped during the work after epoch 2, which went on")
