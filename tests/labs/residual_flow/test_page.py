"""The page *Residual steps to flow*."""

import base64
import json

import numpy as np
import pytest

from goldviz.labs.residual_flow.settings import FIELDS, ResidualFlow
from goldviz.ui.panels import background
from goldviz.ui.serving import queries, services
from tests.pages.instant import InstantVisitor
from tests.runs.conftest import until

pytestmark = pytest.mark.usefixtures("on_pages")

FIRST = {"carried", "convergence"}
ALWAYS = {"carried", "convergence", "distance", "tolerance"}


def test_a_stranger_sees_every_figure_at_once() -> None:
    visitor = InstantVisitor(ResidualFlow)
    drawn = visitor.all_drawn()
    assert set(drawn) == ALWAYS
    assert all(figure["data"] for figure in drawn.values())
    assert set(visitor.drawn()) == FIRST
    assert any("Δt = 0.375" in line for line in visitor.open("why").markdown)


def test_more_blocks_come_nearer_to_the_flow() -> None:
    visitor = InstantVisitor(ResidualFlow)
    far = max(_your_network(visitor))
    visitor.set(blocks=128)
    assert max(_your_network(visitor)) < far / 8
    assert visitor.at.query_params == {"blocks": "128"}


def test_the_depth_in_view_moves_the_points_and_not_the_convergence() -> None:
    visitor = InstantVisitor(ResidualFlow)
    before = visitor.drawn()
    visitor.set(view=50)
    after = visitor.drawn()
    assert after["carried"] != before["carried"]
    assert after["convergence"] == before["convergence"]


def test_knobs_without_effect_are_not_in_sight_and_come_back_as_they_were_left() -> None:
    visitor = InstantVisitor(ResidualFlow)
    assert "mu" not in visitor.settings_in_sight()
    visitor.set(field="van_der_pol")
    assert {"mu", "depth"} <= visitor.settings_in_sight()
    visitor.set(mu=1.5)
    visitor.set(field="rings_lifted")
    assert not {"mu", "depth"} & visitor.settings_in_sight()
    visitor.set(field="van_der_pol")
    assert visitor.control("mu").value == 1.5


def test_separate_blocks_are_explained() -> None:
    visitor = InstantVisitor(ResidualFlow, {"sharing": "separate", "field": "spiral", "shown": "why"})
    assert any("Every block has its own weights" in line for line in visitor.markdown)


def test_figures_that_come_ahead_of_the_page_are_the_page_s_own() -> None:
    settings = {"field": "rings_lifted", "blocks": 9, "view": 80}
    visitor = InstantVisitor(ResidualFlow, {name: str(value) for name, value in settings.items()})
    drawn = visitor.all_drawn()
    services.forget_readings()
    question = {"figures": list(drawn), "theme": "light"}
    asked = json.dumps({"settings": settings, "question": question}).encode()
    found = json.loads(queries.answer(ResidualFlow.name, asked).content)
    assert {"carried", "flow", "distance"} == set(found["figures"]), "solvers are left to the page's script"
    assert all(json.loads(text) == drawn[name] for name, text in found["figures"].items())
    [told] = [json.loads(part.proto.json) for part in visitor.at.get("bidi_component") if "-ahead" in part.proto.id]
    assert told["settings"] == found["subject"]
    assert told["knobs"]["field"][FIELDS["moons"]] == "moons"


def test_what_other_settings_might_have_asked_for_is_given_up() -> None:
    """A seed that no other test has: its fields are trained in the background as soon as the page is drawn."""
    until(lambda: services.jobs().idle)
    visitor = InstantVisitor(ResidualFlow, {"seed": "901"})
    first = _of_use(visitor)
    assert [key.split("-")[0] for key in sorted(first)] == ["everywhere", "likely"]
    visitor.set(seed=902)
    second = _of_use(visitor)
    assert len(second) == 2
    assert not first & second
    [trained] = [job for key in first if (job := background.job(key)) and key.startswith("likely")]
    until(lambda: not trained.unfinished)
    assert trained.state == "stopped"


def _of_use(visitor: InstantVisitor) -> set[str]:
    """The keys of the jobs that the page wants at its settings."""
    return set(visitor.at.session_state["of-use-residual-flow"])


def _your_network(visitor: InstantVisitor) -> list[float]:
    [trace] = [trace for trace in visitor.drawn()["convergence"]["data"] if trace.get("name") == "your network"]
    packed = trace["y"]
    return list(np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]))
