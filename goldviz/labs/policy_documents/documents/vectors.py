"""Vectors of texts, and those that were encoded before: a small file for each text and model, so none is made twice.

A file is 32 bytes of SHA-256, then safetensors; nothing is ever unpickled. A damaged one counts as not there. Where the
folder cannot be written, the latest vectors stay in memory: they can be made again, so nothing is lost. Those of the
generated documents by the shipped model come with the package.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, load_file, save

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.texts.dated_texts import DatedText
from goldviz.labs.policy_documents import LAB
from goldviz.labs.policy_documents.text_vector import ReportPieces, TextVector, encoded
from goldviz.models.text.model import TextModel

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
