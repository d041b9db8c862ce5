"""Settings that ask for more than there is: the page says what to lower, and *Train* waits."""

import pytest

from goldviz.runs.execution.limits import MEMORY
from goldviz.ui.serving import services
from tests.pages.visit import LABORATORY, Visitor


def test_what_asks_for_too_much_cannot_be_trained_and_says_what_to_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "300")
    visitor = Visitor(LABORATORY, {"width": "512", "depth": "40"})
    sentence = visitor.errors[0].replace("\\", "")
    assert sentence.startswith("This run would take about ")
    assert " of memory; a run may take 300 MB here. Lower width: at most " in sentence
    assert visitor.at.button(key="train-depth-gradients").disabled
    lower = int(sentence.removesuffix(".").rpartition(" ")[2])
    assert not visitor.set(width=lower).errors
    assert not visitor.at.button(key="train-depth-gradients").disabled
    assert services.store().list()[1] == 0


def test_a_number_typed_just_before_the_click_is_what_is_trained() -> None:
    visitor = Visitor(LABORATORY, {"depth": "2"})
    visitor.at.number_input(key="setting-depth-gradients-epochs").set_value(3)
    visitor.click("train-depth-gradients")
    [run], _ = services.store().list()
    assert run.total == 3
