"""What the encoder knows of the order of the pieces, of sentence A and B, and of a word (document 001, section 4.2.1).

Attention and feed-forward networks are equivariant: pieces in another order give the same outputs in that order. What
a model knows of the order it has from the position embeddings alone, and of two sentences from the segment embeddings.
A word's vector in X^(l) is the mean of its pieces'; in X^(0) it differs by its place and its segment alone.
"""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cosine_similarity

from goldviz.data.texts.pieces import SPECIAL_WORD, Pieces
from goldviz.labs.inside_bert.overview import label_names, piece_coordinates
from goldviz.labs.inside_bert.reading import TextReading, as_array

LEAST_POSITIONS, MOST_POSITIONS = 32, 128
"""Positions whose similarity is worked out: the text's, but not fewer and not more; of more, every second or fourth."""


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
    own = as_array(table[: len(reading.pieces)] @ table[: len(reading.pieces)].t())
    means = [float(np.diagonal(own, distance).mean()) for distance in range(len(own))]
    return xr.Dataset(
        {
            "position_cosine": (("position", "other"), as_array(rows @ rows.t())),
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
        shares.append(as_array(distances))
        tones.append([_chances(reading, states) for states in (in_order, out_of_order)])
    dataset = xr.Dataset(
        {"moved": (("positions", "state", "piece"), np.stack(shares))},
        coords={
            **piece_coordinates(reading.pieces),
            "positions": ["without", "with"],
            "state": np.arange(len(in_order)),
        },
    )
    if model.classifier is None:
        return dataset
    return dataset.assign(ordered_probability=(("positions", "order", "label"), np.array(tones))).assign_coords(
        order=["as written", "reordered"], label=label_names(model.labels)
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
    table, head = reading.model.encoder.embeddings.segment, reading.model.next_sentence
    if table is None or shape.segments < 2 or not segments.any():
        return xr.Dataset()
    embeddings, across = reading.embeddings, np.zeros((shape.layers, shape.heads))
    ordinary = ~reading.pieces.special
    other = (segments[:, None] != segments) & ordinary
    for layer in range(shape.layers):
        weights = as_array(reading.attention(layer).weights[0])
        across[layer] = (weights * other).sum(-1)[:, ordinary].mean(-1)
    alone = _states(reading, embeddings.token + table.weight[0] + embeddings.position)
    distances = (reading.hidden - alone).norm(dim=-1) / alone.norm(dim=-1)
    sentences = [int((ordinary & (segments == segment)).sum()) for segment in (0, 1)]
    return xr.Dataset(
        {
            "across": (("layer", "head"), across),
            "segment_moved": (("state", "piece"), as_array(distances)),
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
            **({} if head is None else {"follows": float(head(reading.hidden[-1:])[0].double().softmax(-1)[0])}),
        },
    )


def order_and_pair(reading: TextReading) -> xr.Dataset:
    """The pieces read backwards, and what passes between two sentences where the text is a pair."""
    parts = [order_test(reading, reversed_order(reading)), sentence_pair(reading)]
    return xr.merge(parts, combine_attrs="no_conflicts", compat="no_conflicts", join="outer")


def _states(reading: TextReading, total: Float[Tensor, "piece width"]) -> Float[Tensor, "state piece width"]:
    """X^(0) to X^(L) of these sums of embeddings."""
    states = [reading.model.encoder.embeddings.norm(total)[None]]
    for layer in range(reading.model.encoder.shape.layers):
        states.append(reading.block(layer)(states[-1], None))
    return torch.cat(states)


def _chances(reading: TextReading, states: Float[Tensor, "state piece width"]) -> list[float]:
    read = reading.model.classifier
    return [] if read is None else read(states[-1:])[0].double().softmax(-1).tolist()


FEWEST_LETTERS = 2


def words_of(pieces: Pieces, text: str) -> dict[str, np.ndarray]:
    """The words of a chunk in small letters, in order, with their pieces; signs and single letters are none."""
    words: dict[str, np.ndarray] = {}
    for number in dict.fromkeys(pieces.words.tolist()):
        places = np.flatnonzero(pieces.words == number)
        word = text[int(pieces.offsets[places[0]][0]) : int(pieces.offsets[places[-1]][1])].lower()
        if number != SPECIAL_WORD and len(word) >= FEWEST_LETTERS and word.isalpha():
            words.setdefault(word, places)
    return words


def words_of_both(first: Pieces, first_text: str, second: Pieces, second_text: str) -> list[str]:
    """The words that stand in both, in the order of the first."""
    others = words_of(second, second_text)
    return [word for word in words_of(first, first_text) if word in others]


def same_word(first: TextReading, first_text: str, second: TextReading, second_text: str, word: str) -> xr.Dataset:
    """``word_cosine`` (pair, state): between the word's vectors in the two sentences, X^(0) to X^(L), in float64.

    Beside it, as *other words*, the median cosine between the word in the first sentence and each other word of the
    second; NaN where there is none. Raises ``KeyError`` for a word that does not stand in both.
    """
    places, others = words_of(first.pieces, first_text), words_of(second.pieces, second_text)
    own = first.hidden[:, places[word]].double().mean(1)
    means = {other: second.hidden[:, where].double().mean(1) for other, where in others.items()}
    cosines = {other: as_array(cosine_similarity(own, mean, dim=-1)) for other, mean in means.items()}
    rest = [cosine for other, cosine in cosines.items() if other != word]
    median = np.median(rest, axis=0) if rest else np.full(len(own), np.nan)
    return xr.Dataset(
        {"word_cosine": (("pair", "state"), np.stack([cosines[word], median]))},
        coords={"pair": ["same word", "other words"], "state": np.arange(len(own))},
        attrs={"word": word, "others": len(rest)},
    )
