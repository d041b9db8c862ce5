"""The page of *Neural programmer*: programs as text, and a question of one's own with a run's weights."""

import pytest

import goldviz
from tests.labs.neural_programmer.cases import SMALL
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")
PAGE = "pages/neural_programmer.py"


@pytest.fixture
def run_id() -> str:
    return str(goldviz.run("neural-programmer", progress=False, keep=True, **SMALL | {"columns": 2}).attrs["run_id"])


def tables(visitor: Visitor) -> list[str]:
    return [part.proto.body for part in visitor.at.get("html") if "<table" in part.proto.body]


def test_a_question_is_answered_odd_ones_are_refused_and_nothing_is_lost(run_id: str) -> None:
    visitor = Visitor(PAGE, {"runs": run_id, "shown": "ask"})
    visitor.at.text_area(key="programmer-2-table").set_value("0.1 0.2; 0.3 0.9")
    visitor.press("Ask")
    assert not visitor.errors
    [table] = tables(visitor)
    assert table.count("<tr>") == 3
    assert "●●" in table
    assert any("The program answers" in part.value for part in visitor.at.markdown)
    for question, cells, words in (
        ("sum c", "0.1 0.2", "The question asks for column c; the table has a, b."),
        ("sum a where b above 0.4", "0.1 0.2", "The word 'above' is unknown"),
        ("sum a", "", "The table has 0 rows; allowed are 1 to 20."),
    ):
        visitor.at.text_input(key="programmer-2-question").set_value(question)
        visitor.at.text_area(key="programmer-2-table").set_value(cells)
        visitor.look()
        [error] = visitor.errors
        assert words in error.replace("\\", "")
        assert visitor.at.text_input(key="programmer-2-question").value == question
    [table] = tables(visitor.open("programs"))
    assert table.count("<tr>") == 9 + 1
