"""What a piece is before any context: its neighbours in the vocabulary, and the three embeddings that are added."""

from __future__ import annotations

import numpy as np
import torch

from goldviz.models.text.model import TextModel, TextModelError


@torch.no_grad()
def nearest_pieces(model: TextModel, number: int, count: int = 10) -> list[tuple[str, float]]:
    """The pieces of the vocabulary whose token embeddings point most nearly the same way, with the cosines.

    ``number`` is a piece's place in the vocabulary; the piece itself is not among the answers. Raises
    :class:`goldviz.models.text.model.TextModelError` for a number that the vocabulary does not have.
    """
    table = model.encoder.embeddings.token.weight
    if not 0 <= number < len(table):
        raise TextModelError(f"The piece is number {number}; {model.name} has numbers 0 to {len(table) - 1}.")
    lengths = torch.linalg.vector_norm(table, dim=1)
    # A row of zeros, as padding may have, has no direction: its cosine is put at 0.
    cosines = table @ table[number] / (lengths * lengths[number]).clamp_min(torch.finfo(table.dtype).tiny)
    cosines[number] = -np.inf
    best = cosines.topk(min(count, len(table) - 1))
    tokens = model.tokeniser.convert_ids_to_tokens(best.indices.tolist())
    return list(zip(tokens, best.values.clamp(-1, 1).tolist(), strict=True))
