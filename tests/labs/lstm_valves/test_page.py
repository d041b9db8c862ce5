"""The page of the LSTM's valves."""

import re

import pytest

from goldviz.labs.lstm_valves.page import seconds
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.runs.jobs.jobs import Jobs, Task
from goldviz.ui.panels.background import AT_ONCE_SECONDS
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")


def _reach(visitor: InstantVisitor) -> int:
    [line] = [line for line in visitor.markdown if "1/100" in line]
    return int(re.findall(r"(\d+) steps", line)[0])


def test_a_stranger_sees_every_figure_at_once() -> None:
    visitor = InstantVisitor(LSTMValves)
    assert set(visitor.all_drawn()) == {"split", "cell", "reach", "paths", "valves", "gates"}
    visitor.open("why")
    assert any("differ by at most" in line for line in visitor.markdown)


def test_a_larger_forget_bias_makes_the_gradient_reach_further() -> None:
    visitor = InstantVisitor(LSTMValves).open("why")
    near = _reach(visitor)
    visitor.set(forget_bias=1.0)
    assert _reach(visitor) > near
    assert visitor.at.query_params == {"forget_bias": "1", "shown": "why"}


def test_the_cell_follows_the_slider_and_the_knobs() -> None:
    visitor = InstantVisitor(LSTMValves)
    at_first = visitor.drawn()["cell"]
    assert at_first["layout"]["title"]["text"] == "Inside the LSTM, unit 1 at step 10"
    visitor.set(step=11, cell="gru", unit=64)
    title = visitor.drawn()["cell"]["layout"]["title"]["text"]
    assert title == "Inside the GRU, unit 16 at step 11", "there are 16 units"


@pytest.mark.parametrize("task", ["recall", "adding", "sine"])
def test_every_sequence_at_its_shortest_and_longest(task: str) -> None:
    for length in ("2", "200"):
        visitor = InstantVisitor(LSTMValves, {"task": task, "length": length, "hidden": "3"})
        assert not visitor.errors
        assert visitor.drawn()["split"]["data"]


def test_long_sequences_are_a_worker_s_and_those_of_presets_the_page_s(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = []

    def noted(jobs: Jobs, task: Task[object]) -> object:
        at_once.append(task.key)
        return here(jobs, task)

    here = Jobs.here
    monkeypatch.setattr(Jobs, "here", noted)
    assert all(seconds(LSTMValves.preset(preset.slug)) <= AT_ONCE_SECONDS for preset in LSTMValves.presets)
    InstantVisitor(LSTMValves, {"seed": "7"})
    assert len(at_once) == 1
    visitor = InstantVisitor(LSTMValves, {"seed": "7", "length": "200", "hidden": "64"})
    assert len(at_once) == 1
    assert {"split", "cell"} <= set(visitor.drawn())
