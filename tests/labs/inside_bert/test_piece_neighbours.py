"""Neighbours by cosine and the shares of the three embeddings, against their definitions."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert.attribution.neighbours import nearest_pieces
from goldviz.models.text.model import TextModelError
from tests.diagnostics.text_cases import text_model


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
