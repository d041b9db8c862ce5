"""Attention maps as a reader wants them: by word, without special pieces, and only the strongest links.

All functions take maps whose rows are queries and sum to 1, and give such maps back.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int


def group_by_word(words: Int[np.ndarray, " piece"]) -> Int[np.ndarray, " piece"]:
    """A number for each piece, counting words in order; a special piece (its word is negative) is one by itself.

    >>> group_by_word(np.array([-1, 0, 0, 1, -1])).tolist()
    [0, 1, 1, 2, 3]
    """
    if not len(words):
        return np.zeros(0, np.int64)
    begins = np.append(True, (words[1:] != words[:-1]) | (words[1:] < 0))
    groups: np.ndarray = begins.cumsum() - 1
    return groups


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
    means: np.ndarray = np.add.reduceat(sums, first, axis=-2) / np.bincount(groups)[:, None]
    return means


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


def word_texts(text: str, words: np.ndarray, offsets: np.ndarray) -> tuple[str, ...]:
    """The words of a chunk as they stand in the text, in the order of their numbers.

    >>> word_texts("Rates rose", np.array([-1, 0, 0, 1, -1]), np.array([[0, 0], [0, 3], [3, 5], [6, 10], [0, 0]]))
    ('Rates', 'rose')
    """
    places = [offsets[words == word] for word in range(int(words.max(initial=-1)) + 1)]
    return tuple(text[int(place[:, 0].min()) : int(place[:, 1].max())] for place in places)
