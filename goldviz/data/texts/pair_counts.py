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
    neighbours: list[tuple[int, int]] = []
    for item in items:
        row = [BOUNDARY, *(number[sign] for sign in item), BOUNDARY]
        neighbours += pairwise(row)
    return np.array(neighbours, dtype=np.int64).reshape(-1, 2)


def table_of_counts(neighbours: Int[ndarray, "pair two"], symbols: int) -> Int[ndarray, "symbol next_symbol"]:
    """N: how often the second symbol follows the first."""
    counts = np.bincount(neighbours[:, 0] * symbols + neighbours[:, 1], minlength=symbols**2)
    return np.asarray(counts.reshape(symbols, symbols))


def probabilities(counts: Int[ndarray, "symbol next_symbol"], smoothing: float) -> Float[ndarray, "symbol next_symbol"]:
    """P = (N + a) / (sum of N + V a) along each row (document 002, 1.1), ``smoothing`` a fake counts in every cell.

    A row without any count is even.
    """
    smooth = counts + smoothing
    whole = smooth.sum(axis=1, keepdims=True)
    return np.where(whole > 0, smooth / np.where(whole > 0, whole, 1), 1 / counts.shape[1])


def cross_entropy(counts: Int[ndarray, "*cells"], forecast: Float[ndarray, "*cells"]) -> float:
    """The mean -log forecast over all pairs that ``counts`` counts, in nats; infinite where one was held impossible.

    >>> cross_entropy(np.array([1, 0]), np.array([0.5, 0.5])), cross_entropy(np.array([0, 1]), np.array([1.0, 0.0]))
    (0.6931471805599453, inf)
    """
    present = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[present] * np.log(forecast[present])).sum() / counts[present].sum())


def divergence(counts: Int[ndarray, "symbol next_symbol"], forecast: Float[ndarray, "symbol next_symbol"]) -> float:
    """Kullback and Leibler's divergence of ``forecast`` from the counting table, in nats, rows by how often they occur.

    It is how far a network's loss on these pairs is above the lowest that any table can reach.
    """
    return cross_entropy(counts, forecast) - cross_entropy(counts, probabilities(counts, 0.0))


def simple_losses(
    train: Int[ndarray, "symbol next_symbol"], dev: Int[ndarray, "symbol next_symbol"], smoothing: float
) -> dict[str, float]:
    """Losses on the pairs of ``dev`` of guessing evenly, by single symbols and by pairs as ``train`` counts them."""
    single = probabilities(train.sum(axis=0)[None, :], smoothing)[0]
    return {
        "uniform_loss": float(np.log(len(train))),
        "unigram_dev_loss": cross_entropy(dev.sum(axis=0), single),
        "bigram_dev_loss": cross_entropy(dev, probabilities(train, smoothing)),
    }
