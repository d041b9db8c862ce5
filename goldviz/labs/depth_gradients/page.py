"""Gradient flow in depth: the page's figures, its equations with a run's own numbers, and Table 1 of Annex 5.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import median, networks, times
from goldviz.labs.depth_gradients import LAB
from goldviz.labs.depth_gradients.measures import Reading
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane


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


def why(lane: Lane[DepthGradients], draw: Callable[[str], None]) -> None:
    """Equations 25-27 and 44-49 of document 001 with measured factors, the figure of all blocks, and Table 1."""
    with words_beside(draw, "gradient_factor"):
        st.markdown("A plain layer replaces its input; a residual layer adds to it (document 001, eq. 25, 26, 44):")
        st.latex(r"\text{plain: } h_\ell = F_\ell(h_{\ell-1})")
        st.latex(r"\text{residual: } h_\ell = h_{\ell-1} + F_\ell(h_{\ell-1})")
        st.markdown("Going back, each layer multiplies the gradient by its Jacobian (eq. 27, 45-48):")
        st.latex(
            r"\frac{\partial \mathcal{L}}{\partial h_{\ell-1}} = \frac{\partial \mathcal{L}}{\partial h_\ell}"
            r"\;\frac{\partial F_\ell}{\partial h_{\ell-1}}"
        )
        st.latex(
            r"\frac{\partial \mathcal{L}}{\partial h_{\ell-1}} = \frac{\partial \mathcal{L}}{\partial h_\ell}"
            r"\left(I + \frac{\partial F_\ell}{\partial h_{\ell-1}}\right)"
        )
        _numbers(lane.dataset, lane.settings)
    st.markdown("What the two networks are made of (Table 1 of the document). A skip connection adds no parameter:")
    st.markdown(table_of_networks(lane.settings))


def _numbers(dataset: Run, settings: DepthGradients) -> None:
    """The typical factor of a block and what it becomes over the whole depth."""
    if "hidden_gradient_norm" not in dataset or not dataset.sizes.get("epoch", 0):
        st.caption("The run's numbers appear here with its first epoch.")
        return
    readings = [Reading.of(dataset, network, settings) for network in networks(dataset)]
    lines = "\n".join(map(_of_network, readings))
    st.markdown(f"Measured at the last epoch (the geometric mean over blocks, the median of the seeds):\n{lines}")
    st.caption(
        "Equation 49 writes the factor as a number, 1 + ∂F/∂h. A Jacobian is a matrix, so its average gain (the root "
        "mean square of its singular values) stands in for it here. Dropout acts on the measured gradient but not on "
        "the Jacobian, which is taken without it."
    )


def _of_network(n: Reading) -> str:
    block, whole, gain = median(n.block_factor_at_last), median(n.amplification_at_last), median(n.jacobian_gain)
    if not whole > 0:
        return f"- **{n.name}**: the gradient is zero or not finite, so there is no factor"
    line = f"- **{n.name}**: × {block:.3g} per block, × {times(whole)} over {n.depth} blocks"
    if not math.isfinite(gain):
        return line
    what = "|∂F/∂h|" if n.name == "plain" else "|1 + ∂F/∂h|"
    return f"{line}; the average gain {what} of its Jacobian is {gain:.3g}"


PAGE = LaboratoryPage(LAB, main="gradient_by_layer", beside="loss", below="network", why=why)
