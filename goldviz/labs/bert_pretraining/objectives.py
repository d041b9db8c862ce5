"""What pre-training asks for: pieces that are hidden, sentence B after A, or words in a drawn order.

Masked language modelling and pairs: Devlin et al. 2019, section 3.1 and appendix A.2; document 001, section 4.2.1, for
the segments. Half of the time B follows A, else B is from elsewhere.

Permutation language modelling (Yang et al. 2019, XLNet), in its small form: pieces are guessed in a drawn order by two
streams of BERT's encoder with its own position embeddings. XLNet has relative positions and a memory of the text before
as well. Every piece has a place in the factorisation order. What is read without being guessed has place 0, and the
pieces that are guessed have places 1, 2, ...: XLNet's partial prediction (section 2.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from goldviz.models.text.encoder import BlockParts, EncoderBlock, EncoderDropout, TransformerEncoder

NO_TARGET = -100
"""Where nothing is asked: the value that ``cross_entropy`` ignores."""

MASKED_SHARE = 0.8
"""Of the chosen pieces so many become [MASK]; half of the others become any piece, the rest stays as it is."""
NEXT, RANDOM = 0, 1
"""What the next-sentence head tells apart, numbered as BERT numbers them: B follows A, or was drawn at random."""
Pair = tuple[str, str, int]
"""Sentences A and B as they were written, and what B is."""
PARAGRAPH_END = re.compile(r"\n\s*\n")


def mask_pieces(
    ids: Int[Tensor, "batch pieces"],
    special: Bool[Tensor, "batch pieces"],
    ordinary: Int[Tensor, " piece"],
    mask_id: int,
    generator: Generator,
    share: float = 0.15,
) -> tuple[Int[Tensor, "batch pieces"], Int[Tensor, "batch pieces"]]:
    """Inputs with hidden pieces, and targets: the piece that was there, or :data:`NO_TARGET` where nothing is asked.

    Each piece is chosen by itself with probability ``share``, and a row of which none was chosen gets one at random,
    so that every row teaches something. A chosen piece becomes [MASK] with probability 0.8, a random one of the
    ``ordinary`` numbers with probability 0.1, and stays with probability 0.1 (Devlin et al. 2019,
    section 3.1; document 001, section 4.2.2). Pieces that are ``special`` ([CLS], [SEP], padding) are never chosen.

    Raises ``ValueError`` for a share that is not above 0 and at most 1, a vocabulary without an ordinary piece, and a
    row that is special throughout.

    >>> inputs, targets = mask_pieces(
    ...     torch.tensor([[2, 7, 8, 9, 3]]), torch.tensor([[True, False, False, False, True]]), torch.arange(5, 50), 4,
    ...     Generator().manual_seed(0), share=0.4)
    >>> inputs.tolist(), targets.tolist()
    ([[2, 7, 8, 4, 3]], [[-100, -100, 8, 9, -100]])
    """
    if not 0 < share <= 1:
        raise ValueError(f"The share of pieces to hide is {share:g}; allowed is a number above 0 and at most 1.")
    if not len(ordinary):
        raise ValueError("The vocabulary has special pieces alone; allowed is one with others.")
    if bool(special.all(-1).any()):
        raise ValueError("A row has nothing but special pieces, so none can be hidden.")
    device = ids.device

    def uniform() -> Tensor:
        return torch.rand(ids.shape, generator=generator, device=generator.device).to(device)

    chance = uniform().masked_fill(special, 2.0)
    places = chance < share
    # Where no piece came below the share, the one that came nearest to it is chosen.
    places |= (chance == chance.amin(-1, keepdim=True)) & ~places.any(-1, keepdim=True)
    treatment = uniform()
    hidden = places & (treatment < MASKED_SHARE)
    random_places = places & (treatment >= (1 + MASKED_SHARE) / 2)
    others = torch.randint(len(ordinary), ids.shape, generator=generator, device=generator.device)
    inputs = torch.where(random_places, ordinary[others.cpu()].to(device), ids).masked_fill(hidden, mask_id)
    return inputs, ids.masked_fill(~places, NO_TARGET)


def sentence_pairs(documents: Sequence[Sequence[str]], generator: np.random.Generator) -> list[Pair]:
    """Every sentence A that another one follows in its document, twice: with that one, and with a random one.

    The random one is from another document, or, where there is one document alone, any that does not follow A. A
    document of a single sentence has no pair of its own, but its sentence may come as a random B.

    >>> sentence_pairs([["Gold rose.", "Silver fell."], ["Output grew."]], np.random.default_rng(0))
    [('Gold rose.', 'Silver fell.', 0), ('Gold rose.', 'Output grew.', 1)]
    """
    pairs: list[Pair] = []
    for number, sentences in enumerate(documents):
        for place, (sentence, following) in enumerate(pairwise(sentences)):
            others = _elsewhere(documents, number, place, generator)
            if others:
                elsewhere = others[int(generator.integers(len(others)))]
                pairs += [(sentence, following, NEXT), (sentence, elsewhere, RANDOM)]
    return pairs


def paragraphs_of(text: str, sentence_end: re.Pattern[str]) -> list[list[str]]:
    """The sentences of each paragraph; a blank line ends one.

    >>> paragraphs_of("Gold rose. It fell.\\n\\nOutput grew.", re.compile(r"(?<=[.])\\s+"))
    [['Gold rose.', 'It fell.'], ['Output grew.']]
    """
    paragraphs = (sentence_end.split(part) for part in PARAGRAPH_END.split(text))
    stripped_paragraphs = ([one.strip() for one in part if any(map(str.isalnum, one))] for part in paragraphs)
    return [part for part in stripped_paragraphs if part]


def joined_pair(first: Sequence[int], second: Sequence[int], room: int) -> tuple[list[int], list[int]]:
    """A and B with at most ``room`` pieces together: the longer one loses its end, down to half of the room.

    >>> joined_pair([1] * 9, [2] * 3, 8), joined_pair([1] * 9, [2] * 9, 8)
    (([1, 1, 1, 1, 1], [2, 2, 2]), ([1, 1, 1, 1], [2, 2, 2, 2]))
    """
    of_second = min(len(second), max(room - len(first), room // 2))
    return list(first[: room - of_second]), list(second[:of_second])


def segments_of(pieces: Int[Tensor, "text token"], separator: int) -> Int[Tensor, "text token"]:
    """0 up to the first [SEP] and 1 behind it (Devlin et al. 2019, figure 2); padding behind the last is 1, too.

    >>> import torch
    >>> segments_of(torch.tensor([[2, 7, 3, 8, 9, 3]]), 3).tolist()
    [[0, 0, 0, 1, 1, 1]]
    """
    ends = (pieces == separator).long()
    return ((ends.cumsum(1) - ends) > 0).long()


def _elsewhere(
    documents: Sequence[Sequence[str]], number: int, place: int, generator: np.random.Generator
) -> Sequence[str]:
    """Sentences among which a random B is drawn: those of another document, each document as likely as another."""
    if len(documents) == 1:
        return [*documents[0][:place], *documents[0][place + 2 :]]
    other = int(generator.integers(len(documents) - 1))
    return documents[other + (other >= number)]


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
