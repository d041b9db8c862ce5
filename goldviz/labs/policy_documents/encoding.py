"""Documents as vectors: chunk by chunk through an encoder, pooled, and kept by content.

Each document goes through alone, in chunks of equal length together, without padding. So its vector depends on its
words and on the model, and not on the company that it was encoded in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Float, Int

from goldviz.data.texts.dated_texts import DatedText
from goldviz.data.texts.pieces import OVERLAP, Pieces, split_into_pieces
from goldviz.labs.policy_documents.documents.vectors import (
    KEPT_VECTORS,
    TextVector,
    keep_vector,
    kept_vector,
    vector_name,
)
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.training.threads import one_thread

PIECES_AT_ONCE = 2_048
"""Pieces of one forward pass; more at once are not faster on one core, and take memory."""

ReportPieces = Callable[[float, float], None]
"""Told how many pieces are done and how many there are; raises where the work should stop."""


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


def chunks_of(model: TextModel, text: str) -> list[Pieces]:
    """The overlapping chunks in which the model reads a text."""
    return split_into_pieces(model.tokeniser, text, longest=model.longest, overlap=min(OVERLAP, model.longest // 4))


def pieces_of_its_own(chunks: Sequence[Pieces]) -> list[Float[np.ndarray, " piece"]]:
    """For each chunk the weight of each piece, 0 or 1, so that every piece of the text counts once.

    Of the pieces that two neighbours share, the earlier chunk has the first half and the later one the second: there
    each piece has context on both sides. Special pieces weigh nothing.
    """
    weights = [(~chunk.special).astype(np.float32) for chunk in chunks]
    for number in range(1, len(chunks)):
        earlier, later = chunks[number - 1], chunks[number]
        ours, theirs = np.flatnonzero(~later.special), np.flatnonzero(~earlier.special)
        shared = int((earlier.offsets[theirs, 0] >= later.offsets[ours[0], 0]).sum())
        weights[number][ours[: shared // 2]] = 0
        weights[number - 1][theirs[len(theirs) - (shared - shared // 2) :]] = 0
    return weights


@torch.inference_mode()
def encoded(model: TextModel, text: str, report: ReportPieces | None = None) -> TextVector:
    """One text as vectors.

    ``mean`` is the mean of X^(L) over all pieces but the special ones, each counted once; ``cls`` and the tone's
    probabilities are means over the chunks, weighted by the pieces that each has of its own. ``report`` is told the
    pieces done. The vector is that of one CPU thread.

    Raises :class:`goldviz.data.texts.pieces.TextError` for a text without a word.
    """
    chunks = chunks_of(model, text)
    weights = pieces_of_its_own(chunks)
    shares = np.array([weight.sum() for weight in weights])
    shares = (shares / shares.sum()).astype(np.float32) if shares.sum() else np.full(len(chunks), 1 / len(chunks))
    width, labels = model.encoder.shape.width, len(model.labels) if model.classifier is not None else 0
    cls, mean, tone = (np.zeros(size, np.float32) for size in (width, width, labels))
    total, done = sum(len(chunk) for chunk in chunks), 0
    with one_thread():
        for batch in _batches(chunks):
            hidden = model.encoder(torch.as_tensor(np.stack([chunks[number].ids for number in batch])))
            logits = None if model.classifier is None else model.classifier(hidden).softmax(-1)
            for place, number in enumerate(batch):
                cls += shares[number] * hidden[place, 0].numpy()
                mean += weights[number] @ hidden[place].numpy()
                if logits is not None:
                    tone += shares[number] * logits[place].numpy()
                done += len(chunks[number])
            if report is not None:
                report(done, total)
    counted = int(sum(weight.sum() for weight in weights))
    if not (np.isfinite(cls).all() and np.isfinite(mean).all()):
        raise TextModelError(f"The states of {model.name} are not finite; its weights are damaged or far too large.")
    return TextVector(cls, mean / max(counted, 1), tone, counted, len(chunks))


def _batches(chunks: Sequence[Pieces]) -> list[list[int]]:
    """Numbers of neighbouring chunks of equal length, so many as are read at once."""
    found: list[list[int]] = []
    for length, same in groupby(range(len(chunks)), key=lambda number: len(chunks[number])):
        numbers, room = list(same), max(1, PIECES_AT_ONCE // length)
        found += [numbers[start : start + room] for start in range(0, len(numbers), room)]
    return found


def encode(model: TextModel, texts: Sequence[DatedText], report: ReportPieces | None = None) -> EncodedTexts:
    """Texts as vectors; those that this machine has encoded before are read, the others encoded and kept.

    ``report`` is told pieces, estimated from the characters; where it raises, what is done stays kept.
    """
    found = {text.name: kept_vector(model.fingerprint, text.name) for text in texts}
    words = {text.name: text.text for text in texts if found[text.name] is None}
    total, done = sum(map(estimated_pieces, words.values())), 0
    for name, text in words.items():
        share = estimated_pieces(text)

        def tell(read: float, of: float, before: int = done, share: int = share) -> None:
            if report is not None:
                report(before + share * read / of, total)

        vector = encoded(model, text, tell)
        keep_vector(model.fingerprint, name, vector)
        found[name] = vector
        done += share
    if words:
        KEPT_VECTORS.make_room(spared=vector_name(model.fingerprint, name))
    vectors = [known for text in texts if (known := found[text.name]) is not None]
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
