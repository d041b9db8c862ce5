"""The page of *Backward by hand*."""

import pytest

from goldviz.labs.backward_by_hand.settings import BackwardByHand
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")


@pytest.fixture(name="visitor")
def fixture_visitor() -> InstantVisitor:
    return InstantVisitor(BackwardByHand)


def write(visitor: InstantVisitor, asked: str, formula: str) -> None:
    if visitor.at.selectbox(key="backward-asked").value != asked:
        visitor.at.selectbox(key="backward-asked").set_value(asked)
        visitor.look()
    visitor.at.text_input(key=f"backward-formula-{asked}").set_value(formula)
    visitor.look()


def test_every_gradient_stands_beside_autograd_s(visitor: InstantVisitor) -> None:
    assert set(visitor.drawn()) == {"graph", "tensor", "push_and_pull", "column_of_zeros", "paths"}
    [table] = [frame.value for frame in visitor.at.dataframe if "Largest difference" in frame.value]
    differences = [float(value) for value in table["Largest difference"] if value]
    assert len(differences) == 26
    assert max(differences) < 1e-9


def test_a_formula_of_one_s_own_is_judged_and_kept(visitor: InstantVisitor) -> None:
    write(visitor, "logits", "probs - onehot(Y)")
    assert "All of yours times" in visitor.warnings[0]
    write(visitor, "logits", "(probs - onehot(Y)) / n")
    assert not visitor.warnings
    assert "Equal to autograd" in visitor.at.success[0].value
    write(visitor, "h", "__import__('os')")
    assert visitor.errors
    write(visitor, "h", "dlogits @ W2.T")
    assert not visitor.errors
    visitor.at.selectbox(key="backward-asked").set_value("logits")
    visitor.look()
    assert visitor.at.text_input(key="backward-formula-logits").value == "(probs - onehot(Y)) / n"


def test_words_that_are_none_are_told_and_the_last_good_ones_stay(visitor: InstantVisitor) -> None:
    before = visitor.drawn()
    visitor.set(words="   ")
    assert "only blanks" in visitor.errors[0]
    assert visitor.drawn() == before
