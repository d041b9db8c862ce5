"""Tone and masked words as the model's own heads give them."""

import doctest
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.text.reading import read_text
from goldviz.labs.inside_bert.attribution import outputs as text_outputs
from goldviz.labs.inside_bert.attribution.outputs import (
    label_number,
    softmax_of,
    tone,
    tone_logits,
)
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model


def test_the_worked_example_holds():
    found = doctest.testmod(text_outputs)
    assert found.attempted > 0
    assert not found.failed


def test_tone_is_the_softmax_of_the_classifier_at_the_first_piece():
    model, pieces = text_model(), pieces_of()
    first = read_text(model, pieces).hidden[-1, 0]
    dense, read_out = model.classifier.dense, model.classifier.read_out
    expected = read_out.weight @ torch.tanh(dense.weight @ first + dense.bias) + read_out.bias
    np.testing.assert_allclose(tone_logits(model, pieces), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(tone(model, pieces), expected.softmax(0), rtol=1e-11)
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
    bare, pieces = replace(text_model(), classifier=None, masked_words=None), pieces_of()
    with pytest.raises(TextModelError, match="has no classifier of tone"):
        tone(bare, pieces)
    with pytest.raises(TextModelError, match="has no classifier of tone"):
        label_number(bare, "neutral")
    with pytest.raises(TextModelError, match=r"label is 'glad', which no classes have; allowed by .* are negative, ne"):
        label_number(text_model(), "glad")
