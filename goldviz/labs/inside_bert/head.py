"""What *Inside BERT* shows of one head: its map, its steps for one piece, and what stands beside raw weights."""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.labs.inside_bert.attention.flow import flow_to
from goldviz.labs.inside_bert.attention.norms import attention_norms, head_norms
from goldviz.labs.inside_bert.attention.rollout import mixed_attention
from goldviz.labs.inside_bert.attention.steps import attention_steps
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
    """From query to output for one piece (document 001, section 4.1.2): see
    :func:`goldviz.labs.inside_bert.attention.steps.attention_steps`; here everything counts from 1, and vectors are
    named ``query_vector``, ``key_vector`` and ``value_vector``.
    """
    steps = attention_steps(reading, layer - 1, head - 1, token - 1).rename(
        query="query_vector", key="key_vector", value="value_vector"
    )
    return steps.assign_coords(
        piece_coordinates(reading.pieces) | {"dimension": steps["dimension"].values + 1}
    ).assign_attrs(layer=layer, head=head, query_piece=token)


def ways_down(reading: TextReading) -> xr.Dataset:
    """What rollout and flow go by, for all layers: 50 MB in float64 for 12 layers at 512 pieces.

    ``mixed`` (layer, query, input) is (A + I) / 2 of the heads' mean; ``rolled`` its product from the input up to each
    layer (Abnar and Zuidema 2020, section 3; see :mod:`goldviz.labs.inside_bert.attention.rollout`).
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


def _to_one(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    total = values.sum()
    return values / total if total > 0 else values
