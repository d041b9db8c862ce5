"""The page of backpropagation through time by hand."""

import numpy as np
import pytest

from goldviz.labs.backpropagation_by_hand.compute import compute
from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand
from goldviz.labs.backpropagation_by_hand.unrolled import unrolled
from goldviz.ui.words import plain
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")


def _page(link: dict[str, str] | None = None, theme: str = "light") -> InstantVisitor:
    return InstantVisitor(BackpropagationByHand, link, theme)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_steps_forward_and_then_backward(theme: str) -> None:
    visitor = _page({"place": "1", "settings_version": "3"}, theme).open("sums")
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
    assert visitor.at.query_params == {"place": "6", "settings_version": "3"}
    assert {"terms", "sums"} <= set(visitor.open("sums").drawn())


def test_the_sums_stand_beside_autograds() -> None:
    table = _page().open("sums").at.dataframe[0].value
    assert list(table["Part"]) == ["W_ax", "W_aa", "b_a", "W_ya", "b_y"]
    assert (table["Largest difference"].astype(float) < 1e-12).all()
    assert (table["Norm by hand"] == table["Norm by autograd"]).all()


def test_the_unrolled_network_has_its_numbers_and_the_way_back_that_was_gone() -> None:
    ds = compute(BackpropagationByHand(text="gold"))
    at_start, half_way, at_end = (unrolled.draw(ds, number=number).to_dict() for number in (1, 5, 6))
    of = {"h": [], "δ": []}
    for trace in at_end["data"]:
        of[trace["hovertemplate"][0]].append(np.asarray(trace["z"])[:, 0])
    np.testing.assert_allclose(of["h"], ds["h"].values)
    np.testing.assert_allclose(of["δ"], ds["delta_u"].values)
    assert len(at_start["data"]) == 1
    assert len(half_way["data"]) == 3 + 2
    [told, *_] = half_way["layout"]["meta"]["notes"]
    own, later = (np.linalg.norm(ds[name].sel(step=2)) for name in ("from_output", "from_later"))
    assert told == f"Backward, step 2: its own answer pulls with {own:.2g}, step 3 with {later:.2g}."


def test_a_long_text_shows_the_steps_around_the_one_in_view() -> None:
    figure = unrolled.draw(compute(BackpropagationByHand(text="a longer text")), number=20).to_dict()
    assert figure["layout"]["xaxis"]["tickvals"] == [4, 5, 6]
    assert "In view: steps 4 to 6 of 12." in figure["layout"]["meta"]["notes"][1]


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
    assert visitor.at.query_params == {"text": "cocoa", "settings_version": "3"}


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
