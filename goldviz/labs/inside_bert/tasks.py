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
from goldviz.labs.inside_bert.head import MOST_FLOW_WORK
from goldviz.labs.inside_bert.models import model_at_hand
from goldviz.labs.inside_bert.reading import ReportSteps, TextReading, read_text
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.encoder import EmbeddingParts, EncoderShape
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.text_models import loaded_models
from goldviz.training.threads import one_thread

OPERATIONS_A_SECOND = 3e10
"""Multiplications and additions of a forward pass on a few CPU cores, fitted low to encoders of 4 and 12 layers."""
SECONDS_A_LAYER = 4e-4
"""What a layer costs however short the text is."""
SUMMARY_SECONDS = 1e-8
"""A weight of a head's map that goes into the head's numbers and its tile."""
FLOW_SECONDS = 3e-8
"""A path of a maximum flow through layers of pieces."""
NEIGHBOUR_SECONDS = 1e-9
"""A number of the table of embeddings that is compared with a piece's."""
BACKWARD = 3.0
"""A forward and backward pass in forward passes."""


def forward_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long one forward pass over so many pieces takes, with all that is kept of it."""
    weights = 4 * shape.width**2 + 2 * shape.width * shape.inner
    operations = 2.0 * shape.layers * pieces * (weights + 2 * pieces * shape.width)
    return shape.layers * SECONDS_A_LAYER + operations / OPERATIONS_A_SECOND


def reading_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long reading so many pieces takes: a forward pass, and a look at every head's map."""
    return forward_seconds(shape, pieces) + SUMMARY_SECONDS * shape.layers * shape.heads * pieces**2


def twice_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long reading them twice takes."""
    return 2 * reading_seconds(shape, pieces)


def layer_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to follow the pieces through one layer: it is walked with every part kept, and its
    feed-forward network once more."""
    return 2 * forward_seconds(shape, pieces) / shape.layers


def gradient_seconds(shape: EncoderShape, pieces: int, steps: int) -> float:
    """About how long integrated gradients with so many steps take."""
    return BACKWARD * steps * forward_seconds(shape, pieces)


def ablation_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to switch every head off in turn; layers below a head need not be walked again."""
    return 0.5 * (shape.layers + 1) * shape.heads * forward_seconds(shape, pieces)


def shares_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to share a query out by five measures: through the layers once, and a maximum flow."""
    work = ((shape.layers - 1) * pieces + 1) * pieces**2
    return forward_seconds(shape, pieces) + FLOW_SECONDS * min(work, MOST_FLOW_WORK)


def left_out_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to read a text without one word after another."""
    return pieces * forward_seconds(shape, pieces)


def neighbour_seconds(shape: EncoderShape, _pieces: int) -> float:
    """About how long the search for a piece's neighbours takes, however long the text is."""
    return NEIGHBOUR_SECONDS * shape.vocabulary * shape.width


def order_seconds(shape: EncoderShape, pieces: int) -> float:
    """About how long it takes to read a text in two orders with positions and without, and as one sentence."""
    return 6 * forward_seconds(shape, pieces)


def everything_seconds(shape: EncoderShape, pieces: int, steps: int) -> float:
    """About how long all that a report holds takes."""
    return 17 * forward_seconds(shape, pieces) + gradient_seconds(shape, pieces, steps)


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
