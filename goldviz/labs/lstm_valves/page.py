"""LSTM valves: the page's figures, and equations 17-20 with this sequence's own numbers."""

from __future__ import annotations

import streamlit as st

from goldviz.labs.lstm_valves import LAB, measures
from goldviz.labs.lstm_valves.diagram import cell_diagram
from goldviz.labs.lstm_valves.figures import (
    gate_gradients,
    gate_paths,
    reach_by_bias,
    reach_sentence,
    split,
    valve_strips,
)
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part

SECONDS_A_STEP = 9e-4
"""Of the sequence, for nine networks that read it: one, and one more for each bias of the reach. Units hardly count."""


def seconds(settings: LSTMValves) -> float:
    """About how long the numbers take where none is remembered."""
    return SECONDS_A_STEP * settings.length


def look(view: View[LSTMValves]) -> None:
    """The gradient's two parts over time, and the cell at the step in view."""
    view.draw(split, cell_diagram)


def biases(view: View[LSTMValves]) -> None:
    """How far other forget biases reach, and what gates alone leave in an LSTM and in a minGRU."""
    view.draw(reach_by_bias, gate_paths)


def gates(view: View[LSTMValves]) -> None:
    """The valves' openings, and the gates' own gradients."""
    view.draw(valve_strips, gate_gradients)


def why(view: View[LSTMValves]) -> None:
    """Document 001, eq. 17-20, and the distance to autograd."""
    ds = view.dataset
    words, numbers = st.columns(2)
    with words:
        st.markdown(
            "The cell's gradient has two parts (document 001, eq. 17), and each gate is a valve in one of them:"
        )
        st.latex(
            r"\begin{aligned} \frac{\partial \mathcal{L}}{\partial c_t} &= \underbrace{\frac{\partial \mathcal{L}}"
            r"{\partial h_t} \odot o_t \odot (1 - \tanh^2 c_t)}_{\text{through } h_t} \\ &+ \underbrace{\frac{\partial "
            r"\mathcal{L}}{\partial c_{t+1}} \odot f_{t+1}}_{\text{through } c_{t+1}} \end{aligned}"
        )
        st.latex(
            r"\frac{\partial \mathcal{L}}{\partial \tilde c_t} = \frac{\partial \mathcal{L}}{\partial c_t} \odot i_t"
        )
        st.latex(
            r"\frac{\partial \mathcal{L}}{\partial o_t} = \frac{\partial \mathcal{L}}{\partial h_t} \odot "
            r"\tanh(c_t)"
        )
    with numbers:
        st.markdown(
            f"{reach_sentence(ds)} The forget gates stand at {measures.forget_open(ds):.2f} on average. Their product "
            f"over the whole sequence is the cell path alone: $10^{{{measures.cell_path_left(ds):.1f}}}$ for a typical "
            f"unit. A minGRU that begins as open leaves $10^{{{measures.min_gru_left(ds):.1f}}}$: it has no other path."
        )
        st.markdown(
            f"The loss is {ds.attrs['loss']:.4f}. By hand and by autograd the gradients differ by at most "
            f"{measures.off_autograd(ds):.1e} of their largest entry."
        )
        st.caption(
            "An untrained network: a bias only sets where the gates begin. Norms of the two parts do not add up where "
            "they point in different directions."
        )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    seconds=seconds,
    words_of_position=lambda settings: f"Step {settings.step}",
    parts=(Part("biases", "How far do biases reach?", biases), Part("gates", "What do the gates do?", gates)),
)
