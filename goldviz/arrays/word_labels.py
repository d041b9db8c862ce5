"""Labels of words, one of which may stand twice along a dimension."""

from __future__ import annotations

from collections.abc import Sequence

from goldviz.arrays.labelled import Run


def numbered(words: Sequence[str]) -> list[str]:
    """Words with their places, so that none stands twice.

    >>> numbered(["a", "b", "a"])
    ['1 a', '2 b', '3 a']
    """
    return [f"{place} {word}" for place, word in enumerate(words, start=1)]


def words_of(ds: Run, dim: str) -> list[str]:
    """The words along a dimension whose labels are :func:`numbered`, without their numbers."""
    return [str(label).partition(" ")[2] for label in ds[dim].values]
