"""Neighbours by cosine, against their definition."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from goldviz.labs.inside_bert.evidence import neighbours
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import pieces_of, text_model


@pytest.mark.parametrize("token", [1, 3, 6])
def test_neighbours_are_the_largest_cosines_of_all_others(token):
    model, pieces = text_model(), pieces_of()
    table, number = model.encoder.embeddings.token.weight, int(pieces.ids[token - 1])
    cosines = torch.nn.functional.cosine_similarity(table, table[number][None]).numpy()
    order = [other for other in np.argsort(-cosines) if other != number]
    reading = read_text(model, pieces)
    found = neighbours(reading, token, 5)
    assert found["nearby"].values.tolist() == model.tokeniser.convert_ids_to_tokens(order[:5])
    np.testing.assert_allclose(found["cosine"], cosines[order[:5]], rtol=1e-12)
    assert found.attrs["neighbours_of"] == pieces.tokens[token - 1]
    assert neighbours(reading, token, 10_000).sizes["neighbour"] == len(table) - 1


def test_a_piece_without_direction_has_cosine_0():
    model, pieces = text_model(), pieces_of("gold rose")
    encoder = deepcopy(model.encoder)
    encoder.embeddings.token.weight[int(pieces.ids[1])] = 0
    reading = read_text(replace(model, encoder=encoder), pieces)
    assert set(neighbours(reading, 2)["cosine"].values) == {0.0}
    near_rose = neighbours(reading, 3, 999)
    assert near_rose["cosine"].values[near_rose["nearby"].values.tolist().index("gold")] == 0
