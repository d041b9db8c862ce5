"""Days on end on which a target does not move: scores of the size of moves say little beside them."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

LONG = 20
"""Days on end without a move from which they are told; EWMA's variance falls to a third in so many."""


def longest_still(moves: Float[np.ndarray, " day"]) -> int:
    """How many days on end have a move of exactly zero, at most.

    >>> longest_still(np.array([0.1, 0.0, 0.0, 0.2, 0.0, np.nan]))
    2
    """
    places = np.flatnonzero(np.concatenate([[True], moves != 0, [True]]))
    return int(np.diff(places).max()) - 1


def still_in_words(target: str, moves: Float[np.ndarray, " day"], so: str) -> str:
    """A sentence on the longest stretch without a move, and one on what comes of it; empty where it is short.

    >>> still_in_words("Gold", np.zeros(30), "They lie inside every interval.")
    'Gold does not move for 30 days on end. They lie inside every interval.'
    """
    longest = longest_still(moves)
    return f"{target or 'The target'} does not move for {longest} days on end. {so}" if longest >= LONG else ""
