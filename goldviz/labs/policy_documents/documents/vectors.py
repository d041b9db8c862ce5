"""Vectors of texts that were encoded before: a small file for each text and model, so nothing is encoded twice.

A file is 32 bytes of SHA-256, then safetensors; nothing is ever unpickled. A damaged one counts as not there. Where the
folder cannot be written, the latest vectors stay in memory: they can be made again, so nothing is lost. Those of the
generated documents by the shipped model come with the package.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, load_file, save

from goldviz.data.tables.kept_files import PLACES
from goldviz.labs.policy_documents import LAB
from goldviz.labs.policy_documents.text_vector import TextVector

KEPT_VECTORS = PLACES["vectors"]
RECIPE = "1"
"""Part of every name: another way of cutting or pooling needs another."""

DIGEST_BYTES = 32
MOST_IN_MEMORY = 4000
"""As many as two collections have; some 7 kB each with a model of FinBERT's width."""
COUNTED = "pieces_of_its_own_and_chunks"

SHIPPED_VECTORS = LAB.recorded / "vectors.safetensors"

_unwritten: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()
log = logging.getLogger(__name__)


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
    shipped_vector = shipped_vectors().get(name)
    if shipped_vector is not None:
        return shipped_vector
    try:
        content = _written(name) or _unwritten.get(name)
        if content is None or hashlib.sha256(content[DIGEST_BYTES:]).digest() != content[:DIGEST_BYTES]:
            return None
        vector = load(content[DIGEST_BYTES:])
        pieces, chunks = (int(count) for count in vector[COUNTED])
        return TextVector(vector["cls"], vector["mean"], vector["tone"], pieces, chunks)
    except (SafetensorError, KeyError, ValueError):
        return None


def shipped_arrays(vectors: Mapping[str, TextVector]) -> dict[str, np.ndarray]:
    """Vectors by their names, as :func:`shipped_vectors` reads them."""
    arrays = list(vectors.values())
    return {
        "name": np.array([list(bytes.fromhex(name)) for name in vectors], np.uint8),
        "cls": np.stack([vector.cls for vector in arrays]),
        "mean": np.stack([vector.mean for vector in arrays]),
        "tone": np.stack([vector.tone for vector in arrays]),
        COUNTED: np.array([[vector.pieces, vector.chunks] for vector in arrays], np.int64),
    }


@cache
def shipped_vectors() -> Mapping[str, TextVector]:
    """The vectors that come with the package, by their names."""
    arrays = load_file(SHIPPED_VECTORS)
    return {
        bytes(name).hex(): TextVector(*vectors, *map(int, counts))
        for name, *vectors, counts in zip(
            arrays["name"], arrays["cls"], arrays["mean"], arrays["tone"], arrays[COUNTED], strict=True
        )
    }


def _written(name: str) -> bytes | None:
    try:
        return KEPT_VECTORS.read(name)
    except OSError:
        return None
