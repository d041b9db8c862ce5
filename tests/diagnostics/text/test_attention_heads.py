"""Summaries of heads in closed form and against their definitions written out."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.text.attention_heads import HEAD_SUMMARIES, summarise_head
from tests.diagnostics.text_cases import distributions, map_recipes


def summaries(weights, special=None):
    weights = np.asarray(weights, float)
    special = np.zeros(len(weights), bool) if special is None else np.array(special)
    return summarise_head(torch.from_numpy(weights), special)


@given(weights=map_recipes(least=2), data=st.data())
def test_they_are_their_definitions(weights, data):
    size = len(weights)
    special = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    found, received = summaries(weights, special)
    expected = dict.fromkeys(HEAD_SUMMARIES, 0.0)
    for i in range(size):
        for j in range(size):
            a = weights[i, j]
            expected["entropy"] -= a * math.log2(a) / size
            expected["distance"] += a * abs(i - j) / size
            expected["special"] += a * special[j] / size
            expected["diagonal"] += a * (i == j) / size
            expected["previous"] += a * (j == i - 1) / (size - 1)
            expected["next"] += a * (j == i + 1) / (size - 1)
    expected["entropy_share"] = expected["entropy"] / math.log2(size)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(received, weights.mean(0), rtol=1e-13)


def test_a_head_that_looks_at_one_place_has_no_entropy():
    before, _ = summaries(np.eye(6)[[0, 0, 1, 2, 3, 4]])
    assert before["entropy"] == 0
    assert before["previous"] == 1
    assert before["diagonal"] == pytest.approx(1 / 6, rel=1e-15)
    after, _ = summaries(np.eye(6)[[1, 2, 3, 4, 5, 5]])
    assert after["next"] == 1


@given(size=st.integers(2, 30))
def test_an_even_spread_has_all_the_entropy(size):
    found, received = summaries(np.full((size, size), 1 / size))
    assert found["entropy"] == pytest.approx(math.log2(size), rel=1e-13)
    assert found["distance"] == pytest.approx((size**2 - 1) / (3 * size), rel=1e-13)
    np.testing.assert_allclose(received, 1 / size)


@given(weights=map_recipes(least=2), seed=st.integers(0, 999))
def test_renumbering_the_pieces_keeps_what_has_no_order(weights, seed):
    order = np.random.default_rng(seed).permutation(len(weights))
    special = np.arange(len(weights)) < 2
    found, received = summaries(weights, special)
    moved, moved_received = summaries(weights[np.ix_(order, order)], special[order])
    for name in ("entropy", "entropy_share", "special", "diagonal"):
        assert moved[name] == pytest.approx(found[name], rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(moved_received, received[order], rtol=1e-12)


def test_a_text_of_one_piece_has_no_neighbours():
    found, received = summaries([[1.0]], [True])
    assert found == {**dict.fromkeys(HEAD_SUMMARIES, 0.0), "special": 1.0, "diagonal": 1.0}
    assert received.tolist() == [1.0]


def test_weights_in_float32_are_added_up_in_float64():
    weights, special = torch.from_numpy(distributions(400, 400)).float(), np.arange(400) % 7 == 0
    found, exact = summarise_head(weights, special), summarise_head(weights.double(), special)
    assert found.numbers == pytest.approx(exact.numbers, rel=1e-8)
    np.testing.assert_allclose(found.received, weights.double().mean(0), rtol=1e-13)
