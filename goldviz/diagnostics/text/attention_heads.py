"""One number for each head: how wide, how far and on which pieces it looks (Clark et al. 2019, sections 3.1 to 3.3)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

HEAD_SUMMARIES = ("entropy", "entropy_share", "distance", "special", "diagonal", "previous", "next")


class HeadSummary(NamedTuple):
    """What :func:`summarise_head` found: ``numbers`` by the names of ``HEAD_SUMMARIES``.

    ``received`` is the attention that each piece gets, the mean over the queries; it sums to 1.
    """

    numbers: dict[str, float]
    received: Float[np.ndarray, " key"]


@torch.no_grad()
def summarise_head(weights: Float[Tensor, "query key"], special: Bool[np.ndarray, " key"]) -> HeadSummary:
    """The summaries of one head, each a mean over all queries, added up in float64.

    ``weights`` are distributions over the keys, without padding; ``special`` is true at [CLS], [SEP] and their like.

    - ``entropy``: - sum_j a_ij log2 a_ij, in bits; ``entropy_share``: the same over log2 N, which is an even spread
    - ``distance``: sum_j a_ij |i - j|, in pieces
    - ``special``: the weight on special pieces
    - ``diagonal``: the weight on the query itself; ``previous`` and ``next``: on the piece before and after it, over
      the queries that have one

    Where there is only one piece, ``entropy_share``, ``previous`` and ``next`` are 0.

    >>> even = summarise_head(torch.full((4, 4), 0.25), np.array([True, False, False, True]))
    >>> even.numbers  # doctest: +NORMALIZE_WHITESPACE
    {'entropy': 2.0, 'entropy_share': 1.0, 'distance': 1.25, 'special': 0.5, 'diagonal': 0.25, 'previous': 0.25,
     'next': 0.25}
    """
    pieces = len(weights)
    places = torch.arange(pieces, device=weights.device)
    distances = (places - places[:, None]).abs().to(weights.dtype)
    neighbours = max(pieces - 1, 1)
    column_means = (weights.sum(0, dtype=torch.float64) / pieces).cpu().numpy()
    entropy = _total(torch.special.entr(weights.double())) / pieces / math.log(2)
    numbers = {
        "entropy": entropy,
        "entropy_share": entropy / math.log2(pieces) if pieces > 1 else 0.0,
        "distance": _total(weights * distances) / pieces,
        "special": float(column_means[special].sum()),
        "diagonal": _total(weights.diagonal()) / pieces,
        "previous": _total(weights.diagonal(-1)) / neighbours,
        "next": _total(weights.diagonal(1)) / neighbours,
    }
    return HeadSummary(numbers, column_means)


def _total(values: Tensor) -> float:
    return float(values.sum(dtype=torch.float64))
