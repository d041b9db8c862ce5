"""Up to four lanes: opened, replaced, closed, and kept in the link."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui.panels import lanes
from goldviz.ui.serving import services
from goldviz.ui.words import duration
from tests.runs.toy import Toy

EXAMPLE = "example:as-in-the-document"


def _script(calls: list[tuple[str, ...]]) -> None:
    import streamlit as st

    from goldviz.labs.depth_gradients.settings import DepthGradients
    from goldviz.ui.panels import lanes

    st.session_state["answers"] = [getattr(lanes, name)(DepthGradients, *arguments) for name, *arguments in calls]
    st.session_state["seen"] = list(lanes.ids(DepthGradients))
    st.session_state["link"] = lanes.to_link(DepthGradients)


def _after(*calls: tuple[Any, ...]) -> Any:
    page = AppTest.from_function(_script, default_timeout=30, kwargs={"calls": calls}).run()
    assert not page.exception
    return page.session_state


def test_the_page_arrives_with_the_documents_example_and_no_link() -> None:
    state = _after()
    assert state["seen"] == [EXAMPLE]
    assert state["link"] == {}


@settings(max_examples=10)
@given(st.lists(st.tuples(st.sampled_from(["add", "compare", "close"]), st.sampled_from("abcdef")), max_size=10))
def test_lanes_are_one_to_four_different_ones_and_the_oldest_goes(calls: list[tuple[str, str]]) -> None:
    expected = [EXAMPLE]
    for name, lane in calls:
        if name == "add":
            expected = list(dict.fromkeys([*expected, lane]))[-4:]
        elif name == "compare" and EXAMPLE in expected:
            expected = list(dict.fromkeys(lane if known == EXAMPLE else known for known in expected))
        elif name == "compare":
            expected = list(dict.fromkeys([*expected[len(expected) > 1 :], lane]))
        else:
            expected = [known for known in expected if known != lane] or [EXAMPLE]
    state = _after(*calls)
    assert state["seen"] == expected
    assert state["link"] == ({} if expected == [EXAMPLE] else {"runs": ",".join(expected)})


SIGMOID, ZERO = "break-it-sigmoid", "break-it-zero-weights"


@pytest.mark.parametrize(
    ("runs", "seen", "shown"),
    [
        ([], [f"example:{ZERO}"], [True, True]),
        (["a"], ["a", f"example:{ZERO}"], [True, True]),
        (["a", "b", "c"], ["a", "b", "c", f"example:{ZERO}"], [True, True]),
        (["a", "b", "c", "d"], ["a", "b", "c", "d"], [False, False]),
    ],
)
def test_an_example_takes_another_example_s_lane_and_never_a_run_s(
    runs: list[str], seen: list[str], shown: list[bool]
) -> None:
    calls = [("compare", runs[0]), *(("add", run) for run in runs[1:])] if runs else []
    state = _after(*calls, ("show_example", SIGMOID), ("show_example", ZERO))
    assert state["seen"] == seen
    assert state["answers"][-2:] == shown


def test_a_run_takes_an_example_s_lane_before_it_takes_another_run_s() -> None:
    state = _after(("compare", "a"), ("show_example", SIGMOID), ("add", "b"), ("compare", "c"))
    assert state["seen"] == ["a", "c", "b"]


def test_the_last_two_runs_stand_side_by_side_and_equal_settings_are_one_lane() -> None:
    shallow, deep, repeated = [services.store().create(DepthGradients(depth=depth)) for depth in (3, 4, 4)]
    other = services.store().create(DepthGradients(depth=5))
    state = _after(*(("compare", run) for run in (shallow, deep, repeated)))
    assert state["seen"] == [shallow, repeated]
    state = _after(*(("compare", run) for run in (shallow, deep, other)))
    assert state["seen"] == [deep, other]


def test_lanes_are_called_by_what_differs_between_them() -> None:
    rates = (0.01, 0.1)
    ids = [services.store().create(DepthGradients(depth=3, learning_rate=rate)) for rate in rates]
    shown = lanes.told_apart([lanes.read(DepthGradients, run_id) for run_id in [*ids, EXAMPLE]])
    assert [lane.title for lane in shown] == [
        "Depth 3 · learning rate 0.01",
        "Depth 3 · learning rate 0.1",
        DepthGradients.presets[0].name,
    ]
    assert [lane.title for lane in lanes.told_apart(shown[:2])] == ["Learning rate 0.01", "Learning rate 0.1"]


def test_no_two_lanes_have_one_title() -> None:
    ids = [services.store().create(DepthGradients(depth=3)) for _ in range(3)]
    shown = lanes.told_apart([lanes.read(DepthGradients, run_id) for run_id in ids])
    assert [lane.title for lane in shown] == ["Depth 3", "Depth 3 (2)", "Depth 3 (3)"]


def test_a_link_opens_the_lanes_that_it_names() -> None:
    ids = [services.store().create(DepthGradients(depth=depth)) for depth in (3, 4)]
    state = _after(("from_link", f"{ids[0]},{EXAMPLE},{ids[1]},{ids[0]},"))
    assert state["answers"] == [[]]
    assert state["seen"] == [ids[0], EXAMPLE, ids[1]]


def test_more_lanes_than_fit_are_told() -> None:
    ids = [services.store().create(DepthGradients(depth=depth)) for depth in range(1, 7)]
    state = _after(("from_link", ",".join(ids)))
    assert state["seen"] == ids[:4]
    assert state["answers"] == [["In the link: it names 6 runs; 4 can stand side by side, so the first 4 are shown."]]


@pytest.mark.parametrize(
    "garbage", ["0123456789ab", "'; DROP TABLE runs; --", "<b>x</b>", "example:", "example:../x", "😀"]
)
def test_what_cannot_be_opened_is_told_and_the_rest_of_the_link_counts(garbage: str) -> None:
    run_id = services.store().create(DepthGradients())
    state = _after(("from_link", f"{garbage},{run_id}"))
    [[complaint]] = state["answers"]
    assert complaint.startswith("In the link: There is no ")
    assert complaint.endswith(".")
    assert state["seen"] == [run_id]


def test_a_link_to_nothing_leaves_the_example() -> None:
    state = _after(("from_link", ",,nothing,"))
    assert state["seen"] == [EXAMPLE]
    assert len(state["answers"][0]) == 1


def test_a_database_that_cannot_be_opened_is_told_once(database: Path) -> None:
    database.mkdir()
    state = _after(("from_link", "aaaa,bbbb,cccc"))
    [[complaint]] = state["answers"]
    assert complaint.startswith("In the link: ")
    assert str(database) in complaint
    assert state["seen"] == [EXAMPLE]


def test_an_example_is_a_finished_run_with_its_settings() -> None:
    lane = lanes.read(DepthGradients, EXAMPLE)
    assert lane.run is None
    assert isinstance(lane, lanes.Lane)
    assert lane.settings == DepthGradients()
    assert not lane.unfinished
    assert lane.last_step == 20
    assert lane.title == "As in the document"


def test_a_run_is_read_with_its_settings_and_its_name() -> None:
    unnamed = services.store().create(DepthGradients(depth=3, gain=0.5, device="cpu", time_limit=9))
    named = services.store().create(DepthGradients(), name="Monday <b>")
    lane = lanes.read(DepthGradients, unnamed)
    assert isinstance(lane, lanes.Lane)
    assert lane.settings == DepthGradients(depth=3, gain=0.5, time_limit=9)
    assert lane.unfinished
    assert lane.last_step == 0
    assert lane.title.lower() == "depth 3 · gain 0.5"
    assert lanes.read(DepthGradients, named).title == "Monday <b>"


def test_a_run_of_another_laboratory_is_refused_by_name() -> None:
    run_id = services.store().create(Toy())
    with pytest.raises(SettingsError, match=f"Run {run_id} belongs to another laboratory \\(toy\\)"):
        lanes.read(DepthGradients, run_id)


def test_a_run_with_settings_of_another_version_is_shown_with_its_complaint() -> None:
    class Later(DepthGradients):
        quantum: int = 1

        def model_dump_json(self, **_: Any) -> str:
            return json.dumps({**DepthGradients().model_dump(mode="json"), "quantum": 1})

    run_id = services.store().create(Later())
    lane = lanes.read(DepthGradients, run_id)
    assert isinstance(lane, lanes.UnreadLane)
    assert "depth-gradients has no setting 'quantum'" in lane.complaint
    assert (lane.title, lane.step, lane.last_step) == ("A run of another version", "epoch", 0)


def test_what_cannot_be_read_says_why(database: Path) -> None:
    with pytest.raises(UnknownRunError, match="There is no run 'nothing'"):
        lanes.read(DepthGradients, "nothing")
    with pytest.raises(SettingsError, match="There is no preset 'nothing'"):
        lanes.read(DepthGradients, "example:nothing")
    services.close()
    database.unlink()
    database.mkdir()
    with pytest.raises(StoreError, match=re.escape("runs.sqlite")):
        lanes.read(DepthGradients, "nothing")


def test_what_sets_a_lane_apart_is_told_in_the_words_of_its_controls() -> None:
    assert lanes.difference(DepthGradients(activation="relu", depth=3)) == "Depth 3 · activation ReLU"


def test_many_differences_are_cut_short() -> None:
    chosen = DepthGradients(depth=3, width=4, gain=2, epochs=5, seeds=(1, 2), activation="tanh")
    assert lanes.difference(chosen).endswith(" · 2 more")
    assert lanes.difference(DepthGradients(time_limit=5, device="auto")) == "As in the document"


@pytest.mark.parametrize(("step", "total", "share"), [(0, 0, 0.0), (0, 4, 0.0), (3, 4, 0.75), (4, 4, 1.0), (5, 4, 1.0)])
def test_a_run_is_as_far_as_its_steps(step: int, total: int, share: float) -> None:
    store = services.store()
    run = replace(store.run(store.create(Toy())), status="stopped", step=step, total=total, seconds=0.0)
    lane = SimpleNamespace(run=run, step="epoch")
    assert lanes.progress_of(lane) == (share, f"Epoch {step} of {total} · {duration(0.0)}")


def test_the_bar_of_a_run_that_finished_before_its_last_step_is_full() -> None:
    store = services.store()
    run = replace(store.run(store.create(Toy())), status="finished", step=3, total=4)
    assert lanes.progress_of(SimpleNamespace(run=run, step="epoch"))[0] == 1.0


def test_the_share_of_recording_is_told_once_there_is_a_step() -> None:
    store = services.store()
    run = replace(store.run(store.create(Toy())), status="stopped", total=4, seconds=10.0, instrument_seconds=2.0)
    words = [lanes.progress_of(SimpleNamespace(run=replace(run, step=step), step="epoch"))[1] for step in (0, 1)]
    assert ["recording took 20%" in text for text in words] == [False, True]
