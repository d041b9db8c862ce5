"""Documents as vectors, kept by content."""

from __future__ import annotations

from collections.abc import Sequence

from goldviz.data.texts.dated_texts import DatedText
from goldviz.labs.policy_documents.documents.vectors import KEPT_VECTORS, keep_vector, kept_vector, vector_name
from goldviz.labs.policy_documents.text_vector import ReportPieces, TextVector, encoded
from goldviz.models.text.model import TextModel


def encode(model: TextModel, texts: Sequence[DatedText], report: ReportPieces | None = None) -> list[TextVector]:
    """Texts as vectors, in order; those that this machine has encoded before are read, the others encoded and kept.

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
    return [one for text in texts if (one := by_name[text.name]) is not None]


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
