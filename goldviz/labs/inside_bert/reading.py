"""What a model does with one text, kept so small that 12 layers of 12 heads at 512 pieces fit beside the model.

A reading holds the hidden states X^(0) to X^(L) and a few numbers for each head. A head's whole map is made again from
the hidden state below it when someone asks for it, which takes milliseconds (document 001, section 4.1.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import linear

from goldviz.diagnostics.text.attention_heads import HEAD_SUMMARIES, summarise_head
from goldviz.labs.inside_bert.maps import LARGEST_TILE, PLACES, place_patterns, pool_tiles
from goldviz.models.text.encoder import AttentionParts, EmbeddingParts, EncoderBlock, SelfAttention
from goldviz.models.text.model import TextModel, TextModelError

if TYPE_CHECKING:
    from goldviz.data.texts.pieces import Pieces

ReportSteps = Callable[[float, float], None]
"""Told what is done and how much there is; raises where someone no longer wants the result."""


class HeadSteps(NamedTuple):
    """One head's queries, keys and values, and ``weights``, the softmax of q k / sqrt(d_k) over the keys, in the
    precision of the model's weights (float32 for a loaded one)."""

    query: Float[np.ndarray, "query head_width"]
    key: Float[np.ndarray, "key head_width"]
    value: Float[np.ndarray, "key head_width"]
    weights: Float[np.ndarray, "query key"]


@dataclass(frozen=True)
class TextReading:
    """One forward pass over one chunk of a text.

    ``embeddings`` without the batch dimension: (piece, width) each. ``hidden`` are X^(0) to X^(L). ``summaries`` maps
    each of ``HEAD_SUMMARIES`` and ``PLACES`` to an array (layer, head). ``tiles`` are all heads' maps, each made at
    most 64 x 64 by taking the largest weight of a cell. ``received`` is the attention that a piece gets, the mean over
    heads and queries of a layer.
    """

    model: TextModel
    pieces: Pieces
    embeddings: EmbeddingParts
    hidden: Float[Tensor, "state piece width"]
    summaries: dict[str, Float[np.ndarray, "layer head"]]
    tiles: Float[np.ndarray, "layer head row column"]
    received: Float[np.ndarray, "layer piece"]

    def block(self, layer: int) -> EncoderBlock:
        """The encoder's layer number ``layer``, from 0; IndexError where there is none."""
        layers = self.model.encoder.shape.layers
        if not 0 <= layer < layers:
            raise IndexError(f"The layer is number {layer}; the model has numbers 0 to {layers - 1}.")
        return cast("EncoderBlock", self.model.encoder.blocks[layer])

    @torch.no_grad()
    def attention(self, layer: int) -> AttentionParts:
        """Everything that the attention of ``layer`` does, for all heads at once, with a batch dimension of 1.

        25 MB of scores and weights for 12 heads at 512 pieces, so keep no more than one. IndexError for a layer that
        the model does not have.
        """
        return self.block(layer).attention.inspect(self.hidden[layer][None])

    @torch.no_grad()
    def head(self, layer: int, head: int) -> HeadSteps:
        """One head, made again from X^(l-1); layers and heads count from 0.

        Raises IndexError for a layer or head that the model does not have.
        """
        attention, below = self.block(layer).attention, self.hidden[layer]
        if not 0 <= head < attention.heads:
            raise IndexError(f"The head is number {head}; the model has numbers 0 to {attention.heads - 1}.")
        query, key, value = (
            _of_head(part, attention, head, below) for part in (attention.query, attention.key, attention.value)
        )
        weights = (query @ key.t() / math.sqrt(query.shape[1])).softmax(-1)
        return HeadSteps(*(step.cpu().numpy() for step in (query, key, value, weights)))


def as_array(values: Tensor) -> np.ndarray:
    """The numbers in float64, where the processor has them."""
    return np.asarray(values.double().cpu())


def piece_ids(model: TextModel, pieces: Pieces) -> Int[Tensor, "1 piece"]:
    """The pieces as a batch of one, where the model's weights are.

    Raises :class:`goldviz.models.text.model.TextModelError` where the model cannot read them: more pieces than it has
    positions for, or pieces of another vocabulary.
    """
    shape = model.encoder.shape
    if not 1 <= len(pieces) <= shape.longest:
        raise TextModelError(
            f"The text has {len(pieces)} pieces; {model.name} reads 1 to {shape.longest} at once.", "too_long"
        )
    largest = int(pieces.ids.max())
    if largest >= shape.vocabulary:
        raise TextModelError(
            f"The text has piece number {largest}; the vocabulary of {model.name} ends at {shape.vocabulary - 1}.",
            "other_vocabulary",
        )
    return torch.as_tensor(pieces.ids, device=model.encoder.embeddings.token.weight.device)[None]


