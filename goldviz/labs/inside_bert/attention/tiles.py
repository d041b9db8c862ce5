"""Attention maps made small for an overview, so that no peak is lost: the largest weight of each block."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Float16, Int

LARGEST_TILE = 64


def block_edges(count: int, size: int = LARGEST_TILE) -> Int[np.ndarray, " edge"]:
    """Where ``count`` pieces are cut into at most ``size`` blocks, whose lengths differ by one at most.

    Block b holds the pieces ``edges[b]`` to ``edges[b + 1] - 1``. Raises ValueError where there is nothing to cut.

    >>> block_edges(7, 3).tolist()
    [0, 2, 4, 7]
    """
    if count < 1 or size < 1:
        raise ValueError(f"There are {count} pieces for {size} blocks; allowed is at least one of each.")
    blocks = min(count, size)
    return np.arange(blocks + 1) * count // blocks


def pool_tiles(
    weights: Float[np.ndarray, "head query key"], size: int = LARGEST_TILE
) -> Float16[np.ndarray, "head query_block key_block"]:
    """Every head's N x N weights as a tile of at most ``size`` x ``size``: the largest weight of each block.

    A mean would wash out what a head does with single pieces; the largest weight keeps it. Rounded to float16 (three
    significant digits); weights below 3e-8 become 0.

    >>> pool_tiles(np.array([[[0.5, 0.25, 0.25], [0, 1, 0], [0.75, 0, 0.25]]]), 2).tolist()
    [[[0.5, 0.25], [0.75, 1.0]]]
    """
    queries, keys = (block_edges(count, size)[:-1] for count in weights.shape[1:])
    rows = weights if len(queries) == weights.shape[1] else np.maximum.reduceat(weights, queries, axis=1)
    tiles = rows if len(keys) == weights.shape[2] else np.maximum.reduceat(rows, keys, axis=2)
    return tiles.astype(np.float16)
