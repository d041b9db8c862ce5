"""*Look closer* offers the figures that a run can show."""

from typing import Any

import pytest

from goldviz.declare.registry import experiments
from goldviz.runs.examples import example
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")


def offered(visitor: Visitor, name: str) -> list[str]:
    return list(visitor.at.button_group(key=f"detail-{name}").options)


def test_what_an_example_did_not_record_is_no_choice_until_a_run_records_it() -> None:
    declared: Any = experiments()["recurrent-gradients"]
    recorded = example(declared, declared.presets[0].slug)
    assert "gradient_to_data" not in recorded, "the example is older than this variable: another one is needed here"
    visitor = Visitor("pages/recurrent_gradients.py", {"steps": "4", "length": "5", "hidden": "4", "shown": "closer"})
    assert "How large are the gradients beside the weights?" not in offered(visitor, "recurrent-gradients")
    visitor.click("train-recurrent-gradients").wait_for("Finished")
    assert "How large are the gradients beside the weights?" in offered(visitor, "recurrent-gradients")
