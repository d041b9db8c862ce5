"""Permutation language modelling: pieces are guessed in a drawn order, by two streams (Yang et al. 2019, XLNet).

This is the small form: BERT's encoder with its own position embeddings. XLNet has relative positions and a memory of
the text before as well.

Every piece has a place in the factorisation order. What is read without being guessed has place 0, and the pieces that
are guessed have places 1, 2, ...: XLNet's partial prediction (section 2.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from goldviz.models.text.encoder import BlockParts, EncoderBlock, EncoderDropout, TransformerEncoder


def drawn_order(is_target: Bool[Tensor, "text token"], generator: torch.Generator) -> Int[Tensor, "text token"]:
    """Places in a drawn factorisation order: 1, 2, ... at the pieces that are asked for, 0 at all others.

    >>> drawn_order(torch.tensor([[False, True, True, True, False]]), torch.Generator().manual_seed(0)).tolist()
    [[0, 3, 1, 2, 0]]
    """
    chance = torch.rand(is_target.shape, generator=generator, device=generator.device).to(is_target.device)
    order = chance.masked_fill(~is_target, 2.0).argsort(1).argsort(1) + 1
    return order.masked_fill(~is_target, 0)


def content_sees(order: Int[Tensor, "text token"]) -> Bool[Tensor, "text query key"]:
    """What the content stream sees: pieces that are not later in the order, the piece itself among them (eq. 5)."""
    return order[:, None, :] <= order[:, :, None]


def query_sees(order: Int[Tensor, "text token"]) -> Bool[Tensor, "text query key"]:
    """What the query stream sees: earlier pieces alone, so it knows a piece's position and not the piece (eq. 4).

    Pieces at place 0 are not guessed. Their rows see place 0, because a row has to see something.
    """
    return order[:, None, :] < order.clamp_min(1)[:, :, None]


class QueryStream(nn.Module):
    """The stream that guesses: it starts from one learned vector for all pieces, and their positions.

    Blocks, positions and layer norms are the encoder's own; the content stream is the encoder under a mask.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.start = nn.Embedding(1, width)

    def forward(
        self,
        encoder: TransformerEncoder,
        pieces: Int[Tensor, "text token"],
        order: Int[Tensor, "text token"],
        present: Bool[Tensor, "text token"] | None = None,
        dropout: EncoderDropout | None = None,
    ) -> Float[Tensor, "text token width"]:
        """The states from which pieces are guessed: each knows its position and what is earlier in the order."""
        content, query = self._starts(encoder, pieces)
        if dropout is not None:
            content, query = dropout(content), dropout(query)
        content_mask, query_mask = _masks(order, present)
        for block in encoder.blocks:
            # The query stream reads the content below its block, so the content goes up after it.
            query = block(query, query_mask, dropout, memory=content)
            content = block(content, content_mask, dropout)
        return query

    def walk(
        self,
        encoder: TransformerEncoder,
        pieces: Int[Tensor, "text token"],
        order: Int[Tensor, "text token"],
        present: Bool[Tensor, "text token"] | None = None,
    ) -> Iterator[tuple[BlockParts, BlockParts]]:
        """Content and query stream block after block without dropout, with everything in between."""
        content, query = self._starts(encoder, pieces)
        content_mask, query_mask = _masks(order, present)
        for module in encoder.blocks:
            block = cast("EncoderBlock", module)
            parts = block.inspect(content, content_mask), block.inspect(query, query_mask, memory=content)
            yield parts
            content, query = (part.output for part in parts)

    def _starts(self, encoder: TransformerEncoder, pieces: Int[Tensor, "text token"]) -> tuple[Tensor, Tensor]:
        nothing = torch.zeros_like(pieces)
        parts = encoder.embeddings(pieces, nothing)
        return parts.normalised, encoder.embeddings.norm(self.start(nothing) + parts.segment + parts.position)


def _masks(order: Int[Tensor, "text token"], present: Bool[Tensor, "text token"] | None) -> tuple[Tensor, Tensor]:
    keys = torch.ones_like(order, dtype=torch.bool) if present is None else present
    return content_sees(order) & keys[:, None, :], query_sees(order) & keys[:, None, :]
