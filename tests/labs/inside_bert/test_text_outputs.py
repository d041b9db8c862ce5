"""Tone and masked words as the model's own heads give them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.inside_bert.attribution.outputs import classifier_of, softmax_of
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import text_model
from tests.refusals import refused


@given(logits=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=6), shift=st.floats(-1e3, 1e3))
def test_probabilities_sum_to_1_and_do_not_feel_a_shift(logits, shift):
    found = softmax_of(np.array(logits))
    assert found.sum() == pytest.approx(1, rel=1e-13)
    np.testing.assert_allclose(softmax_of(np.array(logits) + shift), found, rtol=1e-9, atol=1e-12)


def test_what_a_model_lacks_is_named():
    bare = replace(text_model(), classifier=None, masked_words=None)
    with refused(TextModelError, "no_head", "classifier"):
        classifier_of(bare)
