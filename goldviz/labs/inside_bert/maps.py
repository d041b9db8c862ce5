"""Attention maps as a reader wants them: by word, without special pieces, or small with no peak lost.

Maps have rows that are queries and sum to 1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Float16, Float32, Int

LARGEST_TILE = 64
PLACES = ("word_before", "word_itself", "word_after", "first_piece", "other_sentence")
"""Where a head may send most of what its words give: to a neighbour, to [CLS], to words of the other sentence."""


def group_by_word(words: Int[np.ndarray, " piece"]) -> Int[np.ndarray, " piece"]:
    """A number for each piece, counting words in order; a special piece (its word is negative) is one by itself.

    >>> group_by_word(np.array([-1, 0, 0, 1, -1])).tolist()
    [0, 1, 1, 2, 3]
    """
    if not len(words):
        return np.zeros(0, np.int64)
    begins = np.append(True, (words[1:] != words[:-1]) | (words[1:] < 0))
    return np.asarray(begins.cumsum() - 1)


def word_maps(
    weights: Float[np.ndarray, "*head query key"], words: Int[np.ndarray, " piece"]
) -> Float[np.ndarray, "*head word_query word_key"]:
    """Attention between words: the sum over the pieces attended TO, the mean over those it comes FROM.

    So every row stays a distribution (Clark et al. 2019, section 4.1). ``words`` numbers each piece's word and is
    negative at special pieces, which stay on their own.

    >>> maps = word_maps(np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), np.array([0, 1, 1]))
    >>> maps.round(2).tolist()
    [[0.5, 0.5], [0.2, 0.8]]
    """
    groups = group_by_word(words)
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    sums = np.add.reduceat(np.asarray(weights, np.float64), first, axis=-1)
    return np.asarray(np.add.reduceat(sums, first, axis=-2) / np.bincount(groups)[:, None])


def hide_pieces(
    weights: Float[np.ndarray, "*head query key"], left_out: Bool[np.ndarray, " key"]
) -> tuple[Float[np.ndarray, "*head shown_query shown_key"], Float[np.ndarray, "*head shown_query"]]:
    """Leave out the rows and columns where ``left_out`` is true and scale each row that is left to sum to 1.

    Beside them the hidden weight of each row that is left. A row that looked at nothing else stays zero, and its hidden
    weight is 1: such a head had nothing to say about this query. Clark et al. 2019, section 3.2, find over half of some
    layers' weight on [SEP].

    >>> weights = np.array([[0.6, 0.1, 0.3], [0.5, 0.0, 0.5], [0.0, 0.2, 0.8]])
    >>> shown, hidden = hide_pieces(weights, np.array([True, False, False]))
    >>> shown.round(2).tolist(), hidden.tolist()
    ([[0.0, 1.0], [0.2, 0.8]], [0.5, 0.0])
    """
    places = np.flatnonzero(~left_out)
    rows = np.asarray(weights, np.float64)[..., places, :]
    visible = rows[..., places]
    total = visible.sum(-1, keepdims=True)
    hidden = rows[..., np.flatnonzero(left_out)].sum(-1)
    shares = np.divide(visible, total, out=np.zeros_like(visible), where=total > 0)
    return shares, hidden.clip(0, 1)


def place_patterns(
    words: Int[np.ndarray, " piece"], segments: Int[np.ndarray, " piece"]
) -> Float32[np.ndarray, "place query key"]:
    """For each of ``PLACES`` what a head's weights are multiplied by, so that their sum is the mean share over words.

    A word gives what its pieces give on average, and gets what they get together. Words without such a neighbour are
    left out of the mean; special pieces are no words.

    >>> patterns = place_patterns(np.array([-1, 0, 1, 1]), np.zeros(4, int))
    >>> weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.75, 0, 0], [0, 0.25, 0.5, 0.25]])
    >>> dict(zip(PLACES, (patterns * weights).sum((1, 2)).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'word_before': 0.5, 'word_itself': 0.4375, 'word_after': 0.0, 'first_piece': 0.3125, 'other_sentence': 0.0}
    """
    words, segments, groups = np.asarray(words), np.asarray(segments), group_by_word(words)
    ordinary = words >= 0
    offset = groups - groups[:, None]
    among_words = ordinary & ordinary[:, None]
    first = np.broadcast_to(np.arange(len(words)) == 0, offset.shape) & ordinary[:, None]
    other = (segments != segments[:, None]) & among_words
    masks = [*((offset == step) & among_words for step in (-1, 0, 1)), first, other]
    share = 1 / np.bincount(groups, minlength=1)[groups]
    asking = [(mask.any(1) * share).sum() for mask in masks]
    return np.stack(
        [mask * share[:, None] / (count or 1) for mask, count in zip(masks, asking, strict=True)], dtype=np.float32
    )


def word_texts(text: str, words: np.ndarray, offsets: np.ndarray) -> tuple[str, ...]:
    """The words of a chunk as they stand in the text, in the order of their numbers.

    >>> word_texts("Rates rose", np.array([-1, 0, 0, 1, -1]), np.array([[0, 0], [0, 3], [3, 5], [6, 10], [0, 0]]))
    ('Rates', 'rose')
    """
    places = [offsets[words == word] for word in range(int(words.max(initial=-1)) + 1)]
    return tuple(text[int(place[:, 0].min()) : int(place[:, 1].max())] for place in places)


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
