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
    declared: Any = experiments()["depth-gradients"]
    recorded = example(declared, declared.presets[0].slug)
    assert "gradient_to_data" not in recorded, "the example is older than this variable: another one is needed here"
    visitor = Visitor("pages/depth_gradients.py", {"epochs": "2", "depth": "2"})
    assert "How large are the gradients beside the weights?" not in offered(visitor, "depth-gradients")
    visitor.click("train-depth-gradients").wait_for("Finished")
    assert "How large are the gradients beside the weights?" in offered(visitor, "depth-gradients")
