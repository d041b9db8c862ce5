"""One number for each boundary says what a text's tokens are after any number of merges."""

import numpy as np
import pytest

from goldviz.data.texts.byte_pieces import BytePieces, written
from goldviz.data.texts.split_patterns import SPLIT_PATTERNS, split
from goldviz.labs.text_tokens.compute import CUT, Joins, counts_after, joins

TEXT = "the theory: then (they) thaw the 1234 thin 1234 🙂🙂 things.\n    the end"


def tokens_of(joined: Joins, step: int) -> list[int]:
    """The lengths of a text's tokens after so many merges."""
    there = (joined <= 0) | (joined > step)
    edges = np.flatnonzero(np.concatenate([[True], there, [True]]))
    return [int(length) for length in np.diff(edges)]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "none"])
def test_boundaries_give_the_tokens_after_every_merge(pattern: str) -> None:
    pieces = BytePieces.learned_from(TEXT, 280, SPLIT_PATTERNS[pattern].expression)
    joined = joins(TEXT, pieces)
    counts = counts_after(joined, len(pieces.pairs))
    for step in range(len(pieces.pairs) + 1):
        fewer = BytePieces(pieces.pairs[:step], pieces.expression)
        encoded = fewer.encode(TEXT)
        assert tokens_of(joined, step) == [len(fewer.vocabulary[token]) for token in encoded]
        assert counts[step] == len(encoded)


def test_cuts_stand_where_the_pattern_cuts() -> None:
    joined = joins(TEXT, BytePieces.learned_from(TEXT, 280, SPLIT_PATTERNS["gpt2"].expression))
    lengths = [len(written(piece)) for piece in split(TEXT, SPLIT_PATTERNS["gpt2"].expression)]
    assert (np.flatnonzero(joined == CUT) + 1).tolist() == np.cumsum(lengths)[:-1].tolist()


def test_one_byte_has_no_boundary() -> None:
    joined = joins("a", BytePieces(()))
    assert joined.tolist() == []
    assert counts_after(joined, 3).tolist() == [1, 1, 1, 1]
