"""Attention between networks: the page's figures, one row by hand, and document 004, section 3.2, in numbers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.attention_interface import LAB
from goldviz.labs.attention_interface.extent import trained_networks
from goldviz.labs.attention_interface.measures import Reading
from goldviz.labs.attention_interface.parts import by_hand, sentence
from goldviz.labs.attention_interface.settings import AttentionInterface
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.parts import Part

SCORE = {
    "additive": r"e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)",
    "dot": r"e_{ij} = s_{i-1}^\top h_j",
    "general": r"e_{ij} = s_{i-1}^\top W h_j",
}
NUMBERS = (
    "In this run, at its last count, {right:.1%} of the unseen answers are right. The largest weight is on the word "
    "itself for {on_word:.1%} of the words, and on it or one beside it for {near_word:.1%}."
)


def why(lane: Lane[AttentionInterface], draw: Callable[[str], None]) -> None:
    """Document 004, section 3.2, with the run's own numbers."""
    with words_beside(draw, "peaks"):
        st.markdown(
            "One network reads: each word j gets a state $h_j$. Another writes, word by word (document 004, 3.2). "
            "Before it writes word i, it scores its state $s_{i-1}$ against each $h_j$:"
        )
        st.latex(SCORE[lane.settings.score])
        st.markdown("Softmax makes weights of the scores. What is looked at is the states' mean by these weights:")
        st.latex(r"\alpha_{ij} = \frac{\exp e_{ij}}{\sum_k \exp e_{ik}}, \qquad c_i = \sum_j \alpha_{ij} h_j")
        st.markdown("The writer goes on from the word before and from what it looked at (Bahdanau et al. 2015):")
        st.latex(r"s_i = \mathrm{GRU}([y_{i-1}, c_i],\, s_{i-1})")
        if lane.dataset.sizes.get("close_look") and "attention" in trained_networks(lane.settings):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "attention", lane.settings)))
        st.caption(
            "A state holds its word and what was read around it. So a look at the word beside it can serve as well, "
            "and a dark cell is no proof that two words correspond."
        )


PAGE = LaboratoryPage(
    LAB,
    main="alignment",
    beside="by_length",
    below="lines",
    why=why,
    parts=(
        Part("by-hand", "One row by hand", by_hand.show),
        Part("sentence", "Your own sentence", sentence.show, shows=lambda settings: True),
    ),
)
