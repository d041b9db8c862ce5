"""The page of *Attention between networks*: a row by hand, and a sentence of one's own with a run's weights."""

import pytest

import goldviz
from tests.labs.attention_interface.cases import SMALL
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")
PAGE = "pages/attention_interface.py"


@pytest.fixture
def run_id() -> str:
    return str(goldviz.run("attention-interface", progress=False, keep=True, **SMALL).attrs["run_id"])


def tables(visitor: Visitor) -> list[str]:
    return [part.proto.body for part in visitor.at.get("html") if "<table>" in part.proto.body]


def test_a_sentence_is_translated_a_long_one_refused_and_a_row_adds_up_by_hand(run_id: str) -> None:
    visitor = Visitor(PAGE, {"runs": run_id, "shown": "sentence"})
    visitor.at.text_input(key="interface-reversal-sentence").set_value("a b c b")
    visitor.press("Translate")
    assert not visitor.errors
    with_attention, without = tables(visitor)
    assert "GRU with attention" in with_attention
    assert "GRU without attention" in without
    assert with_attention.count("beam") == 4
    visitor.at.text_input(key="interface-reversal-sentence").set_value("a " * 1000)
    visitor.look()
    [error] = visitor.errors
    assert "1,000 words; allowed are up to 40" in error.replace("\\", "")
    assert visitor.at.text_input(key="interface-reversal-sentence").value == "a " * 1000
    [table] = tables(visitor.open("by-hand"))
    weights = [float(row.split("<td")[-1].split(">", 1)[1].replace("<b>", "").split("<")[0]) for row in rows(table)]
    assert sum(weights) == pytest.approx(1, abs=0.005)
    assert len(weights) == 4


def rows(table: str) -> list[str]:
    return table.partition("<tbody>")[2].split("</tr>")[:-1]
