"""How alike documents are: the cosine of the angle between their vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int


def unit_vectors(vectors: Float[np.ndarray, "document dimension"]) -> Float[np.ndarray, "document dimension"]:
    """Vectors of length 1 in float64; one of length 0 stays as it is."""
    vectors = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: np.ndarray = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return units


ROUNDING = 1e-12


def cosine_change(
    vectors: Float[np.ndarray, "document dimension"], previous: Sequence[int]
) -> Float[np.ndarray, " document"]:
    """1 - cos between each document and the one that is ``previous`` to it; NaN where that is -1.

    >>> cosine_change(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]), [-1, 0, 1]).tolist()
    [nan, 1.0, 0.0]
    """
    units = unit_vectors(vectors)
    changes = [1 - float(units[here] @ units[there]) if there >= 0 else np.nan for here, there in enumerate(previous)]
    # Rounding may leave the same vector twice a hair off zero, and a figure would draw it as change.
    return np.where(np.isnan(changes), np.nan, np.where(np.less(changes, ROUNDING), 0.0, changes))


def nearest_documents(
    vectors: Float[np.ndarray, "document dimension"], count: int
) -> tuple[Int[np.ndarray, "document neighbour"], Float[np.ndarray, "document neighbour"]]:
    """For each document the ``count`` others with the largest cosine, the nearest first, and those cosines.

    Of equals the earlier one stands first. There are fewer where there are fewer documents.

    >>> nearest_documents(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]]), 1)[0].ravel().tolist()
    [2, 2, 0]
    """
    units = unit_vectors(vectors)
    most = min(count, len(units) - 1)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :most]
    return order, np.clip(np.take_along_axis(cosines, order, axis=1), -1, 1)
