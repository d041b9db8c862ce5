"""What *Inside BERT* has worker processes do with a chunk of a text. A process keeps the readings that it has made.

Every task is told of a chunk by plain words and gives plain arrays, so that it can be asked for from another process.
Each uses one thread: what is soon done is done in the web process, where a second thread would wait more than it works.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
import xarray as xr

from goldviz.cache import Cache
from goldviz.data.texts.pieces import Pieces
from goldviz.labs.inside_bert import evidence, head
from goldviz.labs.inside_bert.compute import chunks_of, compute
from goldviz.labs.inside_bert.models import model_at_hand
from goldviz.labs.inside_bert.reading import ReportSteps, TextReading, read_text
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.encoder import EmbeddingParts
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.text_models import loaded_models
from goldviz.training.threads import one_thread

READING_BYTES = 512 * 2**20


class Chunk(NamedTuple):
    """A chunk of a text, counted from 1, and the model that reads it: its name, and what its weights have to be."""

    model: str
    fingerprint: str
    text: str
    chunk: int


class ReadingArrays(NamedTuple):
    """A :class:`goldviz.labs.inside_bert.reading.TextReading` without its model and pieces, as plain arrays."""

    embeddings: tuple[np.ndarray, ...]
    hidden: np.ndarray
    summaries: dict[str, np.ndarray]
    tiles: np.ndarray
    received: np.ndarray

    @classmethod
    def of(cls, reading: TextReading) -> ReadingArrays:
        """The arrays of a reading, which share its memory where that is the processor's."""
        embeddings = tuple(part.cpu().numpy() for part in reading.embeddings)
        return cls(embeddings, reading.hidden.cpu().numpy(), reading.summaries, reading.tiles, reading.received)

    def reading(self, model: TextModel, pieces: Pieces) -> TextReading:
        """The reading again."""
        embeddings = EmbeddingParts(*map(torch.from_numpy, self.embeddings))
        return TextReading(
            model, pieces, embeddings, torch.from_numpy(self.hidden), self.summaries, self.tiles, self.received
        )


def _reading_bytes(reading: TextReading) -> int:
    tensors = (*reading.embeddings, reading.hidden)
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) + int(reading.tiles.nbytes)


readings: Cache[TextReading] = Cache(READING_BYTES, _reading_bytes)
"""The readings of this process, by chunk."""
readings.follow(loaded_models, lambda reading: reading.model)


def reading_of(chunk: Chunk, report: ReportSteps | None = None) -> TextReading:
    """The forward pass over a chunk, made once while there is room.

    Raises :class:`goldviz.models.text.model.TextModelError` where the model is not the one that was meant.
    """
    model, pieces = _meant(chunk)
    return readings.get(chunk, lambda: read_text(model, pieces, report))


def _meant(chunk: Chunk) -> tuple[TextModel, Pieces]:
    model = model_at_hand(chunk.model)
    if model.fingerprint != chunk.fingerprint:
        raise TextModelError(f"The files of {model.name} have changed meanwhile; load the page again.", "gone")
    return model, chunks_of(model, chunk.text)[chunk.chunk - 1]


@one_thread()
def read_chunk(report: ReportSteps, chunk: Chunk) -> ReadingArrays:
    """The chunk's reading."""
    return ReadingArrays.of(reading_of(chunk, report))


@one_thread()
def of_reading(report: ReportSteps, chunk: Chunk, make: Callable[..., Any], *what: object) -> Any:
    """What ``make(reading, *what)`` gives of the chunk's reading."""
    return make(reading_of(chunk), *what)


@one_thread()
def of_pieces(report: ReportSteps, chunk: Chunk, make: Callable[..., Any], *what: object) -> Any:
    """What ``make(model, pieces, *what)`` gives of the chunk, which need not be read for it."""
    return make(*_meant(chunk), *what)


ways: Cache[xr.Dataset] = Cache(READING_BYTES // 2, lambda found: int(found.nbytes))
"""What the shares of queries go by, in this process, by chunk."""


@one_thread()
def shares_of_query(report: ReportSteps, chunk: Chunk, layer: int, number: int, token: int) -> xr.Dataset:
    """See :func:`goldviz.labs.inside_bert.head.shares_of_query`."""
    reading = reading_of(chunk)
    down = ways.get(chunk, lambda: head.ways_down(reading))
    return head.shares_of_query(reading, layer, number, token, ways=down)


@one_thread()
def explain(report: ReportSteps, chunk: Chunk, label: int, steps: int) -> xr.Dataset:
    """See :func:`goldviz.labs.inside_bert.evidence.evidence`."""
    return evidence.evidence(reading_of(chunk), label, steps, report)


@one_thread()
def every_head_off(report: ReportSteps, chunk: Chunk) -> xr.Dataset:
    """See :func:`goldviz.labs.inside_bert.evidence.every_head_off`."""
    return evidence.every_head_off(*_meant(chunk), report)


@one_thread()
def everything(report: ReportSteps, chunk: Chunk, settings: str) -> xr.Dataset:
    """See :func:`goldviz.labs.inside_bert.compute.compute`; ``settings`` in JSON."""
    return compute(InsideBert.checked_json(settings), _meant(chunk)[0])
