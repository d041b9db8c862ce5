"""Where document vectors stand: how alike they are, and their principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

LARGEST_NUMBER = 1e100
"""Below it no square and no sum of squares of a document's vector leaves the range of float64."""


class DocumentVectorError(ValueError):
    """Vectors of documents that cannot be mapped, in a sentence for a person."""

    for_a_person = True


@dataclass(frozen=True)
class PrincipalAxes:
    """``centre`` (dimension,) is the mean of the documents that were fitted, ``directions`` (component, dimension) are
    orthonormal, ``share`` (component,) is the part of those documents' variance along each.
    """

    centre: Float[np.ndarray, " dimension"]
    directions: Float[np.ndarray, "component dimension"]
    share: Float[np.ndarray, " component"]

    def coordinates(self, vectors: Float[np.ndarray, "document dimension"]) -> Float[np.ndarray, "document component"]:
        """Where each document stands: directions (v - centre).

        A document's numbers do not depend, to the last bit, on the others that are asked about with it.

        Raises :class:`DocumentVectorError` where a vector holds a number that is not finite or too large.
        """
        vectors = _mappable(vectors)
        # One product a document: a matrix product may sum in another order once there are more rows.
        rows = [self.directions @ (vector - self.centre) for vector in vectors]
        return np.array(rows).reshape(len(rows), len(self.directions))


def principal_axes(vectors: Float[np.ndarray, "document dimension"], count: int) -> PrincipalAxes:
    """The ``count`` directions of largest variance (Pearson 1901), by singular values of the centred vectors.

    There are fewer where the vectors span fewer. The sign of a direction is that which makes its largest entry
    positive.

    Raises :class:`DocumentVectorError` where a vector holds a number that is not finite or too large.

    >>> axes = principal_axes(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), 2)
    >>> axes.directions.tolist(), axes.share.tolist()
    ([[1.0, 0.0]], [1.0])
    """
    vectors = _mappable(vectors)
    centre = vectors.mean(0)
    _, sizes, directions = np.linalg.svd(vectors - centre, full_matrices=False)
    variance = sizes**2
    rank = int((sizes > sizes[0] * max(vectors.shape) * np.finfo(np.float64).eps).sum()) if sizes[0] > 0 else 0
    axes_count = min(count, rank)
    directions = directions[:axes_count]
    signs = np.sign(directions[np.arange(axes_count), np.abs(directions).argmax(1)]) if axes_count else np.ones(0)
    total = variance.sum()
    return PrincipalAxes(
        centre, directions * signs[:, None], variance[:axes_count] / total if total else variance[:axes_count]
    )


def _mappable(vectors: Float[np.ndarray, "document dimension"]) -> Float[np.ndarray, "document dimension"]:
    vectors = np.asarray(vectors, np.float64)
    if (np.abs(vectors) <= LARGEST_NUMBER).all():
        return vectors
    bad = vectors[~(np.abs(vectors) <= LARGEST_NUMBER)]
    raise DocumentVectorError(
        f"The vector of a document holds the number {bad[0]:g}; allowed are finite numbers of at most "
        f"{LARGEST_NUMBER:g} in size. The model's weights may be damaged: choose another model."
    )


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
