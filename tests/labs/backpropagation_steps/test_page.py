"""The page of the steps: figures, and what the diagram tells it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import xarray as xr

from goldviz.export.report import report_of_view
from goldviz.figures.spec import FigureSpec, by_name
from goldviz.labs.backpropagation_steps.parts.diagram import KEY, told_step
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.ui.panels import take_away
from tests.export.report_parts import figure_texts
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")
ALWAYS = {"halves", "step", "nudges", "agreement", "costs"}


def diagram(visitor: InstantVisitor) -> dict[str, Any]:
    """What the page tells the diagram."""
    [part] = [part for part in visitor.at.get("bidi_component") if part.proto.id.endswith(KEY)]
    told: dict[str, Any] = json.loads(part.proto.json)
    return told


def test_a_stranger_sees_the_network_and_every_figure() -> None:
    visitor = InstantVisitor(BackpropagationSteps)
    assert set(visitor.all_drawn()) == ALWAYS
    assert len(diagram(visitor)["network"]["weights"]) == 3
    visitor.open("why")
    assert any("No weight here starts at a silent neuron" in line for line in visitor.markdown)


def test_a_softmax_brings_its_matrix() -> None:
    visitor = InstantVisitor(BackpropagationSteps).choose("softmax-and-cross-entropy")
    assert set(visitor.all_drawn()) == {*ALWAYS, "softmax"}
    assert diagram(visitor)["network"]["activations"][-1]["formula"] == "z"


def test_changed_numbers_stand_in_the_link_and_autograd_follows() -> None:
    visitor = InstantVisitor(BackpropagationSteps, {"edits": "w1.1.1=0.5;b1.2=-10", "activation": "relu"})
    told = diagram(visitor)
    assert told["edits"] == told["autograd"]["edits"] == "w1.1.1=0.5;b1.2=-10"
    assert told["autograd"]["biases"][0][1] == 0
    assert visitor.at.query_params["edits"] == "w1.1.1=0.5;b1.2=-10"
    visitor.open("why")
    assert any("lead into a dead one" in line for line in visitor.markdown)


def test_the_step_in_view_stands_in_the_link_and_its_diagram_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[BackpropagationSteps, xr.Dataset, Callable[[], list[FigureSpec]]]] = []
    monkeypatch.setattr(take_away, "show_view", lambda *view: shown.append(view))
    visitor = InstantVisitor(BackpropagationSteps, {"step": "7", "layers": "2", "activation": "relu"})
    assert diagram(visitor)["step"] == 7
    assert visitor.at.query_params["step"] == "7"
    visitor.open("take")
    settings, dataset, figures = shown[-1]
    report = report_of_view(settings, dataset, by_name(*figures()))
    texts = " ".join(figure_texts(report))
    assert "The network, step by step" in texts
    assert "Phase B, layer 1: what arrives" in texts


@pytest.mark.parametrize("said", [None, {}, {"to": "5"}, {"to": -1}, {"to": 27}, {"to": True}, {"to": 1.5}, [5]])
def test_a_step_that_is_none_changes_nothing(said: object) -> None:
    assert told_step(said) is None
    assert told_step({"to": 26}) == 26


def test_a_preset_puts_changed_numbers_back() -> None:
    visitor = InstantVisitor(BackpropagationSteps, {"edits": "w1.1.1=0.5"}).choose("as-in-the-document")
    assert diagram(visitor)["edits"] == ""
    assert "edits" not in visitor.at.query_params


def test_a_link_that_changes_nothing_is_told() -> None:
    visitor = InstantVisitor(BackpropagationSteps, {"edits": "w9.1.1=x"})
    assert any("names no number of a network" in line or "Edits" in line for line in visitor.warnings)
    assert diagram(visitor)["edits"] == ""
