"""The page of *ODE-RNN*: what was changed of its observations is in the link."""

import base64
import json
from urllib.parse import unquote

import numpy as np
import pytest

from goldviz.labs.ode_rnn.edited import LARGEST, EditedSeries
from goldviz.labs.ode_rnn.path import path
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.examples import example
from goldviz.ui.panels import background
from goldviz.ui.serving import frames
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")


def test_the_edits_of_a_link_are_shown_and_stay_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = example(ODERNNLaboratory, "as-in-the-document")
    series = EditedSeries.of(recorded["probe_time"].values, recorded["probe_value"].values)
    earliest, latest = series.room(2)
    edits = series.moved(2, (earliest + latest) / 2, 1.5).without(frozenset({4})).changes(series)
    visitor = Visitor("pages/ode_rnn.py", {"shown": "observations", "edits": edits})
    assert not visitor.errors
    assert not visitor.warnings
    assert [out.value for out in visitor.at.multiselect if out.label == "Left out"] == [[4]]
    assert [value.value for value in visitor.at.number_input if value.label == "Value"] == [1.5]
    assert visitor.at.query_params["edits"] == edits

    # What a drop is answered with is what the page's script comes to, so nothing is drawn or followed twice.
    [shown] = [
        json.loads(part.proto.json) for part in visitor.at.get("bidi_component") if "explore-flow" in part.proto.id
    ]
    page, lane = shown["asks"]["address"].split("/")[-2:]
    recorded_alone = {"look": shown["asks"]["about"]["look"], "edits": "x5"}

    def ask(question: object) -> tuple[int, str]:
        found = frames.answer_about(page, unquote(lane), json.dumps(question).encode())
        return found.status, found.content.decode()

    status, text = ask(recorded_alone | {"moved": [[0, -9e9, 1e300], [2, (earliest + latest) / 2, 1.5]]})
    first = json.loads(json.loads(text)["figures"]["flow"])["layout"]["shapes"][0]
    assert (status, first["xanchor"], first["yanchor"]) == (200, series.room(0)[0], LARGEST)
    status, text = ask(recorded_alone | {"moved": [[2, (earliest + latest) / 2, 1.5]]})
    answer = json.loads(text)
    assert (status, answer["subject"], answer["figures"]["flow"]) == (200, shown["place"]["state"], shown["figure"])
    assert set(answer["figures"]) == {"flow", "plane"}
    # The same while the hand still moves; nothing where that takes long.
    moved = recorded_alone | {"moved": [[2, (earliest + latest) / 2, 1.5]], "aims": True}
    assert json.loads(ask(moved)[1])["figures"] == answer["figures"]
    with monkeypatch.context() as slow:
        slow.setattr(background, "AT_ONCE_SECONDS", 0.0)
        assert json.loads(ask(moved)[1])["figures"] == {}
    followed = path(ODERNNLaboratory(), recorded["weights"].isel(look=-1).values, *series.with_changes(edits).kept())
    drawn = next(trace for trace in json.loads(shown["figure"])["data"] if trace.get("name") == "forecast")
    ends = np.frombuffer(base64.b64decode(drawn["y"]["bdata"]), drawn["y"]["dtype"])[[0, -1]]
    np.testing.assert_allclose(ends, followed["decoded_mean"].values[0, [0, -1], 0], rtol=1e-5)

    # The page opens with them, too, and says them in numbers below the figures.
    first_view = Visitor("pages/ode_rnn.py", {"edits": edits})
    assert not first_view.errors
    drawn = [json.loads(part.proto.json) for part in first_view.at.get("bidi_component")]
    assert [part["figure"] for part in drawn if part.get("movable")] == [shown["figure"]]
    assert [one.value for one in first_view.at.number_input if one.label == "Value"] == [1.5]

    for strange in (
        {"look": -1},
        {"look": True},
        {"look": "5"},
        {"edits": None},
        {"edits": "1_2"},
        {"edits": "1_9e9_0"},
        {"moved": []},
        {"moved": "all"},
        {"moved": [[99, 0, 0]]},
        {"moved": [[-1, 0, 0]]},
        {"moved": [[0.0, 0, 0]]},
        {"moved": [[0, float("nan"), 0]]},
        {"moved": [[0, 10**400, 0]]},
        {"moved": [[0, 0]]},
        {"moved": [[0, 0, 0]] * 17},
    ):
        status, text = ask(recorded_alone | {"moved": [[0, 0, 0]]} | strange)
        assert (status, text.endswith("."), "Traceback" in text) == (400, True, False), strange


def test_the_first_figure_can_be_dragged_and_a_number_that_is_typed_moves_its_observation() -> None:
    visitor = Visitor("pages/ode_rnn.py")
    parts = [json.loads(one.proto.json) for one in visitor.at.get("bidi_component")]
    [movable] = [part for part in parts if part.get("movable")]
    recorded = example(ODERNNLaboratory, "as-in-the-document")
    assert [one["xanchor"] for one in movable["handles"]] == pytest.approx(recorded["probe_time"].values)
    assert movable["frames"]["name"] == "flow"
    [value] = [one for one in visitor.at.number_input if one.label == "Value"]
    value.set_value(-0.5).run()
    assert not visitor.errors
    assert "_-0.5" in str(visitor.at.query_params["edits"])
