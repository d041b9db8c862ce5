"""Vectors of texts that were encoded before: a small file for each text and model, so nothing is encoded twice.

A file is 32 bytes of SHA-256, then safetensors; nothing is ever unpickled. A damaged one counts as not there. Where the
folder cannot be written, the latest vectors stay in memory: they can be made again, so nothing is lost.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.numpy import load, save

from goldviz.data.tables.kept_files import KeptFiles

KEPT_VECTORS = KeptFiles("vectors", ".vector", 300 * 10**6)
RECIPE = "1"
"""Part of every name: another way of cutting or pooling needs another."""

DIGEST_BYTES = 32
MOST_IN_MEMORY = 4000
"""As many as two collections have; some 7 kB each with a model of FinBERT's width."""
COUNTED = "pieces_of_its_own_and_chunks"

_unwritten: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()
log = logging.getLogger(__name__)


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


def vector_name(fingerprint: str, text_name: str) -> str:
    """The name of the file for a model's fingerprint and the SHA-256 of a text."""
    return hashlib.sha256(f"{RECIPE}\n{fingerprint}\n{text_name}".encode()).hexdigest()


def keep_vector(fingerprint: str, text_name: str, vector: TextVector) -> None:
    """Keep what a model made of a text, in memory where the folder cannot be written."""
    content = save(
        {
            "cls": np.ascontiguousarray(vector.cls, np.float32),
            "mean": np.ascontiguousarray(vector.mean, np.float32),
            "tone": np.ascontiguousarray(vector.tone, np.float32),
            COUNTED: np.array([vector.pieces, vector.chunks], np.int64),
        }
    )
    name, content = vector_name(fingerprint, text_name), hashlib.sha256(content).digest() + content
    try:
        KEPT_VECTORS.write(name, content)
    except OSError as error:
        log.warning("Vectors are kept in memory alone: %s", error)
        with _lock:
            _unwritten[name] = content
            while len(_unwritten) > MOST_IN_MEMORY:
                _unwritten.popitem(last=False)


def kept_vector(fingerprint: str, text_name: str) -> TextVector | None:
    """What this model made of this text; None where that is not known, or the file is damaged or of an older form."""
    name = vector_name(fingerprint, text_name)
    try:
        content = _written(name) or _unwritten.get(name)
        if content is None or hashlib.sha256(content[DIGEST_BYTES:]).digest() != content[:DIGEST_BYTES]:
            return None
        found = load(content[DIGEST_BYTES:])
        pieces, chunks = (int(count) for count in found[COUNTED])
        return TextVector(found["cls"], found["mean"], found["tone"], pieces, chunks)
    except (SafetensorError, KeyError, ValueError):
        return None


def _written(name: str) -> bytes | None:
    try:
        return KEPT_VECTORS.read(name)
    except OSError:
        return None
