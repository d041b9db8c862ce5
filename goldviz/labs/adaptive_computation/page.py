"""Adaptive computation time: the page's figures, and document 004, 3.3, in Graves' form with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.adaptive_computation import LAB
from goldviz.labs.adaptive_computation.measures import Reading
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane

NUMBERS = (
    "In this run, at its last look, the network with τ takes {ponder:.2f} steps on average and is right on "
    "{accuracy:.1%} of unseen inputs."
)


def why(lane: Lane[AdaptiveComputation], draw: Callable[[str], None]) -> None:
    """Graves 2016, eq. 5-13, with the run's own numbers."""
    with words_beside(draw, "pushes"):
        st.markdown("A halting neuron looks at the state of each step (document 004, 3.3; Graves 2016):")
        st.latex(r"h_n = \sigma(w^\top s_n + b), \qquad N = \min\{n : \textstyle\sum_{i \le n} h_i \ge 1 - \epsilon\}")
        st.markdown("A step weighs $h_n$; the last one gets what is left of the budget of 1:")
        st.latex(r"p_n = h_n \;(n < N), \quad p_N = R = 1 - \textstyle\sum_{n<N} h_n, \quad y = \sum_n p_n y_n")
        st.markdown("The document has no price. Without one nothing asks for an early stop:")
        st.latex(r"L = L_\mathrm{answers} + \tau\,(N + R), \qquad \frac{\partial (N + R)}{\partial h_n} = -1 \;(n < N)")
        if "accuracy" in lane.dataset and lane.dataset.sizes.get("look"):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "tau", lane.settings)))


PAGE = LaboratoryPage(LAB, main="steps_taken", beside="thoughts", below="by_difficulty", why=why)
