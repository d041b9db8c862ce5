"""Attention made small for an overview: nothing that stands out is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.labs.inside_bert.maps import LARGEST_TILE, block_edges, pool_tiles


def random_weights(heads: int, count: int, seed: int) -> np.ndarray:
    weights = np.random.default_rng(seed).dirichlet(np.full(count, 0.1), size=(heads, count))
    return np.asarray(weights, np.float32)


@given(count=st.integers(1, 700), size=st.integers(1, 80))
def test_blocks_cover_all_pieces_and_are_nearly_equal(count: int, size: int) -> None:
    lengths = np.diff(block_edges(count, size))
    assert len(lengths) == min(count, size)
    assert lengths.sum() == count
    assert lengths.min() >= 1
    assert lengths.max() - lengths.min() <= 1


@pytest.mark.parametrize(("count", "size"), [(0, 64), (-1, 64), (5, 0)])
def test_nothing_to_cut_is_refused(count: int, size: int) -> None:
    with pytest.raises(ValueError, match=f"{count} pieces for {size} blocks"):
        block_edges(count, size)


@pytest.mark.parametrize("count", [1, 2, 63, LARGEST_TILE])
def test_a_short_text_keeps_every_weight(count: int) -> None:
    weights = random_weights(3, count, seed=count)
    assert np.array_equal(pool_tiles(weights), weights.astype(np.float16))


@settings(deadline=None)
@given(count=st.integers(1, 150), size=st.integers(1, 70), seed=st.integers(0, 1000))
def test_each_block_holds_its_largest_weight(count: int, size: int, seed: int) -> None:
    weights = random_weights(2, count, seed)
    tiles = pool_tiles(weights, size)
    edges = block_edges(count, size)
    for head in range(2):
        for i, row in enumerate(tiles[head]):
            for j, value in enumerate(row):
                block = weights[head, edges[i] : edges[i + 1], edges[j] : edges[j + 1]]
                assert value == np.float16(block.max())
    assert np.array_equal(tiles.max((1, 2)), weights.max((1, 2)).astype(np.float16))


def test_blocks_of_a_bert_s_longest_text_are_eight_by_eight() -> None:
    tiles = pool_tiles(random_weights(1, 512, seed=0))
    assert tiles.shape == (1, LARGEST_TILE, LARGEST_TILE)
    assert set(np.diff(block_edges(512)).tolist()) == {8}


@pytest.mark.parametrize("count", [65, 127, 128, 511])
def test_a_single_peak_stays_wherever_it_is(count: int) -> None:
    weights = np.zeros((1, count, count), np.float32)
    query, key = count - 1, count // 2
    weights[0, query, key] = 0.75
    tiles = pool_tiles(weights)
    edges = block_edges(count)
    found = np.argwhere(tiles[0] == 0.75)
    assert len(found) == 1
    assert edges[found[0][0]] <= query < edges[found[0][0] + 1]
    assert edges[found[0][1]] <= key < edges[found[0][1] + 1]
