"""The page *Residual steps to flow*."""

import pytest

from goldviz.labs.residual_flow.settings import ResidualFlow
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")

ALWAYS = {"carried", "convergence", "distance", "tolerance"}


def test_a_stranger_sees_every_figure_at_once() -> None:
    visitor = InstantVisitor(ResidualFlow)
    drawn = visitor.all_drawn()
    assert set(drawn) == ALWAYS
    assert all(figure["data"] for figure in drawn.values())
    assert sum(caption.startswith("Not shown here: ") for caption in visitor.captions) == len(visitor.drawn()) == 2
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


def test_knobs_without_effect_are_dimmed_with_the_reason() -> None:
    visitor = InstantVisitor(ResidualFlow)
    assert "mu" not in visitor.settings_in_sight()
    assert visitor.control("mu").disabled
    assert "Dimmed: Mu. Only Van der Pol's field has a mu." in visitor.captions
    visitor.set(field="van_der_pol")
    assert {"mu", "depth"} <= visitor.settings_in_sight()
    visitor.set(field="rings_lifted")
    assert not {"mu", "depth"} & visitor.settings_in_sight()


def test_separate_blocks_are_explained() -> None:
    visitor = InstantVisitor(ResidualFlow, {"sharing": "separate", "field": "spiral", "shown": "why"})
    assert any("Every block has its own weights" in line for line in visitor.markdown)


def _your_network(visitor: InstantVisitor) -> list[float]:
    [trace] = [trace for trace in visitor.drawn()["convergence"]["data"] if trace.get("name") == "your network"]
    return list(trace["y"])
