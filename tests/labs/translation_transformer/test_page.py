"""The page of *Translation with a Transformer*: a sentence of one's own is written word by word, or refused."""

import pytest

import goldviz
from tests.labs.translation_transformer.cases import SMALL
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")
PAGE = "pages/translation_transformer.py"


def test_a_sentence_is_written_step_by_step_and_an_odd_one_refused() -> None:
    run = str(goldviz.run("translation-transformer", progress=False, keep=True, **SMALL).attrs["run_id"])
    visitor = Visitor(PAGE, {"runs": run, "shown": "sentence"})
    visitor.at.text_input(key="transformer-reversal-sentence").set_value("a b c b")
    visitor.press("Write")
    assert not visitor.errors
    [table] = [part.proto.body for part in visitor.at.get("html") if "<table>" in part.proto.body]
    assert table.count("beam") == 4
    assert any(part.value.startswith("The next word: **") for part in visitor.at.markdown)
    for sentence, words in (("a " * 1000, "1,000 words; allowed are up to 40"), ("a ß", "has never read 'ß'")):
        visitor.at.text_input(key="transformer-reversal-sentence").set_value(sentence)
        visitor.look()
        [error] = visitor.errors
        assert words in error.replace("\\", "")
        assert visitor.at.text_input(key="transformer-reversal-sentence").value == sentence


def test_cross_attention_stands_beside_that_of_recurrent_networks() -> None:
    visitor = Visitor(PAGE, {"shown": "beside"})
    assert not visitor.errors
    assert any("Two recurrent networks" in part.value for part in visitor.at.markdown)
