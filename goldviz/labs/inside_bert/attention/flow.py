"""Attention flow: how much could pass from an input token up to a token at the top (Abnar and Zuidema 2020, section 3).

The layers are a network of pipes: token i after layer l is joined with token j before it by a pipe of capacity
A_bar_l[i, j] = (A + I) / 2. The flow between two tokens is the largest that the pipes between them allow.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

MOST_FLOW_WORK = 10_000_000
"""Pipes times input tokens up to which the exact flow is computed: up to 96 tokens for 12 layers, at most about 1 s."""
WHOLE_CAPACITY = 2**30
"""The integer that stands for a capacity of 1. No flow is larger, because what leaves a token sums to 1."""


class AttentionFlow(NamedTuple):
    """What reaches one token from every input token, and how it was found.

    ``widest path`` is a lower bound of the maximum flow: the most that a single chain of tokens lets through.
    """

    values: Float[np.ndarray, " input"]
    method: Literal["maximum flow", "widest path"]


def flow_to(mixture: Float[np.ndarray, "layer query key"], token: int) -> AttentionFlow:
    """The flow from every input token to ``token`` (from 0) at the top of the layers of ``mixture``.

    Exact where the graph is small; else, and the result says so, the widest single path.
    """
    layers, pieces, _ = mixture.shape
    if ((layers - 1) * pieces + 1) * pieces**2 <= MOST_FLOW_WORK:
        return AttentionFlow(maximum_flows(mixture, token), "maximum flow")
    return AttentionFlow(widest_paths(mixture, token), "widest path")


def maximum_flows(capacities: Float[np.ndarray, "layer query key"], token: int) -> Float[np.ndarray, " input"]:
    """The maximum flow from every input token to ``token`` at the top, one problem for each, to about 1e-9.

    ``capacities`` [l, i, j] joins token i after layer l with token j before it; rows sum to 1. Solved by Dinic's
    algorithm on integers. The flows to one token need not sum to 1: each is found as if it had the pipes to itself.

    >>> maximum_flows(np.array([[[0.5, 0.5], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]]]), 0).round(6).tolist()
    [0.7, 1.0]
    """
    layers, pieces, _ = capacities.shape
    # Node l N + i is token i after l layers. Only the chosen token's pipes matter in the top layer.
    pipes = np.rint(np.asarray(capacities, np.float64) * WHOLE_CAPACITY).astype(np.int32)
    above = np.arange(pieces, layers * pieces).repeat(pieces)
    below = np.add.outer(np.arange(layers - 1).repeat(pieces) * pieces, np.arange(pieces)).ravel()
    source = layers * pieces
    rows = np.concatenate([above, np.full(pieces, source)])
    columns = np.concatenate([below, (layers - 1) * pieces + np.arange(pieces)])
    capacities_flat = np.concatenate([pipes[:-1].ravel(), pipes[-1, token]])
    graph = csr_array((capacities_flat, (rows, columns)), shape=(source + 1, source + 1))
    flows = [maximum_flow(graph, source, sink, method="dinic").flow_value for sink in range(pieces)]
    return np.array(flows, np.float64) / WHOLE_CAPACITY


def widest_paths(capacities: Float[np.ndarray, "layer query key"], token: int) -> Float[np.ndarray, " input"]:
    """The capacity of the widest single path from every input token to ``token`` at the top.

    A path is as wide as its narrowest pipe, so this is a product of matrices with max for the sum and min for the
    product. Never above the maximum flow.

    >>> widest_paths(np.array([[[0.5, 0.5], [0.2, 0.8]], [[0.5, 0.5], [0.5, 0.5]]]), 0).tolist()
    [0.5, 0.5]
    """
    widths: np.ndarray = capacities[-1, token]
    for pipes in capacities[-2::-1]:
        widths = np.minimum(widths[:, None], pipes).max(0)
    return widths
