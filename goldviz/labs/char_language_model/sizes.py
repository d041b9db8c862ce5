"""How much of the context a model reads, and its hidden layers."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

WITHOUT_LAYERS = ("bigram", "neural_bigram")
Count = TypeVar("Count", int, NDArray[np.float64])


class Sizes(Protocol):
    """The settings that a model's size depends on."""

    @property
    def model(self) -> str:
        """The kind of model."""

    @property
    def context(self) -> int:
        """The characters before the next one that it may read."""

    @property
    def layers(self) -> int:
        """Hidden layers of a deep one."""


def characters_read(settings: Sizes) -> int:
    """The characters before the next one that the model reads: a bigram's one, or the context."""
    return 1 if settings.model in WITHOUT_LAYERS else settings.context


def parameters(context: Count, symbols: Count, embedding: int, hidden: int, *, direct: bool) -> Count:
    """Parameters of Bengio's network without batch norm: V (1 + m + h) + h (1 + n m), linear in n and in V.

    It reads n characters of m numbers each, has h units and V symbols, and with ``direct`` connections n m V more
    (Bengio et al. 2003, section 2, where n counts the next word, too; document 002, 1.3.1). ``context`` n and
    ``symbols`` V are whole numbers or arrays of them.

    >>> parameters(3, 27, 10, 200, direct=False), parameters(3, 27, 10, 200, direct=True)
    (11897, 12707)
    """
    read = context * embedding
    return symbols * (1 + embedding + hidden + read * direct) + hidden * (1 + read)


def cells(context: Count, symbols: Count) -> Count:
    """Cells of a table that counts what follows every context of n of V symbols: V^(n + 1) (document 002, 1.3.1)."""
    total: Count = symbols ** (context + 1)
    return total


def hidden_layers(settings: Sizes) -> int:
    """Hidden layers that are looked at; of a recurrent network its last state counts as one."""
    by_model = {"mlp": 1, "deep_mlp": settings.layers, "wavenet": settings.context.bit_length() - 1}
    return 0 if settings.model in WITHOUT_LAYERS else by_model.get(settings.model, 1)
