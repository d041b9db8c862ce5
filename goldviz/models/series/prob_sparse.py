"""ProbSparse attention: only rows whose attention is far from even attend; the others take a mean (Zhou et al. 2021).

Document 002, section 4.2. A row's score says how uneven its attention is. The ``active`` rows with the highest scores
attend in full, all others are "lazy" and take the mean of the values that they may see.

Two things of the printed method let a row see the future: the mean over all values, and choosing the highest scores of
all rows, for then a later row can push an earlier one out. What is causal stands here beside what is printed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from heapq import heapify, heapreplace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

ROWS = 256
"""Rows whose products are held at a time."""
NEIGHBOURS = 64
"""Rows that share a sample of keys, so that their products are one of matrices."""
TOGETHER = 32
"""Active rows that attend at a time, to the keys before the last of them."""


def visible_counts(q: Float[Tensor, "batch head time width"]) -> Float[Tensor, " time"]:
    """How many keys each row sees, itself among them: 1 to t."""
    return torch.arange(1, q.shape[-2] + 1, dtype=q.dtype, device=q.device)


def exact_scores(
    q: Float[Tensor, "batch head time width"], k: Float[Tensor, "batch head time width"]
) -> Float[Tensor, "batch head time"]:
    """s_i = ln sum_j exp(a_ij) - mean_j a_ij with a_ij = q_i k_j / sqrt(d_k), over the i keys that row i sees.

    s_i - ln i is the Kullback-Leibler divergence of attention from the uniform distribution, KL(uniform || attention),
    so ln i <= s_i <= max_j a_ij - mean_j a_ij + ln i. It takes all t^2 / 2 products.
    """
    return torch.cat([rows.logsumexp(-1) for rows in _visible_products(q, k)], -1) - _mean_products(q, k)


def unevenness(
    q: Float[Tensor, "batch head time width"], k: Float[Tensor, "batch head time width"]
) -> Float[Tensor, "batch head time"]:
    """s_i - ln i, which is 0 for an even row, however many keys it sees: what rows of a causal map compare by."""
    return exact_scores(q, k) - visible_counts(q).log()


def max_mean_scores(
    q: Float[Tensor, "batch head time width"], k: Float[Tensor, "batch head time width"]
) -> Float[Tensor, "batch head time"]:
    """The printed approximation, max_j a_ij - mean_j a_ij over the keys that row i sees.

    The document drops 1 / sqrt(d_k), which keeps the order of the rows, and writes the largest value as a norm.
    """
    return torch.cat([rows.amax(-1) for rows in _visible_products(q, k)], -1) - _mean_products(q, k)


def _visible_products(q: Tensor, k: Tensor) -> Iterator[Tensor]:
    """The scaled products of some rows at a time, minus infinity above the diagonal."""
    scaled = q / math.sqrt(q.shape[-1])
    for begin in range(0, q.shape[-2], ROWS):
        rows = scaled[..., begin : begin + ROWS, :]
        end = begin + rows.shape[-2]
        products = rows @ k[..., :end, :].transpose(-2, -1)
        later = torch.ones(end - begin, end - begin, dtype=torch.bool, device=q.device).triu(1)
        products[..., begin:].masked_fill_(later, -math.inf)
        yield products


def _mean_products(q: Tensor, k: Tensor) -> Tensor:
    """The mean of a row's products is its product with the mean key."""
    return (q * running_mean(k)).sum(-1) / math.sqrt(q.shape[-1])


def rows_by_factor(factor: float, length: int) -> int:
    """u = c ln t, as a whole number of at least 1 and at most t; raises ``ValueError`` for a factor of 0 or below.

    >>> rows_by_factor(5, 96), rows_by_factor(5, 4096), rows_by_factor(5, 2)
    (23, 42, 2)
    """
    if not factor > 0:
        raise ValueError(f"The sampling factor c is {factor:g}; allowed is a number above 0.")
    return min(length, max(1, math.ceil(factor * math.log(length))))


def sampled_keys(length: int, keys: int, generator: torch.Generator) -> Int[Tensor, "block key"]:
    """For each block of neighbouring rows so many keys, drawn evenly from those that its first row sees.

    With replacement. Draws depend on the generator alone, not on the series, so that equal seeds give equal maps.
    """
    first = torch.arange(0, length, NEIGHBOURS)
    draws = torch.rand(len(first), keys, generator=generator, dtype=torch.float64)
    return (draws * (first[:, None] + 1)).long()


