"""Neighbours by cosine and the shares of the three embeddings, against their definitions."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from goldviz.diagnostics.text.reading import read_text
from goldviz.labs.inside_bert.attribution.neighbours import embedding_parts, nearest_pieces
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import pieces_of, text_model


@pytest.mark.parametrize("number", [0, 9, 30])
def test_neighbours_are_the_largest_cosines_of_all_others(number):
    model = text_model()
    table = model.encoder.embeddings.token.weight
    cosines = torch.nn.functional.cosine_similarity(table, table[number][None]).numpy()
    order = [other for other in np.argsort(-cosines) if other != number]
    found = nearest_pieces(model, number, 5)
    assert [piece for piece, _ in found] == model.tokeniser.convert_ids_to_tokens(order[:5])
    np.testing.assert_allclose([cosine for _, cosine in found], cosines[order[:5]], rtol=1e-12)
    assert len(nearest_pieces(model, number, 10_000)) == len(table) - 1


def test_a_piece_without_direction_has_cosine_0():
    model = text_model()
    encoder = deepcopy(model.encoder)
    encoder.embeddings.token.weight[0] = 0
    zeroed = replace(model, encoder=encoder)
    assert {cosine for _, cosine in nearest_pieces(zeroed, 0)} == {0.0}
    assert dict(nearest_pieces(zeroed, 9, 999))["[PAD]"] == 0


def test_numbers_outside_the_vocabulary_are_named():
    with pytest.raises(TextModelError, match=r"piece is number 4000; the random model has numbers 0 to 11\d"):
        nearest_pieces(text_model(), 4000)


def test_shares_split_the_squared_length_of_the_sum():
    reading = read_text(text_model(), pieces_of())
    found = embedding_parts(reading)
    np.testing.assert_allclose(found["share"].sum("part"), 1, rtol=1e-12)
    for part in ("token", "segment", "position"):
        vectors = getattr(reading.embeddings, part)
        np.testing.assert_allclose(found["norm"].sel(part=part), vectors.norm(dim=-1), rtol=1e-12)
        projected = (vectors * reading.embeddings.total).sum(-1) / reading.embeddings.total.square().sum(-1)
        np.testing.assert_allclose(found["share"].sel(part=part), projected, rtol=1e-12)
    np.testing.assert_allclose(found["total_norm"], reading.embeddings.total.norm(dim=-1), rtol=1e-12)
    assert found["token"].values.tolist() == list(reading.pieces.tokens)


def test_a_sum_of_zero_has_no_shares():
    reading = read_text(text_model(), pieces_of("gold"))
    nothing = type(reading.embeddings)(*(torch.zeros_like(part) for part in reading.embeddings))
    found = embedding_parts(replace(reading, embeddings=nothing))
    assert found["share"].isnull().all()
    assert (found["norm"] == 0).all()
