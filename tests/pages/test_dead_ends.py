"""No part of a page ends in a sentence alone: a click leads on."""

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.ui.panels import lanes
from tests.pages.visit import LABORATORY, Visitor


def test_read_a_review_opens_a_run_that_can_by_one_click() -> None:
    visitor = Visitor("pages/recurrent_gradients.py", {"shown": "words"})
    visitor.click("open-readers")
    assert visitor.at.text_area(key="words-typed").value
    assert visitor.at.query_params["runs"] == lanes.EXAMPLE + "fix-it-forget-bias-1"


def test_what_needs_weights_trains_a_run_by_one_click() -> None:
    visitor = Visitor("pages/translation_transformer.py", {"shown": "sentence"})
    [offer] = [button for button in visitor.at.button if button.label == "Train it now"]
    assert not offer.disabled


def test_the_x_of_start_from_leads_back_to_how_the_page_arrives() -> None:
    visitor = Visitor(LABORATORY, {"depth": "9"})
    visitor.menu.set_value("break-it-sigmoid")
    visitor.look()
    visitor.menu.set_value(None)
    visitor.look()
    assert visitor.at.session_state["lanes-depth-gradients"] == [lanes.EXAMPLE + DepthGradients.presets[0].slug]
    assert "depth" not in visitor.at.query_params
