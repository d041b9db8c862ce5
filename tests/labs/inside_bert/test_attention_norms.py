"""Kobayashi's parts rebuild the layer's output, and their lengths equal those of vectors that were really added."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert import head as module
from goldviz.labs.inside_bert.head import (
    attention_norms,
    head_norms,
    head_word_norms,
    transformed_values,
)
from goldviz.labs.inside_bert.maps import group_by_word, word_maps
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import pieces_of, text_model


def parts(reading, layer):
    """a_ij f_h(x_j) as (head, query, key, width)."""
    return torch.stack(
        [
            torch.from_numpy(reading.head(layer, head).weights)[:, :, None] * transformed_values(reading, layer, head)
            for head in range(reading.model.encoder.shape.heads)
        ]
    )


@pytest.mark.parametrize("layer", range(3))
def test_the_parts_and_the_bias_are_the_attention_output_to_1e_12(layer):
    reading = read_text(text_model(), pieces_of())
    rebuilt = parts(reading, layer).sum((0, 2)) + reading.block(layer).attention.output.bias
    torch.testing.assert_close(rebuilt, reading.attention(layer).output[0], rtol=1e-12, atol=1e-12)


def test_a_transformed_value_is_the_token_through_both_matrices():
    reading = read_text(text_model(), pieces_of())
    attention, rows = reading.block(1).attention, slice(12, 18)
    x = reading.hidden[1]
    expected = (x @ attention.value.weight[rows].t() + attention.value.bias[rows]) @ attention.output.weight[
        :, rows
    ].t()
    torch.testing.assert_close(transformed_values(reading, 1, 2), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("at_once", [1, 5, 64])
def test_lengths_are_those_of_the_summed_vectors(monkeypatch, at_once):
    monkeypatch.setattr(module, "KEYS_AT_ONCE", at_once)
    reading = read_text(text_model(), pieces_of())
    for layer in range(3):
        vectors = parts(reading, layer)
        np.testing.assert_allclose(attention_norms(reading, layer), vectors.sum(0).norm(dim=-1), rtol=1e-8, atol=1e-12)
        for head in range(4):
            np.testing.assert_allclose(head_norms(reading, layer, head), vectors[head].norm(dim=-1), rtol=1e-11)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (2, 3)])
def test_the_norm_of_a_word_is_that_of_its_pieces_summed_vectors(layer, head):
    reading = read_text(text_model(), pieces_of("gold lending raised prices"))
    groups = torch.from_numpy(group_by_word(reading.pieces.words))
    assert groups.bincount().max() > 1
    members = torch.nn.functional.one_hot(groups).double()
    vectors = torch.einsum("qkd,kw->qwd", parts(reading, layer)[head].double(), members)
    expected = (members.t() @ vectors.norm(dim=-1)) / members.sum(0)[:, None]
    found = head_word_norms(reading, layer, head)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    lengths_added = word_maps(head_norms(reading, layer, head), reading.pieces.words)
    assert (found <= lengths_added * (1 + 1e-10)).all()
    assert (found < 0.99 * lengths_added).any()


def test_norms_of_words_of_one_piece_are_those_of_the_pieces():
    reading = read_text(text_model(), pieces_of("gold rose"))
    assert len(set(group_by_word(reading.pieces.words))) == len(reading.pieces)
    np.testing.assert_allclose(head_word_norms(reading, 1, 2), head_norms(reading, 1, 2), rtol=1e-10)


def test_heads_that_cancel_leave_nothing():
    """Two heads with the same weights and opposite outputs: each moves the token, both together do not."""
    model = text_model(heads=2, seed=3)
    encoder = type(model.encoder)(model.encoder.shape).double()
    encoder.load_state_dict(model.encoder.state_dict())
    attention = encoder.blocks[0].attention
    with torch.no_grad():
        for part in (attention.query, attention.key, attention.value):
            part.weight[12:], part.bias[12:] = part.weight[:12], part.bias[:12]
        attention.output.weight[:, 12:] = -attention.output.weight[:, :12]
    reading = read_text(replace(model, encoder=encoder), pieces_of())
    assert head_norms(reading, 0, 0).max() > 0.1
    assert attention_norms(reading, 0).max() < 1e-7


def test_layers_and_heads_that_do_not_exist_are_named():
    reading = read_text(text_model(), pieces_of("gold rose"))
    with pytest.raises(IndexError, match="layer is number 3"):
        attention_norms(reading, 3)
    with pytest.raises(IndexError, match="head is number 4"):
        head_norms(reading, 0, 4)
    with pytest.raises(IndexError, match="head is number 4"):
        head_word_norms(reading, 0, 4)
