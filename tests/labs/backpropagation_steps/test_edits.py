"""Numbers changed by hand, as a link holds them: whoever wrote it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.settings import SettingsError
from goldviz.labs.backpropagation_steps.network import changed, drawn, sizes
from goldviz.labs.backpropagation_steps.parts.diagram import told
from goldviz.labs.backpropagation_steps.settings import LARGEST, LONGEST, PLACE, BackpropagationSteps, parsed

HOSTILE = [
    "w1.1.1",
    "w1.1.1=",
    "w1.1.1=nan",
    "w1.1.1=1e999",
    "w1.1.1=1001",
    "w0.1.1=1",
    "w7.1.1=1",
    "w1.9.1=1",
    "w1.1=1",
    "b1.1.1=1",
    "t1=0",
    "t1=1.5",
    "t5=1",
    "x5.1=1",
    "w1.1.1=1;;b1.1=__import__('os')",
    "w1.1.1=٣",
    "w1.1.1= 1",
    "<script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_changes_nothing_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(SettingsError) as refused:
        BackpropagationSteps.checked({"edits": text})
    assert str(refused.value).startswith("Edits is ")
    assert told({"text": text}) is None


@given(st.text(max_size=60))
def test_any_text_is_taken_whole_or_refused(text: str) -> None:
    taken = told({"text": text})
    assert taken is None or (taken == text and all(abs(value) <= LARGEST for value in parsed(text).values()))


@pytest.mark.parametrize("said", [None, 3, {}, {"text": 3}, {"text": "w1.1.1=1;" * LONGEST}, ["text"]])
def test_what_is_no_text_is_not_taken(said: object) -> None:
    assert told(said) is None


def test_every_place_can_be_changed() -> None:
    """The largest network's numbers, each in its turn, and nothing else moves."""
    settings = BackpropagationSteps(layers=2, width=2, inputs=3, outputs=2, samples=2)
    before = drawn(settings)
    for place in ("w1.2.3", "w2.1.2", "b1.2", "b2.1", "x2.3", "y1.2"):
        assert PLACE.fullmatch(place)
        after = changed(settings.changed(edits=f"{place}=7.25"))
        pairs = zip(_numbers(before), _numbers(after), strict=True)
        assert [new for old, new in pairs if new != old] == [7.25], place


def _numbers(network) -> list[float]:  # type: ignore[no-untyped-def]
    parts = [*network.weights, *network.biases, network.inputs, network.targets]
    return [value for part in parts for value in part.flatten().tolist()]


def test_a_class_is_changed_where_there_are_classes() -> None:
    softmax = BackpropagationSteps(loss="cross_entropy", outputs=3, samples=2, edits="t2=3;t1=8;y1.1=9")
    targets = changed(softmax).targets
    assert targets[1].tolist() == [0, 0, 1]
    assert targets[0].tolist() == drawn(softmax).targets[0].tolist()
    squared = softmax.changed(loss="squared")
    assert changed(squared).targets[0, 0] == 9


def test_what_is_outside_of_a_smaller_network_waits() -> None:
    wide = BackpropagationSteps(width=4, edits="w2.4.4=0.5;w3.1.4=2;x1.3=1")
    narrow = wide.changed(width=2, inputs=2, layers=2)
    assert sizes(narrow) == [2, 2, 2]
    before, after = drawn(narrow), changed(narrow)
    assert _numbers(before) == _numbers(after)
    assert float(changed(narrow.changed(width=4, inputs=3, layers=3)).weights[1][3, 3]) == 0.5


def test_a_wider_network_keeps_its_draws() -> None:
    small, large = (drawn(BackpropagationSteps(width=width, inputs=4, layers=3)) for width in (3, 8))
    assert small.inputs.tolist() == large.inputs.tolist()
    assert small.weights[0].tolist() == large.weights[0][:3].tolist()
    assert small.biases[1].tolist() == large.biases[1][:3].tolist()
