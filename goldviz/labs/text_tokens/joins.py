"""At which merge two neighbouring bytes of a text come together.

Merges only ever take boundaries away. So one number for each boundary says what a text's tokens are after any number
of merges, and nobody has to encode it again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.data.texts.byte_pieces import BYTES, BytePieces

NEVER = 0
CUT = -1
"""At a boundary that the pattern cuts; no merge crosses it."""

Joins = NDArray[np.int64]


def joins(text: str, pieces: BytePieces) -> Joins:
    """The merge, counted from 1, that takes each boundary between two bytes away, or :data:`NEVER` or :data:`CUT`.

    >>> joins("aab aa", BytePieces(((97, 97),))).tolist()
    [1, 0, -1, 0, 1]
    """
    inside: dict[int, list[int]] = {token: [] for token in range(BYTES)}
    for token, (left, right) in enumerate(pieces.pairs, start=BYTES):
        inside[token] = [*inside[left], token - BYTES + 1, *inside[right]]
    merges: list[int] = []
    for _, tokens in pieces.encode_pieces(text):
        for token in tokens.tolist():
            merges += [*inside[token], NEVER]
        merges[-1] = CUT
    return np.array(merges[:-1], np.int64)


def counts_after(joins: Joins, merges: int) -> NDArray[np.int64]:
    """How many tokens the text has after 0, 1, 2 ... merges.

    >>> counts_after(np.array([1, 0, -1, 0, 1]), 2).tolist()
    [6, 4, 4]
    """
    boundaries = np.bincount(joins[joins > 0], minlength=merges + 1)
    counts: NDArray[np.int64] = len(joins) + 1 - np.cumsum(boundaries)
    return counts