def sampled_scores(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    sample: Int[Tensor, "block key"],
) -> Float[Tensor, "batch head time"]:
    """Maximum minus mean of the scaled products with a sample of keys (Zhou et al. 2021, section 3.2).

    Rows of a block share a sample, where Informer draws for each row: products are then of matrices, ten times faster.
    The first block, which sees too few keys to sample, is scored with all of its own.
    """
    time = q.shape[-2]
    first = max_mean_scores(q[..., :NEIGHBOURS, :], k[..., :NEIGHBOURS, :])
    if time <= NEIGHBOURS:
        return first
    rows = pad(q[..., NEIGHBOURS:, :], (0, 0, 0, -time % NEIGHBOURS)).unflatten(-2, (-1, NEIGHBOURS))
    products = rows @ k[..., sample[1:], :].transpose(-2, -1)  # (batch, head, block, row, key)
    scores = (products.amax(-1) - products.mean(-1)).flatten(-2) / math.sqrt(q.shape[-1])
    return torch.cat([first, scores[..., : time - NEIGHBOURS]], -1)


def active_rows(scores: Float[Tensor, "batch head time"], active: int) -> Bool[Tensor, "batch head time"]:
    """Rows that are among the ``active`` highest of the rows so far, ties for the earlier one.

    A later row changes no earlier choice. Of scores in random order this takes about u (1 + ln(t / u)) rows, and their
    visible keys are about u t. Raises ``ValueError`` for a number of rows outside 1 to t.
    """
    _check_rows(active, scores.shape[-1])
    series = scores.detach().flatten(0, 1).cpu().numpy()
    is_active = np.stack([_highest_so_far(one, active) for one in series])
    return torch.from_numpy(is_active).to(scores.device).reshape(scores.shape)


def _highest_so_far(scores: Float[np.ndarray, " time"], active: int) -> Bool[np.ndarray, " time"]:
    """Whether each score is above the ``active``-th highest before it; a heap has those so far, the lowest first."""
    is_active = np.zeros(len(scores), bool)
    is_active[:active] = True
    best = scores[:active].tolist()
    heapify(best)
    for begin in range(active, len(scores), ROWS):
        block = scores[begin : begin + ROWS]
        # The lowest of the best only rises: what is not above it where a block begins never will be.
        for place in np.flatnonzero(block > best[0]).tolist():
            if block[place] > best[0]:
                heapreplace(best, float(block[place]))
                is_active[begin + place] = True
    return is_active


def active_rows_of_all(scores: Float[Tensor, "batch head time"], active: int) -> Bool[Tensor, "batch head time"]:
    """The ``active`` rows with the highest scores of all, as printed: a later row can push an earlier one out.

    Raises ``ValueError`` for a number of rows outside 1 to t.
    """
    _check_rows(active, scores.shape[-1])
    return torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, scores.topk(active).indices, True)


def _check_rows(active: int, time: int) -> None:
    if not 1 <= active <= time:
        raise ValueError(f"The active rows u are {active}; allowed is 1 to the length of the series, {time}.")


def running_mean(v: Float[Tensor, "batch head time value_width"]) -> Float[Tensor, "batch head time value_width"]:
    """The mean of the values of a row and all before it."""
    return v.cumsum(-2) / torch.arange(1, v.shape[-2] + 1, dtype=v.dtype, device=v.device)[:, None]


def mean_of_all(v: Float[Tensor, "batch head time value_width"]) -> Float[Tensor, "batch head time value_width"]:
    """The mean of all values, as printed: every row sees the future. For showing that, and nothing else."""
    return v.mean(-2, keepdim=True).expand_as(v)


def prob_sparse_attention(
    q: Float[Tensor, "batch head time width"],
    k: Float[Tensor, "batch head time width"],
    v: Float[Tensor, "batch head time value_width"],
    active: Bool[Tensor, "batch head time"],
    lazy: Float[Tensor, "batch head time value_width"],
) -> Float[Tensor, "batch head time value_width"]:
    """Causal attention of the ``active`` rows, and what ``lazy`` has for all others, such as :func:`running_mean`."""
    most = int(active.sum(-1).max())
    # Heads choose differently many rows; those that fill up are lazy ones, which keep their mean.
    flags, rows = active.to(torch.uint8).topk(most, -1)
    rows, order = rows.sort(-1)
    flags = flags.gather(-1, order).bool()
    output = lazy.clone()
    for some, is_active in zip(rows.split(TOGETHER, -1), flags.split(TOGETHER, -1), strict=True):
        index = some[..., None]
        visible = int(some.max()) + 1
        context = scaled_dot_product_attention(
            q.gather(-2, index.expand(*some.shape, q.shape[-1])),
            k[..., :visible, :],
            v[..., :visible, :],
            attn_mask=torch.arange(visible, device=k.device) <= index,
        )
        index = index.expand_as(context)
        output.scatter_(-2, index, torch.where(is_active[..., None], context, lazy.gather(-2, index)))
    return output
