"""One text as vectors: chunk by chunk through an encoder, and pooled.

A text goes through alone, in chunks of equal length together, without padding. So its vector depends on its words and
on the model, and not on the company that it was encoded in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Float

from goldviz.data.texts.pieces import OVERLAP, Pieces, split_into_pieces
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.training.threads import one_thread

PIECES_AT_ONCE = 2_048
"""Pieces of one forward pass; more at once are not faster on one core, and take memory."""

ReportPieces = Callable[[float, float], None]
"""Told how many pieces are done and how many there are; raises where the work should stop."""


@dataclass(frozen=True)
class TextVector:
    """One text through one model: ``cls`` and ``mean`` (width,) are its vectors by the two ways of pooling.

    ``tone`` (label,) are probabilities, empty for a model without a classifier. ``pieces`` are those that ``mean`` is
    over: each once, in whatever chunks it was read, and without special ones. ``chunks`` counts what was read.
    """

    cls: Float[np.ndarray, " width"]
    mean: Float[np.ndarray, " width"]
    tone: Float[np.ndarray, " label"]
    pieces: int
    chunks: int


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
        overlap = int((earlier.offsets[theirs, 0] >= later.offsets[ours[0], 0]).sum())
        weights[number][ours[: overlap // 2]] = 0
        weights[number - 1][theirs[len(theirs) - (overlap - overlap // 2) :]] = 0
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
    total, chunks_done = sum(len(chunk) for chunk in chunks), 0
    with one_thread():
        for batch in _batches(chunks):
            hidden = model.encoder(torch.as_tensor(np.stack([chunks[number].ids for number in batch])))
            logits = None if model.classifier is None else model.classifier(hidden).softmax(-1)
            for place, number in enumerate(batch):
                cls += shares[number] * hidden[place, 0].numpy()
                mean += weights[number] @ hidden[place].numpy()
                if logits is not None:
                    tone += shares[number] * logits[place].numpy()
                chunks_done += len(chunks[number])
            if report is not None:
                report(chunks_done, total)
    pieces_read = int(sum(weight.sum() for weight in weights))
    if not (np.isfinite(cls).all() and np.isfinite(mean).all()):
        raise TextModelError(
            f"The states of {model.name} are not finite; its weights are damaged or far too large.", "not_finite"
        )
    return TextVector(cls, mean / max(pieces_read, 1), tone, pieces_read, len(chunks))


def _batches(chunks: Sequence[Pieces]) -> list[list[int]]:
    """Numbers of neighbouring chunks of equal length, so many as are read at once."""
    batches: list[list[int]] = []
    for length, same in groupby(range(len(chunks)), key=lambda number: len(chunks[number])):
        numbers, room = list(same), max(1, PIECES_AT_ONCE // length)
        batches += [numbers[start : start + room] for start in range(0, len(numbers), room)]
    return batches


def tone_balance(
    probabilities: Float[np.ndarray, "document label"], labels: Sequence[str]
) -> Float[np.ndarray, " document"]:
    """One number for the tone of each document: P(positive) - P(negative); NaN where the model has no such labels.

    >>> tone_balance(np.array([[0.1, 0.2, 0.7]]), ["Negative", "Neutral", "Positive"]).round(6).tolist()
    [0.6]
    """
    names = [label.lower() for label in labels]
    if not {"positive", "negative"} <= set(names) or probabilities.shape[-1] != len(names):
        return np.full(len(probabilities), np.nan)
    wide = np.asarray(probabilities, np.float64)
    return wide[:, names.index("positive")] - wide[:, names.index("negative")]
