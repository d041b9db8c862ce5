"""Neural programmer: the page's figures, programs as text, a question of one's own, and document 004, 3.4."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.neural_programmer import LAB
from goldviz.labs.neural_programmer.measures import Reading
from goldviz.labs.neural_programmer.parts import own_question, programs
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.parts import Part

NUMBERS = (
    "In this run, at its last look, hardened programs answer {right:.1%} of unseen questions rightly. Soft and hard "
    "answers are {gap:.2f} apart."
)


def why(lane: Lane[NeuralProgrammer], draw: Callable[[str], None]) -> None:
    """Document 004, section 3.4, in the formulas of Neelakantan et al. 2016, with the run's own numbers."""
    with words_beside(draw, "gap"):
        st.markdown("At each step a controller attends to operations and to columns (document 004, 3.4):")
        st.latex(r"o_t = \mathrm{softmax}(W_o [z, h_t]), \qquad c_t = \mathrm{softmax}(W_c [z, h_t])")
        st.markdown("All operations are carried out, each by its weight. So do rows get a selection $s_t$:")
        st.latex(r"s_t = o^{\mathrm{stay}} s_{t-1} + \textstyle\sum_j c_j (o^> g_j + o^< l_j) + o^{\land} a_t")
        st.markdown("$g_j$ and $l_j$: rows whose cell is greater or lesser; $a_t$: rows of both steps before.")
        st.markdown("The answer is that of the last step, a sum, a count, or printed cells:")
        st.latex(r"y = o^{\Sigma} \textstyle\sum_{ij} s_i c_j x_{ij} + o^{\#} \sum_i s_i")
        st.markdown(
            "Only the answer is compared with the right one (Neelakantan et al. 2016). The number behind *greater* or "
            "*lesser* is read off the question."
        )
        if lane.dataset.sizes.get("look"):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "programmer", lane.settings)))


PAGE = LaboratoryPage(
    LAB,
    main="controller",
    beside="selection",
    below="right",
    why=why,
    parts=(
        Part("programs", "The programs as text", programs.show),
        Part("question", "One question", programs.one_question),
        Part("ask", "Your own question", own_question.show, shows=lambda settings: True),
    ),
)
