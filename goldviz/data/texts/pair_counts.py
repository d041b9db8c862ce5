"""Bigrams by counting: how often each symbol follows each, and the losses of guessing so (document 002, 1.1).

The simplest answers that a network is measured against: all symbols alike, each by how often it occurs, and each by
how often it follows the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray

from goldviz.data.texts.items import BOUNDARY


def pairs(items: Sequence[str], symbols: Sequence[str]) -> Int[ndarray, "pair two"]:
    """Every symbol with the one that follows it, the boundary before and after each item.

    >>> pairs(["ab"], [".", "a", "b"]).tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    number = {sign: place for place, sign in enumerate(symbols)}
    found: list[tuple[int, int]] = []
    for item in items:
        row = [BOUNDARY, *(number[sign] for sign in item), BOUNDARY]
        found += pairwise(row)
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def table_of_counts(found: Int[ndarray, "pair two"], symbols: int) -> Int[ndarray, "symbol next_symbol"]:
    """N: how often the second symbol follows the first."""
    counts = np.bincount(found[:, 0] * symbols + found[:, 1], minlength=symbols**2)
    return np.asarray(counts.reshape(symbols, symbols))


def probabilities(counts: Int[ndarray, "symbol next_symbol"], smoothing: float) -> Float[ndarray, "symbol next_symbol"]:
    """P = (N + a) / (sum of N + V a) along each row (document 002, 1.1), ``smoothing`` a fake counts in every cell.

    A row without any count is even.
    """
    faked = counts + smoothing
    whole = faked.sum(axis=1, keepdims=True)
    return np.where(whole > 0, faked / np.where(whole > 0, whole, 1), 1 / counts.shape[1])


def cross_entropy(counts: Int[ndarray, "*cells"], guessed: Float[ndarray, "*cells"]) -> float:
    """The mean -log guessed over all pairs that ``counts`` counts, in nats; infinite where one was held impossible.

    >>> cross_entropy(np.array([1, 0]), np.array([0.5, 0.5])), cross_entropy(np.array([0, 1]), np.array([1.0, 0.0]))
    (0.6931471805599453, inf)
    """
    met = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[met] * np.log(guessed[met])).sum() / counts[met].sum())


def divergence(counts: Int[ndarray, "symbol next_symbol"], guessed: Float[ndarray, "symbol next_symbol"]) -> float:
    """Kullback and Leibler's divergence of ``guessed`` from the counting table, in nats, rows by how often they occur.

    It is how far a network's loss on these pairs is above the lowest that any table can reach.
    """
    return cross_entropy(counts, guessed) - cross_entropy(counts, probabilities(counts, 0.0))


def simple_losses(
    seen: Int[ndarray, "symbol next_symbol"], asked: Int[ndarray, "symbol next_symbol"], smoothing: float
) -> dict[str, float]:
    """Losses on the pairs ``asked`` of guessing evenly, by single symbols and by pairs as they were ``seen``."""
    single = probabilities(seen.sum(axis=0)[None, :], smoothing)[0]
    return {
        "uniform_loss": float(np.log(len(seen))),
        "unigram_dev_loss": cross_entropy(asked.sum(axis=0), single),
        "bigram_dev_loss": cross_entropy(asked, probabilities(seen, smoothing)),
    }
