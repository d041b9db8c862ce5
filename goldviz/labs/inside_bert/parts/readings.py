"""What models made of texts, shared by all visitors: read once, kept while there is room.

A reading is known by the model's fingerprint and the text, so that the same weights never read the same text twice.
The models themselves are kept by :mod:`goldviz.texts.named_models`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import xarray as xr

from goldviz.cupboard import Cupboard
from goldviz.data.texts.pieces import Pieces
from goldviz.diagnostics.text.reading import TextReading, read_text
from goldviz.models.text.model import TextModel
from goldviz.texts.named_models import loaded_models
from goldviz.ui import background

READING_BYTES = 512 * 2**20
RESULT_BYTES = 128 * 2**20
WAYS_BYTES = 256 * 2**20


def _reading_bytes(reading: TextReading) -> int:
    tensors = (*reading.embeddings, reading.hidden)
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) + int(reading.tiles.nbytes)


readings: Cupboard[TextReading] = Cupboard(READING_BYTES, _reading_bytes)
readings.follow(loaded_models, lambda reading: reading.model)
ways: Cupboard[xr.Dataset] = Cupboard(WAYS_BYTES, lambda found: int(found.nbytes))
results: Cupboard[xr.Dataset] = Cupboard(RESULT_BYTES, lambda result: int(result.nbytes))


@dataclass(frozen=True)
class ReadText:
    """A text and the model that reads it, cut into chunks; ``key`` is the same wherever the numbers are."""

    model: TextModel
    text: str
    chunks: tuple[Pieces, ...]
    chunk: int

    @property
    def pieces(self) -> Pieces:
        """The chunk in view."""
        return self.chunks[self.chunk - 1]

    @property
    def key(self) -> tuple[str, str, int]:
        """Weights, text and chunk."""
        return self.model.fingerprint, hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest(), self.chunk

    def job(self, *what: object) -> str:
        """The name of a job about it."""
        return "-".join(["inside-bert", *map(str, what), *map(str, self.key)])


def reading_of(read: ReadText, report: background.Report | None = None) -> TextReading:
    """The forward pass over the chunk in view."""
    return readings.get(read.key, lambda: read_text(read.model, read.pieces, report))


def ways_of(read: ReadText, reading: TextReading) -> xr.Dataset:
    """What rollout and flow go by; large, so it has a cupboard of its own."""
    from goldviz.labs.inside_bert.head import ways_down

    return ways.get(read.key, lambda: ways_down(reading))


def result_of(read: ReadText, what: tuple[object, ...], make: Callable[[], xr.Dataset]) -> xr.Dataset:
    """Numbers about the chunk in view, made once."""
    return results.get((*read.key, *what), make)
