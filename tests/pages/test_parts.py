"""A visitor who works in a part of a page: it stays open, and what was typed there stays."""

import pytest

from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.lanes import EXAMPLE
from tests.pages.visit import LABORATORY, Visitor

WAVENET = {"model": "wavenet", "context": "4", "hidden": "2", "embedding": "2", "steps": "1", "batch": "2"}


def open_parts(visitor: Visitor) -> list[str]:
    """What the strip has open."""
    return [str(group.value) for group in visitor.at.button_group if str(group.key).startswith("part-")]


def in_sees(settings: dict[str, str]) -> Visitor:
    """A visitor who looks at what a place sees."""
    return Visitor("pages/char_language_model.py", {**settings, "shown": "sees"})


def test_training_keeps_the_part_open_that_shows_the_run() -> None:
    visitor = in_sees(WAVENET).click(f"train-{CharLanguageModel.name}").wait_for("Finished")
    assert visitor.runs
    assert open_parts(visitor) == ["sees"]
    assert visitor.at.query_params["shown"] == "sees"
    assert not visitor.at.toast


@pytest.mark.parametrize("part", ["sees", "happened"])
def test_training_goes_to_the_figures_where_the_part_shows_nothing_of_the_run_and_says_so(part: str) -> None:
    visitor = in_sees(WAVENET | {"model": "mlp"}).open(part).click(f"train-{CharLanguageModel.name}")
    assert open_parts(visitor) == ["first"]
    [told] = visitor.at.toast
    assert told.value.startswith("The new run is shown here.")


def test_training_in_another_lane_than_the_part_s_goes_to_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_panel, "DOUBLE_CLICK_SECONDS", 0)
    visitor = in_sees(WAVENET).click(f"beside-{CharLanguageModel.name}").wait_for("Finished")
    assert open_parts(visitor) == ["sees"]
    visitor.at.number_input(key="setting-char-language-model-steps").set_value(2)
    visitor.click(f"train-{CharLanguageModel.name}")
    assert open_parts(visitor) == ["first"], "the example's lane is the new run's, the part is about the last lane"


def test_a_review_that_was_typed_is_there_when_its_part_is_opened_again() -> None:
    slug = next(one.slug for one in RecurrentGradients.presets if one.changes.get("task") == "reviews")
    visitor = Visitor("pages/recurrent_gradients.py", {"runs": EXAMPLE + slug, "shown": "words"})
    visitor.at.text_area[0].set_value("A dull film")
    visitor.look().open("first").open("words")
    assert visitor.at.text_area[0].value == "A dull film"


def test_a_wrong_part_is_answered_in_the_words_of_the_strip_and_a_doubled_setting_says_which_counts() -> None:
    visitor = Visitor(LABORATORY, {"shown": "nothing"})
    [sentence] = [one.value for one in visitor.at.warning]
    assert "At a glance" in sentence
    assert "closer," not in sentence
    visitor.at.query_params["depth"] = ["8", "9"]
    visitor.look()
    [sentence] = [one.value for one in visitor.at.warning]
    assert all(word in sentence for word in ("depth", "8", "9", "last"))
