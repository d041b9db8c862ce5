"""How a layer's sums are normalised. A new way is an entry of the table: settings, words and networks read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.nn import Module


@dataclass(frozen=True)
class Normalisation:
    """What it is called, and its class in ``torch.nn``, which takes the number of units."""

    words: str
    class_name: str

    def __call__(self, width: int) -> Module:
        """The layer for so many units."""
        from torch import nn

        module: Module = getattr(nn, self.class_name)(width)
        return module


NORMALISATIONS = {
    "none": Normalisation("None", "Identity"),
    "batch": Normalisation("Batch norm", "BatchNorm1d"),
    "layer": Normalisation("Layer norm", "LayerNorm"),
}
