"""Documents as vectors, kept by content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from goldviz.data.texts.dated_texts import DatedText
from goldviz.labs.policy_documents.documents.vectors import KEPT_VECTORS, keep_vector, kept_vector, vector_name
from goldviz.labs.policy_documents.text_vector import ReportPieces, encoded
from goldviz.models.text.model import TextModel


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as vectors, in their order: ``cls`` and ``mean`` (text, width), ``tone`` (text, label) probabilities.

    ``pieces`` (text,) are those that each mean is over.
    """

    cls: Float[np.ndarray, "text width"]
    mean: Float[np.ndarray, "text width"]
    tone: Float[np.ndarray, "text label"]
    pieces: Int[np.ndarray, " text"]
    chunks: Int[np.ndarray, " text"]


def encode(model: TextModel, texts: Sequence[DatedText], report: ReportPieces | None = None) -> EncodedTexts:
    """Texts as vectors; those that this machine has encoded before are read, the others encoded and kept.

    ``report`` is told pieces, estimated from the characters; where it raises, what is done stays kept.
    """
    by_name = {text.name: kept_vector(model.fingerprint, text.name) for text in texts}
    words = {text.name: text.text for text in texts if by_name[text.name] is None}
    total, pieces_done = sum(map(estimated_pieces, words.values())), 0
    for name, text in words.items():
        share = estimated_pieces(text)

        def tell(read: float, of: float, before: int = pieces_done, share: int = share) -> None:
            if report is not None:
                report(before + share * read / of, total)

        vector = encoded(model, text, tell)
        keep_vector(model.fingerprint, name, vector)
        by_name[name] = vector
        pieces_done += share
    if words:
        KEPT_VECTORS.make_room(survivor=vector_name(model.fingerprint, name))
    vectors = [one for text in texts if (one := by_name[text.name]) is not None]
    return EncodedTexts(
        cls=np.stack([vector.cls for vector in vectors]),
        mean=np.stack([vector.mean for vector in vectors]),
        tone=np.stack([vector.tone for vector in vectors]),
        pieces=np.array([vector.pieces for vector in vectors]),
        chunks=np.array([vector.chunks for vector in vectors]),
    )


def left_to_encode(model: TextModel, texts: Sequence[DatedText]) -> list[DatedText]:
    """The texts, each once, that this machine has not encoded with this model."""
    distinct = {text.name: text for text in texts}
    return [text for name, text in distinct.items() if kept_vector(model.fingerprint, name) is None]


def estimated_operations(model: TextModel, texts: Sequence[DatedText]) -> float:
    """About how many multiplications encoding takes: one for each weight outside the tables and each piece."""
    shape = model.encoder.shape
    weights = shape.layers * (4 * shape.width**2 + 2 * shape.width * shape.inner)
    return float(sum(estimated_pieces(text.text) for text in texts) * weights)


def estimated_pieces(text: str) -> int:
    """About how many pieces a text has: one for every five characters, and the special ones."""
    return len(text) // 5 + 2
