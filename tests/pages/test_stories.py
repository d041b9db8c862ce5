"""A visitor who follows a story."""

import pytest

from goldviz.declare.stories import Guess, Step, Story, stories
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.ui.panels import lanes
from goldviz.ui.panels import stories as stories_panel
from goldviz.ui.panels.cards import picture_of
from goldviz.ui.panels.story_progress import Progress
from tests.pages.visit import HOME, LABORATORY, Visitor

PAGE = "pages/stories.py"
MEASURED = "**You said: No. Measured: Yes.** Of 32 layers the plain network ends at 0.25, the residual at 0.04."


def shown(visitor: Visitor) -> list[str]:
    return list(visitor.at.session_state[f"lanes-{DepthGradients.name}"])


def said(visitor: Visitor) -> str:
    return "\n".join(element.value for element in visitor.at.markdown)


def test_the_list_leads_to_every_story_and_home_to_the_list() -> None:
    titles = [story.title for _, story in stories().values()]
    labels = [link.proto.label for link in Visitor(PAGE).at.get("page_link")]
    assert all(any(title in label for label in labels) for title in titles)
    assert "stories" in [link.proto.page for link in Visitor(HOME).at.get("page_link")]


def test_a_storys_card_shows_a_picture_tells_minutes_and_leads_to_its_first_step() -> None:
    visitor = Visitor(PAGE)
    said_on_cards = [element.value for element in visitor.at.caption]
    for _, story in stories().values():
        assert any(f"About {story.minutes} minutes." in words and story.able in words for words in said_on_cards)
        assert picture_of(story.picture or stories()[story.slug][0]).startswith("<svg")


@pytest.mark.parametrize("count", [5, 7])
def test_more_steps_guesses_and_tasks_take_longer(count: int) -> None:
    look = Step("Look at it.", ("a",))
    ask = Step("Look at it.", ("a",), guess=Guess("Is it?", ("No", "Yes"), lambda run: (0, "")))
    quiet, asking = (Story("s", "S", "see.", (one,) * count) for one in (look, ask))
    assert 0 < quiet.minutes < asking.minutes
    assert Story("s", "S", "see.", (look,) * 7).minutes > Story("s", "S", "see.", (look,) * 5).minutes


def test_a_step_sets_its_page_up_and_a_guess_is_answered() -> None:
    visitor = Visitor(LABORATORY, {"story": "skip.3"})
    story = stories()["skip"][1]
    assert story.steps[2].words in said(visitor)
    assert f"# {story.title} :gray[3 of 6]" in said(visitor)
    assert shown(visitor) == [lanes.EXAMPLE + "32-layers-the-residual-network-learns"]
    assert visitor.at.session_state["detail-depth-gradients"] == "loss_by_depth"
    assert visitor.at.query_params["story"] == "skip.3"
    [guess] = [pills for pills in visitor.at.button_group if pills.key == "guess-skip-3"]
    guess.set_value("No")
    visitor.look()
    assert MEASURED in said(visitor)
    assert f"# {story.title} :gray[3 of 6, 1 done]" in said(visitor)
    assert "What happened?" in options_of_strip(visitor)


def options_of_strip(visitor: Visitor) -> list[str]:
    [strip] = [group for group in visitor.at.button_group if str(group.key).startswith("part-")]
    return list(strip.options)


def test_while_a_guess_is_open_no_part_that_tells_the_answer_can_be_opened() -> None:
    visitor = Visitor(LABORATORY, {"story": "skip.3", "shown": "happened"})
    assert options_of_strip(visitor) == ["At a glance", "Look closer"]


def test_a_drawn_curve_is_a_guess_and_what_is_none_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr(stories_panel.st, "session_state", state)
    falling = [[x, 10.0 ** (x - 15)] for x in range(16)]
    for told in (None, {}, {"points": 7}, {"points": [[1, "<b>"]]}, {"points": [[0, 1]]}, {"points": [[1, 1], [2, 0]]}):
        stories_panel._drew("deep-plain", 1, told)
        assert not state
    stories_panel._drew("deep-plain", 1, {"points": falling})
    assert state["guess-deep-plain-1"] == "Less than a thousandth"
    stories_panel._drew("deep-plain", 1, {"points": [[x, 0.5] for x in range(16)]})
    assert state["guess-deep-plain-1"] == "About as much"


def test_what_the_browser_kept_is_taken_up_and_a_story_can_begin_anew() -> None:
    visitor = Visitor(LABORATORY, {"story": "skip.1"})
    kept = {"skip": Progress(guesses={3: 0})}
    visitor.at.session_state["stories-kept"] = kept
    visitor.go(LABORATORY, {"story": "skip.3"})
    assert MEASURED in said(visitor)
    visitor.go(PAGE)
    assert ":material/check: 1 of 2 guesses and tasks done" in said(visitor)
    assert "Go on with step 6" in [link.proto.label for link in visitor.page_links()]
    visitor.click("anew-skip")
    assert f"# {stories()['skip'][1].title} :gray[1 of 6]" in said(visitor)
    visitor.go(LABORATORY, {"story": "skip.3"})
    assert "Measured:" not in said(visitor)


def test_a_copied_link_keeps_what_it_names_and_the_next_step_is_set_up_in_the_same_visit() -> None:
    visitor = Visitor(LABORATORY, {"story": "deep-plain.5", "depth": "9", "runs": lanes.EXAMPLE + "break-it-sigmoid"})
    assert shown(visitor) == [lanes.EXAMPLE + "break-it-sigmoid"]
    assert visitor.at.query_params["depth"] == "9"
    visitor.go(LABORATORY, {"story": "deep-plain.3"})
    assert shown(visitor) == [lanes.EXAMPLE + "as-in-the-document", lanes.EXAMPLE + "break-it-sigmoid"]


def test_a_story_waits_on_other_pages_and_ends_where_one_wants() -> None:
    visitor = Visitor(LABORATORY, {"story": "skip.1"})
    visitor.go("pages/ode_rnn.py")
    assert "Back to the story" in [link.proto.label for link in visitor.at.get("page_link")]
    assert "story" not in visitor.at.query_params
    visitor.click("story-end")
    assert stories()["skip"][1].title not in said(visitor)


def test_a_link_to_no_step_says_so_and_shows_the_page() -> None:
    visitor = Visitor(LABORATORY, {"story": "<b>skip</b>.9"})
    assert any("there is no step" in warning.value for warning in visitor.at.warning)
    assert shown(visitor) == [lanes.EXAMPLE + DepthGradients.presets[0].slug]
