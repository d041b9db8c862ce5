"""Hide pieces of a text and ask the model for them: the task that BERT learned from (document 001, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from goldviz.labs.inside_bert.attribution.outputs import masked_word_head_of
from goldviz.labs.inside_bert.reading import piece_ids, segment_ids
from goldviz.models.text.model import TextModel, TextModelError

if TYPE_CHECKING:
    from goldviz.data.texts.pieces import Pieces


class MaskedGuess(NamedTuple):
    """What the model puts in one masked place.

    ``piece`` is what really stood there, with its ``probability`` and its ``rank`` in the vocabulary (1 is the first);
    ``top`` are the likeliest pieces and their probabilities.
    """

    position: int
    piece: str
    probability: float
    rank: int
    top: list[tuple[str, float]]


def with_masked(model: TextModel, pieces: Pieces, positions: Sequence[int]) -> Pieces:
    """The pieces with those at ``positions`` replaced by the model's mask piece.

    Raises IndexError for a piece that the text does not have, and
    :class:`goldviz.models.text.model.TextModelError` for a model whose tokeniser has no mask piece.
    """
    mask = mask_number(model)
    for position in positions:
        _check_position(pieces, position)
    ids, tokens = pieces.ids.copy(), list(pieces.tokens)
    for position in positions:
        ids[position], tokens[position] = mask, _token(model, mask)
    return replace(pieces, ids=ids, tokens=tuple(tokens))


def masked_guesses(model: TextModel, pieces: Pieces, positions: Sequence[int], top: int = 10) -> list[MaskedGuess]:
    """Mask all of ``positions`` together and say what the model expects at each.

    ``pieces`` is the text as it really is. Raises IndexError for a piece that the text does not have, and
    :class:`goldviz.models.text.model.TextModelError` for a model without a masked-word head.
    """
    masked_word_head_of(model)
    mask_rows = with_masked(model, pieces, positions)
    log_probabilities = _log_probabilities(model, mask_rows, positions)
    return [_guess(model, pieces, *pair, top) for pair in zip(positions, log_probabilities, strict=True)]


def mask_number(model: TextModel) -> int:
    """The vocabulary's number of the mask piece. Raises ``TextModelError`` where the tokeniser has none."""
    if model.tokeniser.mask_token_id is None:
        raise TextModelError(f"The tokeniser of {model.name} has no mask piece, so nothing can be masked.")
    return int(model.tokeniser.mask_token_id)


@torch.no_grad()
def _log_probabilities(
    model: TextModel, pieces: Pieces, positions: Sequence[int]
) -> Float[np.ndarray, "place vocabulary"]:
    """log P over the vocabulary at the given places. The head reads these alone: at all pieces it would take 63 MB."""
    hidden = model.encoder(piece_ids(model, pieces), segment_ids(model, pieces))[0, list(positions)]
    logits = masked_word_head_of(model)(hidden, model.encoder.embeddings.token.weight)
    log_probabilities: np.ndarray = logits.double().log_softmax(-1).cpu().numpy()
    return log_probabilities


def _guess(model: TextModel, pieces: Pieces, position: int, log_probabilities: np.ndarray, top: int) -> MaskedGuess:
    true = int(pieces.ids[position])
    best = np.argsort(-log_probabilities, kind="stable")[:top]
    return MaskedGuess(
        position=position,
        piece=pieces.tokens[position],
        probability=float(np.exp(log_probabilities[true])),
        rank=1 + int((log_probabilities > log_probabilities[true]).sum()),
        top=[(_token(model, int(number)), float(np.exp(log_probabilities[number]))) for number in best],
    )


def _token(model: TextModel, number: int) -> str:
    return str(model.tokeniser.convert_ids_to_tokens(number))


def _check_position(pieces: Pieces, position: int) -> None:
    if not 0 <= position < len(pieces):
        raise IndexError(f"The piece is number {position}; the text has numbers 0 to {len(pieces) - 1}.")
