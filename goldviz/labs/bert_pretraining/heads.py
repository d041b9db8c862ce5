"""What attention heads look at: everywhere alike, at special pieces, or at a neighbour.

Attention is read in the probe sentence, of the first seed, and on unseen texts; Clark et al. 2019 describe the same
habits in BERT.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

EVEN = 0.95
SPECIAL = 0.8
NEIGHBOUR = 0.5
OFFSETS = {-1: "the piece before", 1: "the piece after"}


def entropies(attention: Floats) -> Floats:
    """The mean entropy over queries in bits, of (..., query, key).

    >>> float(entropies(np.full((4, 4), 0.25)))
    2.0
    """
    logarithms = np.log2(np.where(attention > 0, attention, 1.0))
    return np.asarray(0.0 - (attention * logarithms).sum(-1).mean(-1))


def neighbours(attention: Floats, offset: int) -> Floats:
    """The mean share of attention on the piece ``offset`` places on, over the queries that have such a piece.

    >>> float(neighbours(np.eye(3), 0)), float(neighbours(np.eye(3), 1))
    (1.0, 0.0)
    """
    return np.asarray(np.diagonal(attention, offset, axis1=-2, axis2=-1).mean(-1))


@dataclass(frozen=True)
class Heads:
    """Which heads (layer, head) look everywhere alike at the end of phase 1, and at special pieces at the last look.

    ``bits`` is the entropy of even attention. ``beside`` has the share and the words for each head that looks at one
    neighbour wherever it stands; one that looks at the piece itself needs no order. All are empty before the second
    look.
    """

    even: Verdicts
    bits: float
    idle: Verdicts
    beside: list[tuple[float, str]]

    @classmethod
    def of(cls, ds: Run, words_end: int) -> Heads:
        """Read them off a run's dataset whose phase 1 ends at step ``words_end``; without a phase 1 at the last."""
        looks = ds["look"].values if "look" in ds.coords else np.array([])
        read = ds.isel(look=looks <= words_end) if words_end else ds
        dims = ("layer", "head", "query", "key")
        attention = _last(read, "attention", *dims)
        bits = float(np.log2(max(attention.shape[-1], 1)))
        special = np.median(_last(ds, "head_special", "layer", "head", "seed"), axis=-1)
        return cls(entropies(attention) > EVEN * bits, bits, special > SPECIAL, _beside(_last(ds, "attention", *dims)))

    @property
    def even_share(self) -> float:
        """The share of heads that look everywhere alike."""
        return float(self.even.mean()) if self.even.size else np.nan

    @property
    def idle_share(self) -> float:
        """The share of heads that look mostly at special pieces."""
        return float(self.idle.mean()) if self.idle.size else np.nan

    @property
    def nearest(self) -> tuple[float, str]:
        """The largest share on a neighbour, and whose it is."""
        return max(self.beside)

    @property
    def others_beside(self) -> int:
        """How many heads beside that one look at a neighbour."""
        return len(self.beside) - 1

    @property
    def ordered(self) -> bool:
        """Whether a head looks at its neighbour."""
        return bool(self.beside)


def _last(ds: Run, name: str, *dims: str) -> Floats:
    """A variable at the last look; empty before the second, and where it is not finite."""
    if name in ds and ds[name].size and ds.sizes["look"] > 1:
        values = np.asarray(ds[name].isel(look=-1).transpose(*dims).values, dtype=np.float64)
        if np.isfinite(values).all():
            return values
    return np.empty((0,) + (1,) * (len(dims) - 1))


def _beside(attention: Floats) -> list[tuple[float, str]]:
    if attention.shape[-1] < 3:
        return []
    return [
        (float(shares[layer, head]), f"layer {layer + 1}, head {head + 1} at {words}")
        for offset, words in OFFSETS.items()
        for shares in [neighbours(attention, offset)]
        for layer, head in np.argwhere(shares > NEIGHBOUR)
    ]
