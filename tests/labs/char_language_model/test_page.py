"""The page of *Character language models*: texts to read, what a hidden place sees, and the run's own numbers."""

import pytest

from goldviz.data.texts.kept_texts import load_text
from goldviz.labs.char_language_model.page import Tree, reach
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.ui.panels import controls
from goldviz.ui.words import plain
from tests.pages.visit import Visitor

PAGE = "pages/char_language_model.py"
CORPUS = controls.key_of(CharLanguageModel, "corpus")
on_pages = pytest.mark.usefixtures("on_pages")


@on_pages
def test_a_text_is_chosen_brought_and_left_again() -> None:
    visitor = Visitor(PAGE)
    assert any("**First names**" in words for words in visitor.markdown)
    visitor.at.button_group(key=f"{CORPUS}-own").set_value("cities")
    visitor.look()
    assert visitor.at.session_state[CORPUS] == "cities"
    assert visitor.at.query_params["corpus"] in ("cities", ["cities"])

    lines = "\n".join(f"word{chr(97 + number)}" for number in range(20)).encode()
    visitor.at.file_uploader(key="text-file").set_value(("own.txt", lines, "text/plain"))
    visitor.look().click("use-text")
    name = visitor.at.session_state[CORPUS]
    assert load_text(name).encode() == lines
    assert any(f"**{plain('own.txt')}**" in words for words in visitor.markdown)
    visitor.click("text-generated")
    assert visitor.at.session_state[CORPUS] == "names"


@on_pages
def test_a_text_that_cannot_be_learned_is_refused_before_it_is_kept() -> None:
    visitor = Visitor(PAGE)
    for content, words in ((b"one line", "The text has 1 line"), (b"\x00\x01" * 40, "binary data"), (b"", "is empty")):
        visitor.at.file_uploader(key="text-file").set_value(("own.txt", content, "text/plain"))
        [error] = visitor.look().errors
        assert words in error
        assert "use-text" not in [button.key for button in visitor.at.button]
    assert visitor.at.session_state[CORPUS] == "names"


@on_pages
def test_the_hierarchy_lights_what_a_place_sees_and_the_losses_stand_in_three_units() -> None:
    visitor = Visitor(PAGE, {"shown": "why"})
    assert any("3.296 nat = 4.75 bits = perplexity 27" in words for words in visitor.markdown)
    visitor.open("sees")
    assert any("in a hierarchy alone" in words for words in visitor.captions)
    visitor.at.selectbox(key="preset-char-language-model").set_value("hierarchy")
    visitor.look()
    assert not any("in a hierarchy alone" in words for words in visitor.captions)
    assert "Layer" in [slider.label for slider in visitor.at.select_slider]
    assert not visitor.errors


@pytest.mark.parametrize(("node", "lit"), [((3, 0), 15), ((2, 1), 7), ((1, 3), 3), ((0, 5), 1)])
def test_the_receptive_field_is_lit(node: tuple[int, int], lit: int) -> None:
    tree = Tree((8, 4, 2, 1))
    drawn = reach(tree, node=node)
    colours = list(drawn.data[-1].marker.color)
    assert colours.count(colours[tree.nodes.index(node)]) == lit == len(tree.seen(node))
    assert drawn.to_json()
