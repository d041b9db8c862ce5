"""How one head got from a token to its output, with every number visible (document 001, section 4.1.2)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.inside_bert.reading import TextReading


def attention_steps(reading: TextReading, layer: int, head: int, query: int) -> xr.Dataset:
    """The steps of one head for the token number ``query``, in float64 from the model's own queries, keys and values.

    Dimensions: ``piece`` (the keys, with ``token`` as a label) and ``dimension`` (of the head, d_k of them).

    - ``query`` (dimension): q_i; ``key`` and ``value`` (piece, dimension): k_j and v_j
    - ``product`` (piece): q_i . k_j; ``score``: the same over sqrt(d_k); ``weight``: the softmax of the scores
    - ``value_norm`` (piece): || v_j ||; ``weighted_norm``: || a_ij v_j ||
    - ``output`` (dimension): sum_j a_ij v_j

    Raises IndexError for a layer, head or token that the model or the text does not have.
    """
    pieces = len(reading.pieces)
    if not 0 <= query < pieces:
        raise IndexError(f"The token is number {query}; the text has numbers 0 to {pieces - 1}.")
    steps = reading.head(layer, head)
    query_vector = steps.query[query].astype(np.float64)
    keys, values = steps.key.astype(np.float64), steps.value.astype(np.float64)
    product = keys @ query_vector
    score = product / math.sqrt(len(query_vector))
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    value_norm = np.linalg.norm(values, axis=1)
    variables: dict[str, tuple[Any, np.ndarray, str]] = {
        "query": ("dimension", query_vector, "Query q"),
        "key": (("piece", "dimension"), keys, "Key k"),
        "product": ("piece", product, "q · k"),
        "score": ("piece", score, "q · k / √d_k"),
        "weight": ("piece", weight, "Attention weight"),
        "value": (("piece", "dimension"), values, "Value v"),
        "value_norm": ("piece", value_norm, "Length of v"),
        "weighted_norm": ("piece", weight * value_norm, "Length of weight × v"),
        "output": ("dimension", weight @ values, "Output of the head"),
    }
    return xr.Dataset(
        {name: xr.Variable(dims, data, {"long_name": words}) for name, (dims, data, words) in variables.items()},
        coords={
            "piece": np.arange(pieces),
            "token": ("piece", np.array(reading.pieces.tokens)),
            "dimension": np.arange(len(query_vector)),
        },
        attrs={"layer": layer, "head": head, "query_piece": query},
    )
