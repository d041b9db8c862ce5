"""Word maps, hidden pieces and strongest links keep what they promise: rows stay distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.inside_bert.maps import group_by_word, hide_pieces, word_maps
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import distributions, map_recipes, pieces_of, text_model


@st.composite
def words_of(draw, size):
    """Words in order, some of several pieces, with special pieces anywhere."""
    begins = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    special = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    words = np.cumsum(begins)
    return np.where(special, -1, words)


@given(weights=map_recipes(), data=st.data())
def test_word_maps_sum_to_and_average_from(weights, data):
    words = data.draw(words_of(len(weights)))
    found, groups = word_maps(weights, words), group_by_word(words)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-13)
    for word in range(groups[-1] + 1):
        rows = weights[groups == word]
        for other in range(groups[-1] + 1):
            expected = rows[:, groups == other].sum(1).mean()
            assert found[word, other] == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(weights=map_recipes())
def test_a_map_of_whole_words_stays_as_it_is(weights):
    np.testing.assert_allclose(word_maps(weights, np.arange(len(weights))), weights, rtol=1e-15)


def test_pieces_of_a_word_go_together_and_special_ones_stay_apart():
    assert group_by_word(np.array([-1, 0, 0, 0, 1, -1, -1, 2])).tolist() == [0, 1, 1, 1, 2, 3, 4, 5]
    assert group_by_word(np.array([], int)).tolist() == []


def test_all_heads_go_through_at_once():
    weights, words = distributions(3, 6, 6), np.array([-1, 0, 0, 1, 1, -1])
    together = word_maps(weights, words)
    for head in range(3):
        np.testing.assert_array_equal(together[head], word_maps(weights[head], words))
    shown, hidden = hide_pieces(weights, words < 0)
    assert shown.shape == (3, 4, 4)
    np.testing.assert_array_equal(hidden[1], hide_pieces(weights[1], words < 0)[1])


@given(weights=map_recipes(least=2), data=st.data())
def test_hidden_pieces_leave_distributions_and_say_how_much_went(weights, data):
    size = len(weights)
    left_out = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(lambda v: not all(v))))
    shown, hidden = hide_pieces(weights, left_out)
    np.testing.assert_allclose(shown.sum(1), 1, rtol=1e-12)
    kept = weights[~left_out]
    np.testing.assert_allclose(hidden, kept[:, left_out].sum(1), atol=1e-12)
    # What is left keeps its proportions: undoing the scaling gives the map back.
    np.testing.assert_allclose(shown * (1 - hidden)[:, None], kept[:, ~left_out], atol=1e-12)


@given(weights=map_recipes(least=2), seed=st.integers(0, 999))
def test_hiding_does_not_depend_on_the_order_of_pieces(weights, seed):
    order = np.random.default_rng(seed).permutation(len(weights))
    left_out = np.arange(len(weights)) < 1
    moved, _ = hide_pieces(weights[np.ix_(order, order)], left_out[order])
    kept = order[order >= 1] - 1
    np.testing.assert_allclose(moved, hide_pieces(weights, left_out)[0][np.ix_(kept, kept)], rtol=1e-12)


def test_a_row_that_saw_only_hidden_pieces_stays_zero():
    shown, hidden = hide_pieces(np.array([[1.0, 0, 0], [1, 0, 0], [0, 0.5, 0.5]]), np.array([True, False, False]))
    assert shown.tolist() == [[0, 0], [0.5, 0.5]]
    assert hidden.tolist() == [1, 0]


def test_a_real_head_by_word():
    reading = read_text(text_model(), pieces_of())
    maps = word_maps(reading.head(1, 2).weights, reading.pieces.words)
    assert len(maps) == reading.pieces.words.max() + 3
    np.testing.assert_allclose(maps.sum(1), 1, rtol=1e-13)
