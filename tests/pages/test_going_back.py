"""The browser's Back and Forward: the page shows what the address says, and nothing of what it showed."""

from goldviz.ui.panels.lanes import EXAMPLE
from tests.pages.visit import LABORATORY, Visitor

SIGMOID = EXAMPLE + "break-it-sigmoid"


def in_view(visitor: Visitor) -> tuple[object, list[str], list[str]]:
    """The depth that the knob shows, the lanes, and the open part."""
    state = visitor.at.session_state
    parts = [str(group.value) for group in visitor.at.button_group if str(group.key).startswith("part-")]
    return state["setting-depth-gradients-depth"], list(state["lanes-depth-gradients"]), parts


def test_back_restores_settings_runs_and_part_and_forgets_what_the_address_does_not_say() -> None:
    visitor = Visitor(LABORATORY, {"depth": "9"})
    before = in_view(visitor)
    visitor.go_back(LABORATORY, {"depth": "5", "runs": SIGMOID, "shown": "why"})
    there = in_view(visitor)
    assert there == (5, [SIGMOID], ["why"])
    visitor.go_back(LABORATORY, {"depth": "9"})
    assert in_view(visitor) == before
    visitor.go_back(LABORATORY, {"depth": "5", "runs": SIGMOID, "shown": "why"})
    assert in_view(visitor) == there


def test_back_goes_to_a_story_s_earlier_step_and_to_before_the_story() -> None:
    visitor = Visitor(LABORATORY)
    visitor.go(LABORATORY, {"story": "skip.1"})
    first, link = in_view(visitor), dict(visitor.at.query_params)
    visitor.go(LABORATORY, {"story": "skip.3"})
    assert in_view(visitor) != first
    visitor.go_back(LABORATORY, link)
    assert in_view(visitor) == first
    assert visitor.at.session_state["story-at"] == "skip.1"
    visitor.go_back(LABORATORY)
    assert "story-at" not in visitor.at.session_state
    assert "story" not in visitor.at.query_params


def test_back_to_before_a_text_was_chosen_has_the_page_read_what_it_read() -> None:
    visitor = Visitor("pages/text_tokens.py")
    before = visitor.at.session_state["setting-text-tokens-corpus"]
    visitor.go_back("pages/text_tokens.py", {"corpus": "words"})
    assert visitor.at.session_state["setting-text-tokens-corpus"] == "words"
    visitor.go_back("pages/text_tokens.py")
    assert visitor.at.session_state["setting-text-tokens-corpus"] == before


def test_a_message_that_the_browser_sent_before_it_heard_of_back_does_not_bring_the_old_part_again() -> None:
    visitor = Visitor(LABORATORY, {"shown": "why"})
    before = visitor.at._tree.get_widget_states()
    visitor.go_back(LABORATORY)
    assert in_view(visitor)[2] == ["first"]
    visitor.at._run(before)
    assert in_view(visitor)[2] == ["first"]
    assert "shown" not in visitor.at.query_params
