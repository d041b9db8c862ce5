"""What a piece is before any context: its neighbours in the vocabulary, and the three embeddings that are added."""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr

from goldviz.diagnostics.text.reading import TextReading
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


def embedding_parts(reading: TextReading) -> xr.Dataset:
    """How long the three embeddings of every piece are, and how much of their sum is each one's.

    Variables by ``piece`` and ``part`` (token, segment, position): ``norm`` || e ||, and ``share`` e . E / || E ||^2
    with E = e_tok + e_seg + e_pos (document 001, section 4.2.1); the shares of a piece sum to 1 and may be negative.
    ``total_norm`` (piece) is || E ||. A piece whose sum is zero has no shares (NaN).
    """
    parts = reading.embeddings
    stacked = torch.stack([parts.token, parts.segment, parts.position], 1).double().cpu().numpy()
    total = stacked.sum(1)
    squared = (total**2).sum(-1)
    along = np.einsum("npw,nw->np", stacked, total)
    share = np.divide(along, squared[:, None], out=np.full_like(along, np.nan), where=squared[:, None] > 0)
    return xr.Dataset(
        {
            "norm": (("piece", "part"), np.linalg.norm(stacked, axis=-1), {"long_name": "Length of the embedding"}),
            "share": (("piece", "part"), share, {"long_name": "Share of the sum"}),
            "total_norm": ("piece", np.sqrt(squared), {"long_name": "Length of the sum"}),
        },
        coords={
            "piece": np.arange(len(stacked)),
            "token": ("piece", np.array(reading.pieces.tokens)),
            "part": ["token", "segment", "position"],
        },
    )
