"""What *Inside BERT* shows of one head: its map, its steps for one piece, and what stands beside raw weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.inside_bert.attention.flow import flow_to
from goldviz.labs.inside_bert.attention.norms import attention_norms, head_norms
from goldviz.labs.inside_bert.attribution.outputs import softmax_of
from goldviz.labs.inside_bert.overview import piece_coordinates
from goldviz.labs.inside_bert.reading import TextReading

SHARES = ("attention", "head_norm", "layer_norm", "rollout", "flow")
"""What stands beside one another for a query: raw weights and four other ways to share the query out over the keys."""


def head_map(reading: TextReading, layer: int, head: int) -> xr.Dataset:
    """``attention`` (query, key) of one head, rows summing to 1; layers and heads count from 1."""
    places = np.arange(1, len(reading.pieces) + 1)
    tokens = np.array(reading.pieces.tokens, dtype=object)
    return xr.Dataset(
        {"attention": (("query", "key"), reading.head(layer - 1, head - 1).weights.astype(float))},
        coords={"query": places, "key": places, "query_token": ("query", tokens), "key_token": ("key", tokens)},
        attrs={"layer": layer, "head": head},
    )


def head_steps(reading: TextReading, layer: int, head: int, token: int) -> xr.Dataset:
    """From query to output for one piece (document 001, section 4.1.2), in float64; all numbers count from 1.

    Dimensions: ``piece`` (the keys) and ``dimension`` (of the head, d_k of them).

    - ``query_vector`` (dimension): q_i; ``key_vector`` and ``value_vector`` (piece, dimension): k_j and v_j
    - ``product`` (piece): q_i . k_j; ``score``: the same over sqrt(d_k); ``weight``: the softmax of the scores
    - ``value_norm`` (piece): || v_j ||; ``weighted_norm``: || a_ij v_j ||
    - ``output`` (dimension): sum_j a_ij v_j

    Raises IndexError for a layer, head or token that the model or the text does not have.
    """
    pieces = len(reading.pieces)
    if not 1 <= token <= pieces:
        raise IndexError(f"The token is number {token}; the text has numbers 1 to {pieces}.")
    steps = reading.head(layer - 1, head - 1)
    query, keys, values = (np.asarray(part, np.float64) for part in (steps.query[token - 1], steps.key, steps.value))
    product = keys @ query
    score = product / math.sqrt(len(query))
    weight = softmax_of(score)
    value_norm = np.linalg.norm(values, axis=1)
    variables: dict[str, tuple[Any, np.ndarray, str]] = {
        "query_vector": ("dimension", query, "Query q"),
        "key_vector": (("piece", "dimension"), keys, "Key k"),
        "product": ("piece", product, "q · k"),
        "score": ("piece", score, "q · k / √d_k"),
        "weight": ("piece", weight, "Attention weight"),
        "value_vector": (("piece", "dimension"), values, "Value v"),
        "value_norm": ("piece", value_norm, "Length of v"),
        "weighted_norm": ("piece", weight * value_norm, "Length of weight × v"),
        "output": ("dimension", weight @ values, "Output of the head"),
    }
    return xr.Dataset(
        {name: xr.Variable(dims, data, {"long_name": words}) for name, (dims, data, words) in variables.items()},
        coords={**piece_coordinates(reading.pieces), "dimension": np.arange(1, len(query) + 1)},
        attrs={"layer": layer, "head": head, "query_piece": token},
    )


def ways_down(reading: TextReading) -> xr.Dataset:
    """What rollout and flow go by, for all layers: 50 MB in float64 for 12 layers at 512 pieces.

    ``mixed`` (layer, query, input) is (A + I) / 2 of the heads' mean, ``rolled`` its product from the input up to each
    layer: rollout (Abnar and Zuidema 2020, section 3). It treats what a token holds as passed on unchanged in shares,
    half through the residual path. Values, norms and the feed-forward networks play no part, so it is a summary of the
    weights and no proof of what the model used.
    """
    layers = reading.model.encoder.shape.layers
    layers_mixed = np.stack([mixed_attention(reading, layer) for layer in range(layers)])
    rollout = layers_mixed.copy()
    for layer in range(1, layers):
        rollout[layer] = layers_mixed[layer] @ rollout[layer - 1]
    dims = ("layer", "query", "input")
    return xr.Dataset({"mixed": (dims, layers_mixed), "rolled": (dims, rollout)})


def shares_of_query(
    reading: TextReading, layer: int, head: int, token: int, *, ways: xr.Dataset | None = None
) -> xr.Dataset:
    """How one query is shared out over the pieces, each measure summing to 1: ``share`` (measure, piece).

    ``attention``: the head's raw weights. ``head_norm``: lengths of the head's weighted values, ``layer_norm``: of all
    heads' together (Kobayashi et al. 2020). ``rollout`` and ``flow``: through all layers up to this one (Abnar and
    Zuidema 2020). Where the attribute ``flow_method`` is 'widest path', shares of the widest single path stand in for
    the flow; scaled to sum to 1, they bound nothing. ``ways`` is what :func:`ways_down` gives, if it is there already.
    """
    place = token - 1
    ways = ways_down(reading) if ways is None else ways
    flow = flow_to(ways["mixed"].values[:layer], place)
    rows = [
        reading.head(layer - 1, head - 1).weights[place],
        head_norms(reading, layer - 1, head - 1)[place],
        attention_norms(reading, layer - 1)[place],
        ways["rolled"].values[layer - 1, place],
        flow.values,
    ]
    return xr.Dataset(
        {"share": (("measure", "piece"), np.stack([_to_one(row) for row in rows]))},
        coords={**piece_coordinates(reading.pieces), "measure": list(SHARES)},
        attrs={"layer": layer, "head": head, "query_piece": token, "flow_method": flow.method},
    )


def without_special_pieces(shares: xr.Dataset) -> xr.Dataset:
    """The shares over ordinary pieces alone, scaled to sum to 1; ``hidden`` (measure) is what was left out.

    A measure that gives everything to special pieces stays zero.
    """
    ordinary = shares.isel(piece=np.flatnonzero(~shares["special"].values))
    total = ordinary["share"].sum("piece")
    return ordinary.assign(share=ordinary["share"] / total.where(total > 0, 1.0), hidden=(1.0 - total).clip(0.0, 1.0))


def on_one_scale(*shared_out: xr.Dataset) -> list[xr.Dataset]:
    """Queries that are shared out, each with the largest share of a piece in any of them, for every measure."""
    most = np.max([ds["share"].max("piece") for ds in shared_out], 0)
    return [ds.assign(most=("measure", most)) for ds in shared_out]


def mixed_attention(reading: TextReading, layer: int) -> np.ndarray:
    """(A + I) / 2 in float64, with A the mean over the heads of a layer, counted from 0; its rows sum to 1.

    Raises IndexError for a layer that the model does not have.
    """
    weights: np.ndarray = reading.attention(layer).weights[0].mean(0).double().cpu().numpy()
    # The softmax in float32 leaves sums that are off by 1e-7, which a product over layers would add up.
    weights /= 2 * weights.sum(1, keepdims=True)
    np.fill_diagonal(weights, weights.diagonal() + 0.5)
    return weights


def _to_one(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    total = values.sum()
    return values / total if total > 0 else values
