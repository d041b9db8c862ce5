"""Tone and masked words as the model's own heads give them."""

import doctest
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.inside_bert.attribution import outputs as text_outputs
from goldviz.labs.inside_bert.attribution.outputs import (
    classifier_of,
    label_number,
    softmax_of,
)
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import text_model


def test_the_worked_example_holds():
    found = doctest.testmod(text_outputs)
    assert found.attempted > 0
    assert not found.failed


def test_labels_go_by_name():
    model = text_model()
    assert [label_number(model, label) for label in model.labels] == [0, 1, 2]


@given(logits=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=6), shift=st.floats(-1e3, 1e3))
def test_probabilities_sum_to_1_and_do_not_feel_a_shift(logits, shift):
    found = softmax_of(np.array(logits))
    assert found.sum() == pytest.approx(1, rel=1e-13)
    np.testing.assert_allclose(softmax_of(np.array(logits) + shift), found, rtol=1e-9, atol=1e-12)


def test_labels_that_repeat_go_by_number():
    model = replace(text_model(), labels=("rise", "fall", "rise"))
    assert [label_number(model, label) for label in ("fall", 0, 2)] == [1, 0, 2]
    with pytest.raises(
        TextModelError, match=r"label is 'rise', which 2 classes have; allowed .* or a number from 0 to 2"
    ):
        label_number(model, "rise")
    with pytest.raises(TextModelError, match="label is 3, which no classes have"):
        label_number(model, 3)


def test_what_a_model_lacks_is_named():
    bare = replace(text_model(), classifier=None, masked_words=None)
    with pytest.raises(TextModelError, match="has no classifier of tone"):
        classifier_of(bare)
    with pytest.raises(TextModelError, match="has no classifier of tone"):
        label_number(bare, "neutral")
    with pytest.raises(TextModelError, match=r"label is 'glad', which no classes have; allowed by .* are negative, ne"):
        label_number(text_model(), "glad")
