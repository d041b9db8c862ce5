"""What the two networks are made of, in numbers: Table 1 of document 001, Annex 5.3, and where its count comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldviz.models.feedforward.activations import ACTIVATIONS

if TYPE_CHECKING:
    from goldviz.labs.depth_gradients.settings import DepthGradients


@dataclass(frozen=True)
class ParameterCount:
    """How many numbers are trained in the input layer, in one block, in all blocks, and in the read-out.

    Plain and residual networks have the same: a skip connection adds none.
    """

    input: int
    block: int
    blocks: int
    read_out: int

    @classmethod
    def of(cls, settings: DepthGradients) -> ParameterCount:
        """The counts of a network of these settings.

        >>> from goldviz.labs.depth_gradients.settings import DepthGradients
        >>> ParameterCount.of(DepthGradients())
        ParameterCount(input=550, block=2550, blocks=38250, read_out=10)
        """
        width, features = settings.width, settings.features
        norm_parameters = 2 * width if settings.normalisation != "none" else 0
        block = width * width + width + norm_parameters
        matrix = width * features if settings.read_out == "untied" else 0
        return cls(features * width + width, block, settings.depth * block, matrix + features)

    @property
    def total(self) -> int:
        """All of them."""
        return self.input + self.blocks + self.read_out


def table_of_networks(settings: DepthGradients) -> str:
    """Table 1 with the run's own values, in Markdown; its last row is the count with the other read-out."""
    count = ParameterCount.of(settings)
    other = "untied" if settings.read_out == "tied" else "tied"
    slope = f" ({settings.slope:g})" if settings.activation == "leaky_relu" else ""
    rows = {
        "Layers": f"{settings.depth}",
        "Hidden dim": f"{settings.width}",
        "Parameters": f"{count.total:,}",
        "of them, input layer": f"{count.input:,}",
        "of them, blocks": f"{settings.depth} × {count.block:,}",
        f"of them, {settings.read_out} read-out": f"{count.read_out:,}",
        f"Parameters, {other} read-out": f"{ParameterCount.of(settings.changed(read_out=other)).total:,}",
        "Activation": f"{ACTIVATIONS[settings.activation].words}{slope}",
    }
    lines = [f"| {name} | {value} | {value} |" for name, value in rows.items()]
    return "\n".join(["| Component | Deep MLP | Residual MLP |", "|---|---:|---:|", *lines])
