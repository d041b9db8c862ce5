"""The laboratory *Continuous depth*: its presets, its figures, and a run."""

import pytest

from goldviz.labs.continuous_depth.figures import FIGURES
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.ui.serving import services
from tests.pages.visit import Visitor, recorded_figures

pytestmark = pytest.mark.usefixtures("on_pages")

PAGE = "pages/continuous_depth.py"
SMALL = {"samples": "20", "width": "4", "steps": "3", "batch": "8", "method": "euler", "blocks": "2"}


def test_a_stranger_sees_the_documents_experiment_drawn() -> None:
    visitor = Visitor(PAGE)
    assert visitor.at.title[0].value == ContinuousDepth.title
    [state] = visitor.states
    assert state.startswith("**As in the document**")
    assert all(visitor.figures(name)[0]["data"] for name in ("carried", "loss"))
    assert not visitor.errors + visitor.warnings
    visitor.open("why")
    assert visitor.figures("why-euler_steps")[0]["data"]
    assert any("evaluations of f for a batch" in words for words in visitor.markdown)
    assert any("**Adjoint**" in words for words in visitor.markdown)
    assert not services.executor_ready(), "looking needs no workers"


def test_every_figure_can_be_chosen() -> None:
    visitor = Visitor(PAGE, {"shown": "closer"})
    for name in recorded_figures(ContinuousDepth, FIGURES) - {"carried", "loss", "network"}:
        visitor.at.button_group(key="detail-continuous-depth").set_value(name)
        visitor.look()
        assert visitor.figures(name)[0]["data"], name


def test_a_run_is_trained_and_shown() -> None:
    visitor = Visitor(PAGE, SMALL).click("train-continuous-depth").wait_for("Finished")
    assert visitor.figures("carried")[0]["data"]
    run = services.store().run(visitor.runs[0])
    assert (run.status, run.step) == ("finished", 3)
    assert ContinuousDepth.checked_json(run.settings) == ContinuousDepth.checked(SMALL)
