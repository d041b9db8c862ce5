"""Backpropagation, step by step: the network to step through, then figures and equations with its numbers."""

from __future__ import annotations

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.labs.backpropagation_steps import LAB
from goldviz.labs.backpropagation_steps.figures import FIGURES
from goldviz.labs.backpropagation_steps.measures import weights_without_news
from goldviz.labs.backpropagation_steps.parts.diagram import network_diagram
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels import controls
from goldviz.ui.panels.parts import Part


def look(view: View[BackpropagationSteps]) -> None:
    """The network, with every number in it."""
    network_diagram(view.settings, view.dataset, _keep)


def _keep(name: str, value: str | int) -> None:
    st.session_state[controls.key_of(BackpropagationSteps, name)] = value


def error(view: View[BackpropagationSteps]) -> None:
    """Where the error gets lost, one step, and the softmax."""
    view.draw(FIGURES["halves"], FIGURES["step"])
    if "softmax_jacobian" in view.dataset:
        view.draw(FIGURES["softmax"])


def compared(view: View[BackpropagationSteps]) -> None:
    """The three ways to a gradient, and what storing saves."""
    view.draw(FIGURES["nudges"], FIGURES["agreement"])
    view.draw(FIGURES["costs"])


def why(view: View[BackpropagationSteps]) -> None:
    """Equations 1-4 of document 001, document 003's softmax and penalty, and what they come to here."""
    ds, settings = view.dataset, view.settings
    words, numbers = st.columns(2)
    with words:
        st.markdown("Four equations (document 001, 1.2). The error of a neuron is $\\delta = \\partial L/\\partial z$:")
        st.latex(
            r"\begin{aligned} \delta^L &= \nabla_{x^L} L \odot \varphi'(z^L) && (1) \\"
            r"\delta^\ell &= (W^{\ell+1})^T \delta^{\ell+1} \odot \varphi'(z^\ell) && (2) \\"
            r"\partial L/\partial b^\ell &= \delta^\ell && (3) \\"
            r"\partial L/\partial W^\ell &= \delta^\ell (x^{\ell-1})^T && (4) \end{aligned}"
        )
        if settings.loss == "cross_entropy":
            st.markdown("With a softmax (document 003) the first half of eq. 1 collapses:")
            st.latex(r"\sum_i -\frac{y_i}{g_i}\, g_i(\delta_{ij} - g_j) = g_j - y_j")
        if settings.penalty:
            st.markdown("The penalty $\\frac{\\lambda}{2}\\|W\\|^2$ (document 003) adds $\\lambda W$ to eq. 4.")
    with numbers:
        st.markdown(
            f"The loss is {ds.attrs['loss']:.4g}. By hand and by autograd the gradients differ by at most "
            f"{ds.attrs['difference_to_autograd']:.1e}, by hand and nudged by {ds.attrs['difference_to_nudges']:.1e}. "
            "These are shares of the largest number where that is above 1."
        )
        st.markdown(silence(ds, settings.penalty))
        st.markdown(
            f"Phase A stores {ds.attrs['cost_stored']:,} numbers ({ds.attrs['stored_bytes']:,} bytes). With them phase "
            f"B takes {ds.attrs['cost_backward_stored']:,} multiplications; without them "
            f"{ds.attrs['cost_backward_anew']:,}; central differences {ds.attrs['cost_differences']:,}."
        )
        st.caption(
            "Document 001 prints eq. 1 with ℓ for L, and the sum over k with $x_j$; it is $x_k$. It also leaves the "
            "batch out: the gradients of several samples add up."
        )


def silence(ds: Run, penalty: float) -> str:
    """How many weights hear nothing from the data, in words: claim C2 in this network's numbers."""
    count, silent = weights_without_news(ds)
    if not silent:
        return "No weight here starts at a silent neuron (x = 0) or leads into a dead one (δ = 0): all learn."
    rest = "The penalty alone moves them." if penalty else "Their gradient is exactly 0."
    return f"{silent} of {count} weights start at a silent neuron (x = 0) or lead into a dead one (δ = 0). {rest}"


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    parts=(Part("error", "Where does the error go?", error), Part("ways", "Do other ways agree?", compared)),
)
