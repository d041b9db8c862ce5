"""Transformer for series: the page's figures, and document 002, sections 4 and 5, with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.series_attention import LAB
from goldviz.labs.series_attention.extent import trained_networks
from goldviz.labs.series_attention.measures import Reading
from goldviz.labs.series_attention.settings import SeriesAttention
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane

NUMBERS = (
    "In this run, at its last look, the Transformer's error is {error:.3g}. That of the best simple rule is "
    "{simple:.3g}. Its absolute errors are {weighted:.1%} of the values, those of the best simple rule "
    "{weighted_simple:.1%}."
)


def why(lane: Lane[SeriesAttention], draw: Callable[[str], None]) -> None:
    """Document 002, sections 4 and 5, with the run's own numbers."""
    with words_beside(draw, "by_lag"):
        st.markdown("A row holds the value before it and what is known beforehand (document 002, 4):")
        st.latex(r"y_t = [z_{t-1} \circ x_t]")
        st.markdown("Queries and keys see $k$ rows, values one (4.1). With $k = 1$ it is the usual Transformer:")
        st.latex(r"q_t = \sum_{i=0}^{k-1} y_{t-i} F^Q_i, \qquad k_t = \sum_{i=0}^{k-1} y_{t-i} F^K_i")
        st.latex(r"O = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V")
        st.markdown("Each answer is read as the next row's past. So an early error travels on:")
        st.latex(r"p(z_{t_0+1}, \dots, z_{t_0+\tau}) = \prod_t p(z_t \mid z_1 \dots z_{t-1}, x_1 \dots x_t)")
        if (
            "horizon_error" in lane.dataset
            and lane.dataset.sizes.get("look")
            and "transformer" in trained_networks(lane.settings)
        ):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "transformer", lane.settings)))


PAGE = LaboratoryPage(LAB, main="fan", beside="errors", below="horizon", why=why)
