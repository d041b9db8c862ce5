"""What a page leads on to at its foot."""

import pytest

from goldviz.declare.registry import laboratories
from goldviz.declare.stories import stories
from goldviz.ui import chrome
from goldviz.ui.panels import onwards
from tests.pages.visit import LABORATORY, Visitor


def test_the_foot_leads_to_the_room_after_this_one_and_to_a_story_that_comes_through() -> None:
    pages = chrome.laboratories()
    here = [page.path for page in pages].index("depth-gradients")
    labels = [link.proto.label for link in Visitor(LABORATORY).page_links()]
    assert f"Next, **{pages[here + 1].room}**: {pages[here + 1].question}" in labels
    assert any(label.startswith("Story, **What fifteen layers do to a gradient**") for label in labels)


def test_while_a_story_is_told_the_foot_is_silent() -> None:
    labels = [link.proto.label for link in Visitor(LABORATORY, {"story": "skip.1"}).page_links()]
    assert not any(label.startswith(("Next, ", "Story, ")) for label in labels)


@pytest.mark.parametrize("slug", stories())
def test_a_story_is_offered_where_each_of_its_steps_is(slug: str) -> None:
    home, story = stories()[slug]
    for name in {home, *(step.lab for step in story.steps if step.lab)}:
        assert story in onwards.told_in(laboratories()[name])
