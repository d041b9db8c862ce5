"""Gradient flow in depth: the page's figures, and its equations with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st
import xarray as xr

from goldviz.diagnostics.findings import times
from goldviz.diagnostics.findings.words import LARGEST_EXPONENT, power
from goldviz.labs.depth_gradients import LAB
from goldviz.labs.depth_gradients.figures.quantities import gradient_factor
from goldviz.labs.depth_gradients.parameters import table_of_networks
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane


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
        _numbers(lane.dataset, lane.settings.depth)
    st.markdown("What the two networks are made of (Table 1 of the document). A skip connection adds no parameter:")
    st.markdown(table_of_networks(lane.settings))


def _numbers(dataset: xr.Dataset, depth: int) -> None:
    """The typical factor of a block and what it becomes over the whole depth."""
    if "hidden_gradient_norm" not in dataset or not dataset.sizes.get("epoch", 0):
        st.caption("The run's numbers appear here with its first epoch.")
        return
    factors = gradient_factor(dataset["hidden_gradient_norm"].isel(epoch=-1))
    lines = []
    for network in ("plain", "residual"):
        log_factor = float(np.log10(factors.sel(network=network)).mean())
        if not np.isfinite(log_factor):
            lines.append(f"- **{network}**: the gradient is zero or not finite, so there is no factor")
            continue
        line = (
            f"- **{network}**: × {10**log_factor:.3g} per block, × {_over_all(log_factor * depth)} over {depth} blocks"
        )
        if "jacobian_gain" in dataset and dataset.sizes.get("histogram_epoch", 0):
            gain = float(dataset["jacobian_gain"].sel(network=network).isel(histogram_epoch=-1).mean())
            what = "|∂F/∂h|" if network == "plain" else "|1 + ∂F/∂h|"
            line += f"; the average gain {what} of its Jacobian is {gain:.3g}"
        lines.append(line)
    st.markdown("Measured at the last epoch (the geometric mean over blocks and seeds):\n" + "\n".join(lines))
    st.caption(
        "Equation 49 writes the factor as a number, 1 + ∂F/∂h. A Jacobian is a matrix, so its average gain (the root "
        "mean square of its singular values) stands in for it here. Dropout acts on the measured gradient but not on "
        "the Jacobian, which is taken without it."
    )


def _over_all(log_factor: float) -> str:
    return times(10**log_factor) if abs(log_factor) < LARGEST_EXPONENT else power(log_factor)


PAGE = LaboratoryPage(LAB, main="gradient_by_layer", beside="loss", below="network", why=why)
