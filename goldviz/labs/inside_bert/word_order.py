"""What the encoder knows of the order of the pieces, and of sentence A and B (document 001, section 4.2.1).

Attention and feed-forward networks are equivariant: pieces in another order give the same outputs in that order. What
a model knows of the order it has from the position embeddings alone, and of two sentences from the segment embeddings.
"""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.labs.inside_bert.overview import label_names, piece_coordinates
from goldviz.labs.inside_bert.reading import TextReading

LEAST_POSITIONS, MOST_POSITIONS = 32, 128
"""Positions whose similarity is worked out: the text's, but not fewer and not more; of more, every second or fourth."""
POSITIONS = ("without", "with")
ORDERS = ("as written", "reordered")


@torch.no_grad()
def position_similarity(reading: TextReading) -> xr.Dataset:
    """``position_cosine`` (position, other): cosines between the embeddings of positions, counted from 1.

    ``distance_cosine`` (distance): their mean over the pairs of this text's places that are so far apart.
    """
    embeddings = reading.model.encoder.embeddings
    table = embeddings.position.weight[embeddings.first_position :].double()
    table = table / table.norm(dim=1, keepdim=True).clamp_min(1e-300)
    first = table[: max(LEAST_POSITIONS, len(reading.pieces))]
    every = -(-len(first) // MOST_POSITIONS)
    rows = first[::every]
    places = np.arange(1, len(first) + 1, every)
    own = (table[: len(reading.pieces)] @ table[: len(reading.pieces)].t()).cpu().numpy()
    means = [float(np.diagonal(own, distance).mean()) for distance in range(len(own))]
    return xr.Dataset(
        {
            "position_cosine": (("position", "other"), (rows @ rows.t()).cpu().numpy()),
            "distance_cosine": ("distance", np.array(means)),
        },
        coords={"position": places, "other": places, "distance": np.arange(len(own))},
    )


def reversed_order(reading: TextReading) -> Int[np.ndarray, " piece"]:
    """Which piece stands at each place when the ordinary pieces are read backwards; special pieces stay."""
    order = np.arange(len(reading.pieces))
    ordinary = ~reading.pieces.special
    order[ordinary] = order[ordinary][::-1]
    return order


@torch.no_grad()
def order_test(reading: TextReading, order: Int[np.ndarray, " piece"]) -> xr.Dataset:
    """The same pieces in another order, with the position embeddings and without them.

    ``order[i]`` is the piece, from 0, that stands at place i. ``moved`` (positions, state, piece): how far a piece's
    state X^(0) to X^(L) then is from its state in the written order, as a share of that state's length. A model with a
    classifier adds ``ordered_probability`` (positions, order, label).
    """
    model, places = reading.model, torch.as_tensor(order)
    meaning = reading.embeddings.token + reading.embeddings.segment
    shares, tones = [], []
    for position in (torch.zeros_like(meaning), reading.embeddings.position):
        in_order, out_of_order = _states(reading, meaning + position), _states(reading, meaning[places] + position)
        distances = torch.empty_like(in_order[..., 0])
        distances[:, places] = (out_of_order - in_order[:, places]).norm(dim=-1) / in_order[:, places].norm(dim=-1)
        shares.append(distances.double().cpu().numpy())
        tones.append([_chances(reading, states) for states in (in_order, out_of_order)])
    dataset = xr.Dataset(
        {"moved": (("positions", "state", "piece"), np.stack(shares))},
        coords={**piece_coordinates(reading.pieces), "positions": list(POSITIONS), "state": np.arange(len(in_order))},
    )
    if model.classifier is None:
        return dataset
    return dataset.assign(ordered_probability=(("positions", "order", "label"), np.array(tones))).assign_coords(
        order=list(ORDERS), label=label_names(model.labels)
    )


@torch.no_grad()
def sentence_pair(reading: TextReading) -> xr.Dataset:
    """What passes between sentence A and B, and what the segment embeddings do.

    ``across`` (layer, head): the mean share of their attention that ordinary pieces give to ordinary pieces of the
    other sentence. ``segment_moved`` (state, piece): how far a state is from the one that it has when all pieces are
    read as sentence A, as a share of that. Attributes: the pieces of each sentence, the cosine of the two segment
    embeddings, and of a model with a next-sentence head ``follows``, the probability that it gives to B following A.
    Nothing for a text that is no pair, or a model that tells no segments apart.
    """
    shape, segments = reading.model.encoder.shape, reading.pieces.segments
    table = reading.model.encoder.embeddings.segment
    if table is None or shape.segments < 2 or not segments.any():
        return xr.Dataset()
    embeddings, across = reading.embeddings, np.zeros((shape.layers, shape.heads))
    ordinary = ~reading.pieces.special
    other = (segments[:, None] != segments) & ordinary
    for layer in range(shape.layers):
        weights = reading.attention(layer).weights[0].double().cpu().numpy()
        across[layer] = (weights * other).sum(-1)[:, ordinary].mean(-1)
    alone = _states(reading, embeddings.token + table.weight[0] + embeddings.position)
    distances = (reading.hidden - alone).norm(dim=-1) / alone.norm(dim=-1)
    sentences = [int((ordinary & (segments == segment)).sum()) for segment in (0, 1)]
    return xr.Dataset(
        {
            "across": (("layer", "head"), across),
            "segment_moved": (("state", "piece"), distances.double().cpu().numpy()),
            "segment": ("piece", segments.astype(float)),
        },
        coords={
            **piece_coordinates(reading.pieces),
            "layer": np.arange(1, shape.layers + 1),
            "head": np.arange(1, shape.heads + 1),
            "state": np.arange(shape.layers + 1),
        },
        attrs={
            "pieces_a": sentences[0],
            "pieces_b": sentences[1],
            "segment_cosine": float(torch.cosine_similarity(table.weight[0], table.weight[1], dim=0)),
            **_follows(reading),
        },
    )


def order_and_pair(reading: TextReading) -> xr.Dataset:
    """The pieces read backwards, and what passes between two sentences where the text is a pair."""
    parts = [order_test(reading, reversed_order(reading)), sentence_pair(reading)]
    return xr.merge(parts, combine_attrs="no_conflicts", compat="no_conflicts", join="outer")


def _follows(reading: TextReading) -> dict[str, float]:
    head = reading.model.next_sentence
    return {} if head is None else {"follows": head(reading.hidden[-1:])[0].double().softmax(-1)[0].item()}


def _states(reading: TextReading, total: Float[Tensor, "piece width"]) -> Float[Tensor, "state piece width"]:
    """X^(0) to X^(L) of these sums of embeddings."""
    states = [reading.model.encoder.embeddings.norm(total)[None]]
    for layer in range(reading.model.encoder.shape.layers):
        states.append(reading.block(layer)(states[-1], None))
    return torch.cat(states)


def _chances(reading: TextReading, states: Float[Tensor, "state piece width"]) -> list[float]:
    read = reading.model.classifier
    return [] if read is None else read(states[-1:])[0].double().softmax(-1).tolist()
