"""What *Inside BERT* shows of one head, its map and its steps for one piece, of what stands beside weights, of a layer.

Document 001, sections 4.1.2 and 4.1.3; document 004, sections 4.1 and 4.2. Beside weights stand the lengths of the
vectors that attention really adds (Kobayashi et al. 2020, section 3), and rollout and flow (Abnar and Zuidema 2020,
section 3).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from scipy.special import softmax
from torch import Tensor
from torch.nn.functional import cosine_similarity

from goldviz.labs.inside_bert.maps import group_by_word
from goldviz.labs.inside_bert.overview import piece_coordinates
from goldviz.labs.inside_bert.reading import TextReading, as_array

SHARES = ("attention", "head_norm", "layer_norm", "rollout", "flow")
"""What stands beside one another for a query: raw weights and four other ways to share the query out over the keys."""
KEYS_AT_ONCE = 64
"""Keys whose products over pairs of heads are held together: 12 heads at 512 queries then take 3 MB each."""
MOST_FLOW_WORK = 10_000_000
"""Pipes times input tokens up to which the exact flow is computed: up to 96 tokens for 12 layers, at most about 1 s."""
WHOLE_CAPACITY = 2**30
"""The integer that stands for a capacity of 1. No flow is larger, because what leaves a token sums to 1."""
STAGES = ("input", "attention", "attention_sum", "attended", "feed_forward", "feed_forward_sum", "output")
"""X, MHSA(X), their sum, X~ after the first LayerNorm, FFN(X~), their sum, and the layer's output."""
ADDED = {"attention": "input", "feed_forward": "attended"}
"""What each part of the layer is added to."""
NORMS = {"attention_norm": "attention_sum", "output_norm": "feed_forward_sum"}
"""What each LayerNorm of the layer is given."""


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
    weight = softmax(score)
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
    flow, method = flow_to(ways["mixed"].values[:layer], place)
    rows = [
        reading.head(layer - 1, head - 1).weights[place],
        head_norms(reading, layer - 1, head - 1)[place],
        attention_norms(reading, layer - 1)[place],
        ways["rolled"].values[layer - 1, place],
        flow,
    ]
    values = np.stack(rows).astype(np.float64)
    totals = values.sum(1, keepdims=True)
    return xr.Dataset(
        {"share": (("measure", "piece"), values / np.where(totals > 0, totals, 1.0))},
        coords={**piece_coordinates(reading.pieces), "measure": list(SHARES)},
        attrs={"layer": layer, "head": head, "query_piece": token, "flow_method": method},
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
    weights = as_array(reading.attention(layer).weights[0].mean(0))
    # The softmax in float32 leaves sums that are off by 1e-7, which a product over layers would add up.
    weights /= 2 * weights.sum(1, keepdims=True)
    np.fill_diagonal(weights, weights.diagonal() + 0.5)
    return weights


@torch.no_grad()
def transformed_values(reading: TextReading, layer: int, head: int) -> Float[Tensor, "key width"]:
    """f_h(x_j) of every token: its value in one head, carried through that head's part of W_O.

    The head's weights times these, added up over the heads, and the bias of W_O make the layer's attention output. A
    large weight on a token whose f_h(x_j) is short adds little: this is what happens at [CLS], [SEP] and full stops.
    Raises IndexError for a layer or head that the model does not have.
    """
    steps = reading.head(layer, head)
    output = reading.block(layer).attention.output.weight
    width = steps.value.shape[1]
    return torch.from_numpy(steps.value).to(output.device) @ output[:, head * width : (head + 1) * width].t()


@torch.no_grad()
def head_norms(reading: TextReading, layer: int, head: int) -> Float[np.ndarray, "query key"]:
    """|| a_ij f_h(x_j) || of one head. Raises IndexError for a layer or head that the model does not have."""
    lengths = torch.linalg.vector_norm(transformed_values(reading, layer, head), dim=1, dtype=torch.float64)
    return np.asarray(reading.head(layer, head).weights * as_array(lengths))


@torch.no_grad()
def head_word_norms(reading: TextReading, layer: int, head: int) -> Float[np.ndarray, "word_query word_key"]:
    """|| sum_j a_ij f_h(x_j) || of one head over the pieces j of a word, the mean over the pieces i of the asking word.

    The vectors of a word's pieces are added, as the layer adds them, and then measured: lengths do not add up. What
    different queries get is never added, so their lengths are averaged. Words and special pieces in the text's order,
    as :func:`word_maps` has them. Raises IndexError for a layer or head that the
    model does not have.
    """
    values = transformed_values(reading, layer, head)
    weights = torch.from_numpy(reading.head(layer, head).weights).to(values.device)
    groups = group_by_word(reading.pieces.words)
    ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups))
    # Word after word: one array of query x word x width would take 800 MB for 512 words of BERT-base.
    lengths = [
        torch.linalg.vector_norm(weights[:, first:stop] @ values[first:stop], dim=1, dtype=torch.float64)
        for first, stop in zip([0, *ends[:-1]], ends, strict=True)
    ]
    by_piece = as_array(torch.stack(lengths, dim=1))
    return np.asarray(np.add.reduceat(by_piece, [0, *ends[:-1]], axis=0) / np.bincount(groups)[:, None])


