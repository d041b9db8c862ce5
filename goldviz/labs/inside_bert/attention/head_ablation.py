"""Switch attention heads off and see what changes (Michel et al. 2019, section 2.3).

A head is scaled by a share, 1 for as it is and 0 for off: its output Z_h is multiplied by it before W_O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.inside_bert.attribution.outputs import classifier_of
from goldviz.labs.inside_bert.reading import ReportSteps, piece_ids, segment_ids
from goldviz.models.text.encoder import BlockParts, EncoderBlock
from goldviz.models.text.model import TextModel

if TYPE_CHECKING:
    from goldviz.data.texts.pieces import Pieces

ABLATED_PIECES_AT_ONCE = 512
"""Heads of a layer are switched off together, each on a copy of the text, while the copies have so few pieces."""


@torch.no_grad()
def head_ablation(
    model: TextModel, pieces: Pieces, shares: Float[np.ndarray, "layer head"]
) -> Float[np.ndarray, " output"]:
    """The logits of the tone with every head scaled by its share, in one forward pass.

    Raises ValueError if ``shares`` has not one entry for each head, and
    :class:`goldviz.models.text.model.TextModelError` for a model without a classifier.
    """
    shape, read = model.encoder.shape, classifier_of(model)
    if shares.shape != (shape.layers, shape.heads):
        raise ValueError(f"The shares have shape {shares.shape}; allowed is {(shape.layers, shape.heads)}.")
    x = _first_state(model, pieces)
    for block, row in zip(model.encoder.blocks, torch.as_tensor(shares).to(x), strict=True):
        # A layer of which nothing is scaled takes the fused kernel, which keeps no weights.
        x = block(x, None) if bool((row == 1).all()) else cast("EncoderBlock", block).inspect(x, shares=row).output
    logits: np.ndarray = _plain_logits(read(x))[0]
    return logits


@torch.no_grad()
def ablate_all(
    model: TextModel, pieces: Pieces, report: ReportSteps | None = None
) -> Float[np.ndarray, "layer head output"]:
    """The change of each logit when one head after another is switched off, all others staying as they are.

    Each pass starts at the head's own layer, so that the whole costs about half of a full pass for each head.
    ``report`` is told how many layers were gone through and how many there are to go through in all, and ends the
    work where it raises. Raises :class:`goldviz.models.text.model.TextModelError` for a model without a classifier
    where ``read_out`` is None.
    """
    shape, read = model.encoder.shape, classifier_of(model)
    x = _first_state(model, pieces)
    whole = _plain_logits(read(model.encoder.upwards(x)))
    at_once = max(1, ABLATED_PIECES_AT_ONCE // len(pieces))
    changes: list[np.ndarray] = []
    done, total = 0, shape.heads * shape.layers * (shape.layers + 1) // 2
    for layer, module in enumerate(model.encoder.blocks):
        block = cast("EncoderBlock", module)
        parts = block.inspect(x)
        for heads in torch.arange(shape.heads).split(at_once):
            above = _without_each(block, parts, heads)
            changes.append(_plain_logits(read(model.encoder.upwards(above, start=layer + 1))) - whole)
            done += len(heads) * (shape.layers - layer)
            if report is not None:
                report(done, total)
        x = parts.output
    return np.concatenate(changes).reshape(shape.layers, shape.heads, -1)


def _first_state(model: TextModel, pieces: Pieces) -> Float[Tensor, "1 piece width"]:
    segments = segment_ids(model, pieces)
    state: Tensor = model.encoder.embeddings(piece_ids(model, pieces), segments).normalised
    return state


def _without_each(block: EncoderBlock, parts: BlockParts, heads: Tensor) -> Float[Tensor, "copy piece width"]:
    """The block's output with the first of ``heads`` off, with the second off, and so on: one copy for each."""
    mixture = parts.attention.mixed.repeat(len(heads), 1, 1, 1)
    mixture[torch.arange(len(heads)), heads] = 0
    attention_out = block.attention_norm(parts.input + block.attention.output(mixture.transpose(1, 2).flatten(2)))
    output: Tensor = block.output_norm(attention_out + block.feed_forward(attention_out))
    return output


def _plain_logits(logits: Tensor) -> Float[np.ndarray, "copy output"]:
    plain: np.ndarray = logits.double().cpu().numpy()
    return plain
