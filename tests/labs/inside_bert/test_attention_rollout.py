"""Rollout against its definition with matrices written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.labs.inside_bert.head import mixed_attention, ways_down
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import pieces_of, text_model


def test_it_is_the_product_of_averaged_attention_and_identity():
    reading = read_text(text_model(), pieces_of())
    size = len(reading.pieces)
    expected = np.eye(size)
    for layer, found in enumerate(ways_down(reading)["rolled"].values):
        heads = np.mean([reading.head(layer, head).weights for head in range(4)], axis=0)
        expected = (heads / 2 + np.eye(size) / 2) @ expected
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@settings(max_examples=15)
@given(words=st.integers(1, 12), seed=st.integers(0, 5), sharpness=st.sampled_from([0.05, 0.3, 1.0]))
def test_rows_sum_to_1_and_at_least_the_residual_path_stays(words, seed, sharpness):
    reading = read_text(text_model(seed=seed, size=sharpness), pieces_of("gold " * words))
    for layer, found in enumerate(ways_down(reading)["rolled"].values, start=1):
        np.testing.assert_allclose(found.sum(1), 1, rtol=1e-13)
        assert found.min() >= 0
        assert found.diagonal().min() >= 0.5**layer


def test_float32_does_not_let_rows_drift():
    model = text_model()
    reading = read_text(model, pieces_of())
    single = mixed_attention(reading, 0).astype(np.float32).astype(float)
    assert abs(single.sum(1) - 1).max() > 1e-9
    np.testing.assert_allclose(mixed_attention(reading, 0).sum(1), 1, rtol=1e-15)


def test_a_layer_that_does_not_exist_is_named():
    with pytest.raises(IndexError, match="layer is number 7"):
        mixed_attention(read_text(text_model(), pieces_of("gold rose")), 7)