@torch.no_grad()
def attention_norms(reading: TextReading, layer: int) -> Float[np.ndarray, "query key"]:
    """|| sum_h a_h,ij f_h(x_j) || of a whole layer, in float64: the heads' vectors are added before they are measured.

    The square is a_ij^T G_j a_ij with the heads' products G_j[h, g] = f_h(x_j) . f_g(x_j), which spares an array of
    query x key x width. Raises IndexError for a layer that the model does not have.
    """
    attention = reading.attention(layer)
    products = _head_products(attention.value[0], reading.block(layer).attention.output.weight)
    squares = attention.weights.new_empty(attention.weights.shape[2:], dtype=torch.float64)
    for first in range(0, len(products), KEYS_AT_ONCE):
        keys = slice(first, first + KEYS_AT_ONCE)
        weights = attention.weights[0, :, :, keys].permute(2, 0, 1).double()
        squares[:, keys] = ((products[keys] @ weights) * weights).sum(1).t()
    return as_array(squares.clamp_(min=0).sqrt_())


def _head_products(
    value: Float[Tensor, "head key head_width"], output: Float[Tensor, "width head_x_head_width"]
) -> Float[Tensor, "key head head"]:
    """G_j[h, g] = v_h,j W_h W_g^T v_g,j for every token j, where W_h is the part of W_O that reads head h."""
    heads, pieces, width = value.shape
    products = value.new_empty(pieces, heads, heads, dtype=torch.float64)
    parts = output.double().view(-1, heads, width).transpose(0, 1)
    value_parts = torch.einsum("hjd,hwd->hjw", value.double(), parts)
    for head in range(heads):
        products[:, head] = torch.einsum("jw,gjw->jg", value_parts[head], value_parts)
    return products


def flow_to(mixture: Float[np.ndarray, "layer query key"], token: int) -> tuple[Float[np.ndarray, " input"], str]:
    """The flow from every input token to ``token`` (from 0) at the top of the layers of ``mixture``, and how it came.

    The layers are a network of pipes: token i after layer l is joined with token j before it by a pipe of capacity
    A_bar_l[i, j] = (A + I) / 2, and the flow between two tokens is the largest that the pipes between them allow. It is
    found by 'maximum flow' where the graph is small; else by 'widest path', a lower bound of it.
    """
    layers, pieces, _ = mixture.shape
    if ((layers - 1) * pieces + 1) * pieces**2 <= MOST_FLOW_WORK:
        return maximum_flows(mixture, token), "maximum flow"
    return widest_paths(mixture, token), "widest path"


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


@torch.no_grad()
def encoder_layer(reading: TextReading, layer: int, token: int) -> xr.Dataset:
    """What layer ``layer`` makes of every piece, and what its neurons do for piece ``token``; both count from 1.

    - ``stage_norm`` (stage, piece): the length of each of ``STAGES``
    - ``added_cosine`` (added, piece): the cosine of what a part adds with what it is added to
    - ``divisor`` (norm, piece): sqrt(variance + epsilon), by which a LayerNorm divides
    - ``turned`` (piece): the cosine of the layer's output with its input
    - ``firing`` (piece): the share of the feed-forward network's neurons whose input is above 0
    - ``neuron_input``, ``neuron_output`` (neuron): before and after the activation, for the piece
    - ``neuron_length`` (neuron): the length of what the neuron adds to the piece, |output| times its column of W_2

    Raises IndexError for a layer that the model does not have.
    """
    block = reading.block(layer - 1)
    parts = block.inspect(reading.hidden[layer - 1][None])
    before = block.expand(parts.attended)
    after = block.activation(before)
    mixed, fed = parts.attention.output, block.contract(after)
    states = (parts.input, mixed, parts.input + mixed, parts.attended, fed, parts.attended + fed, parts.output)
    stages = dict(zip(STAGES, states, strict=True))
    cosines = [cosine_similarity(stages[part], stages[onto], dim=-1) for part, onto in ADDED.items()]
    divisors = [
        (stages[stage].var(-1, correction=0) + getattr(block, norm).eps).sqrt() for norm, stage in NORMS.items()
    ]
    place, columns = token - 1, block.contract.weight.norm(dim=0)
    return xr.Dataset(
        {
            "stage_norm": (("stage", "piece"), as_array(torch.cat([stage.norm(dim=-1) for stage in stages.values()]))),
            "added_cosine": (("added", "piece"), as_array(torch.cat(cosines))),
            "divisor": (("norm", "piece"), as_array(torch.cat(divisors))),
            "turned": ("piece", as_array(cosine_similarity(parts.output, parts.input, dim=-1)[0])),
            "firing": ("piece", as_array((before[0] > 0).double().mean(-1))),
            "neuron_input": ("neuron", as_array(before[0, place])),
            "neuron_output": ("neuron", as_array(after[0, place])),
            "neuron_length": ("neuron", as_array(after[0, place].abs() * columns)),
        },
        coords={
            **piece_coordinates(reading.pieces),
            "stage": list(STAGES),
            "added": list(ADDED),
            "norm": list(NORMS),
            "neuron": np.arange(1, len(columns) + 1),
        },
        attrs={"layer": layer, "query_piece": token},
    )