def segment_ids(model: TextModel, pieces: Pieces) -> Int[Tensor, "1 piece"]:
    """The pieces' segments as :func:`piece_ids` has the pieces; all A where the model tells no two apart."""
    segments = np.minimum(pieces.segments, max(model.encoder.shape.segments - 1, 0))
    return torch.as_tensor(segments, device=model.encoder.embeddings.token.weight.device)[None]


@torch.no_grad()
def read_text(model: TextModel, pieces: Pieces, report: ReportSteps | None = None) -> TextReading:
    """Read one chunk, layer by layer; ``report`` is told of each layer, and ends the reading where it raises.

    Raises :class:`goldviz.models.text.model.TextModelError` where the model cannot read the pieces, and where its
    weights are so large that a hidden state overflows.
    """
    ids, shape = piece_ids(model, pieces), model.encoder.shape
    embeddings = EmbeddingParts(*(part[0] for part in model.encoder.embeddings(ids, segment_ids(model, pieces))))
    hidden = embeddings.normalised.new_empty(shape.layers + 1, *embeddings.normalised.shape)
    hidden[0] = embeddings.normalised
    side = min(len(pieces), LARGEST_TILE)
    reading = TextReading(
        model=model,
        pieces=pieces,
        embeddings=embeddings,
        hidden=hidden,
        summaries={name: np.empty((shape.layers, shape.heads)) for name in (*HEAD_SUMMARIES, *PLACES)},
        tiles=np.empty((shape.layers, shape.heads, side, side), np.float16),
        received=np.zeros((shape.layers, len(pieces))),
    )
    # All that stays is there before the first layer. What comes and goes then leaves no holes between what stays:
    # the memory of the process grew by 200 MB else.
    _check_is_finite(reading, 0)
    patterns = torch.from_numpy(place_patterns(pieces.words, pieces.segments)).to(hidden).flatten(1)
    for layer in range(shape.layers):
        hidden[layer + 1] = reading.block(layer)(hidden[layer][None], None)[0]
        # Scores that overflow make the state above them no number, so the heads are looked at after it.
        _check_is_finite(reading, layer + 1)
        _look_at_heads(reading, layer, patterns)
        if report is not None:
            report(layer + 1, shape.layers)
    return reading


def _check_is_finite(reading: TextReading, layer: int) -> None:
    if not torch.isfinite(reading.hidden[layer]).all():
        place = f"after layer {layer}" if layer else "before the first layer"
        raise TextModelError(
            f"{reading.model.name} cannot read this text: its states are not finite {place}, so its weights are too "
            "large; choose another model.",
            "not_finite",
        )


def _look_at_heads(reading: TextReading, layer: int, patterns: Float[Tensor, "place pair"]) -> None:
    """Fill in a layer's summaries and tiles. One head's map is held at a time: all, with scores, would be 25 MB."""
    attention, below = reading.block(layer).attention, reading.hidden[layer]
    queries, keys = (part(below).chunk(attention.heads, -1) for part in (attention.query, attention.key))
    for head, (query, key) in enumerate(zip(queries, keys, strict=True)):
        weights = (query @ key.t()).div_(math.sqrt(query.shape[1])).softmax(-1)
        summary = summarise_head(weights, reading.pieces.special)
        places = dict(zip(PLACES, (patterns @ weights.flatten()).tolist(), strict=True))
        for name, value in (summary.numbers | places).items():
            reading.summaries[name][layer, head] = value
        reading.received[layer] += summary.received / attention.heads
        reading.tiles[layer, head] = pool_tiles(weights.cpu().numpy()[None])[0]


def _of_head(
    part: nn.Linear, attention: SelfAttention, head: int, below: Float[Tensor, "piece width"]
) -> Float[Tensor, "piece head_width"]:
    """What one head gets of its layer's query, key or value ``part``."""
    width = part.out_features // attention.heads
    rows = slice(head * width, (head + 1) * width)
    return linear(below, part.weight[rows], part.bias[rows])
