"""Models of texts that pre-training can start from, kept on this server and named by their content, as texts are.

What a file holds is said by :mod:`goldviz.models.text.one_file`; here it is bytes whose first lines tell of the rest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.tables.whole_files import digest, disk_faults_as
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.read_kept import read_kept

KEPT_MODELS = PLACES["models"]
SHIPPED_MODEL = "225e982b0efd5b87"
"""The name of the model that comes with the package."""
SIZE_BYTES = 8
LARGEST_HEADER = 2**24


@dataclass(frozen=True)
class KeptModel:
    """What a kept model says of itself: its title, the number of its weights, and its sizes."""

    title: str
    weights: int
    layers: int
    heads: int
    width: int
    inner: int
    vocabulary: int


SHIPPED = KeptModel("Small financial BERT", 1_391_904, 4, 4, 128, 512, 4000)
"""What the model that comes with the package says of itself, without reading it."""


def keep_model(content: bytes) -> str:
    """Keep the file of a model and say how it is called; the same content has the same name.

    The least recently used models go when all together pass the room that they may take. Raises :class:`TextError`
    where the folder cannot be written.
    """
    name = digest(content)
    with disk_faults_as(TextError, "Models to start from cannot be written on this server"):
        KEPT_MODELS.write(name, content)
        KEPT_MODELS.make_room(survivor=name)
    return name


def load_model(name: str) -> bytes:
    """The file of this name, which counts as used just now.

    Raises :class:`goldviz.data.texts.pieces.TextError` for a name that cannot be one, a model that this machine does
    not hold, and a file that is damaged.
    """
    return read_kept(
        KEPT_MODELS,
        name,
        "model",
        TextError,
        folder="Models to start from",
        if_lost="choose the model to start from here again, or start from random weights",
        if_damaged="choose the model to start from again",
    )


def about_model(name: str) -> KeptModel | None:
    """What a kept model says of itself, read off the file's beginning; None where there is none, or it is damaged."""
    if name == SHIPPED_MODEL:
        return SHIPPED
    try:
        with KEPT_MODELS.path(name).open("rb") as file:
            size = min(int.from_bytes(file.read(SIZE_BYTES), "little"), LARGEST_HEADER)
            header = json.loads(file.read(size))
        about = json.loads(header["__metadata__"]["model"])
        sizes = {size: int(about["shape"][size]) for size in ("layers", "heads", "width", "inner", "vocabulary")}
        return KeptModel(str(about["title"]), int(about["weights"]), **sizes)
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None
