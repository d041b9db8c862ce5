"""The page of backpropagation through time by hand."""

import pytest

from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand
from goldviz.ui.words import plain
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")


def _page(link: dict[str, str] | None = None, theme: str = "light") -> InstantVisitor:
    return InstantVisitor(BackpropagationByHand, link, theme)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_steps_forward_and_then_backward(theme: str) -> None:
    visitor = _page(theme=theme).open("sums")
    assert "weights" in visitor.drawn()
    visitor.open("first")
    for place, words in (
        (1, "Step 1, “g”, forward"),
        (3, "Step 3, “l”, forward"),
        (4, "Step 3, “l”, backward"),
        (6, "Step 1, “g”, backward"),
    ):
        visitor.set(place=place)
        assert visitor.drawn()["vectors"]["layout"]["title"]["text"] == words
    assert visitor.at.query_params == {"place": "6"}
    assert {"terms", "sums"} <= set(visitor.open("sums").drawn())


def test_the_sums_stand_beside_autograds() -> None:
    table = _page().open("sums").at.dataframe[0].value
    assert list(table["Part"]) == ["W_ax", "W_aa", "b_a", "W_ya", "b_y"]
    assert (table["Largest difference"].astype(float) < 1e-12).all()
    assert (table["Norm by hand"] == table["Norm by autograd"]).all()


@pytest.mark.parametrize("text", ["", "x", "y" * 41])
def test_a_text_that_is_not_allowed_is_told_and_the_last_good_one_stays(text: str) -> None:
    visitor = _page().set(text="banana")
    before = visitor.drawn()
    visitor.set(text=text)
    [error] = visitor.errors
    assert error.startswith("Text is ")
    assert plain("allowed is a text of 2 to 40 characters.") in error
    assert visitor.drawn() == before
    visitor.set(text="cocoa")
    assert not visitor.errors
    assert visitor.at.query_params == {"text": "cocoa"}


def test_a_shorter_text_keeps_the_place_inside() -> None:
    visitor = _page({"text": "a longer text than this", "place": "40"})
    visitor.set(text="ab")
    assert visitor.at.query_params["place"] == "2"


def test_hostile_text_is_only_text() -> None:
    visitor = _page({"text": "<b onload=x>&**_$x$"})
    for figure in visitor.drawn().values():
        assert "<b onload" not in str(figure)
    assert not visitor.errors


def test_clipping_and_the_update_are_shown_with_numbers() -> None:
    visitor = _page().choose("fix-it-clip").open("update")
    metrics = {metric.label: metric.value for metric in visitor.at.metric}
    assert metrics["After clipping"] == "1"
    assert float(metrics["Norm of the gradient"]) > 30
    assert float(metrics["Loss after"]) < float(metrics["Loss before"])
