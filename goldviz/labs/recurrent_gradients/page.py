"""Gradient flow through time: the page's figures, and its equations with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st
import xarray as xr

from goldviz.labs.recurrent_gradients import LAB
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.ui.laboratory_page import LaboratoryPage
from goldviz.ui.lanes import Lane


def why(lane: Lane[RecurrentGradients], draw: Callable[[str], None]) -> None:
    """Equations 6-9, 14-18 and 24 of document 001, with the factor that this run's networks apply at each step."""
    words, figure = st.columns([2, 3])
    with words:
        st.markdown("What a weight did k steps ago counts as far as a product of Jacobians carries it (eq. 6, 7):")
        st.latex(r"\frac{\partial h_t}{\partial h_k} = \prod_{j=k+1}^{t} \frac{\partial h_j}{\partial h_{j-1}}")
        st.markdown("In a plain RNN the product has a bound, with the spectral **norm** of W (eq. 8, 9):")
        st.latex(r"\left\| \frac{\partial h_t}{\partial h_k} \right\| \le (\gamma \|W_{hh}\|)^{t-k}")
        st.markdown("Gates open a second way. Along the LSTM's cell it is the forget gates alone (eq. 14, 18),")
        st.latex(r"\frac{\partial c_t}{\partial c_k} \supset \prod_{j=k+1}^{t} f_j")
        st.markdown("and in the GRU what the update gate leaves (eq. 24): $h_t = (1 - z_t) h_{t-1} + z_t \\tilde h_t$.")
        st.markdown(_numbers(lane.dataset))
        st.caption(
            "The document states growth and decay with the spectral radius of W. That holds in the long run only: a "
            "matrix whose norm exceeds its radius lets the gradient grow first. Healthy gradients of the parameters do "
            "not prove that the signal survives through time; the Jacobian's product shows it."
        )
    with figure:
        draw("lag_contribution")


def _numbers(dataset: xr.Dataset) -> str:
    """The mean factor of one step back, for each network, at the last look."""
    if "log_jacobian_norm" not in dataset or not dataset.sizes.get("look", 0) or dataset.sizes.get("lag", 0) < 2:
        return "The run's numbers appear here with its first look."
    norms = dataset["log_jacobian_norm"].isel(look=-1).mean("seed")
    lags = int(dataset["lag"].values[-1]) - int(dataset["lag"].values[0])
    lines = [f"In this run, from one end of {lags} steps to the other:"]
    for network in dataset["network"].values:
        total = float(norms.sel(network=network).isel(lag=-1))
        if not np.isfinite(total):
            lines.append(f"- **{str(network).upper()}**: nothing of the gradient is left, or it is no longer finite")
        else:
            lines.append(
                f"- **{str(network).upper()}**: × {10 ** (total / lags):.3g} a step, × $10^{{{total:.1f}}}$ in all"
            )
    return "\n".join(lines)


PAGE = LaboratoryPage(LAB, main="jacobian_by_lag", beside="loss", why=why)
