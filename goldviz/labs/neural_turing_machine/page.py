"""Neural Turing machine: the page's figures, one address by hand, and the paper's equations with a run's numbers."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.neural_turing_machine import LAB
from goldviz.labs.neural_turing_machine.figures import FIGURES
from goldviz.labs.neural_turing_machine.measures import Reading
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

NUMBERS = (
    "In this run, at its last look, a row is written to {write_cells:.2f} cells on average, and an answer is read from "
    "{read_cells:.2f}. The {name} answers {whole:percent} of the longest sequences of training without a wrong bit."
)
HEADS = {"read": "Reading head", "write": "Writing head"}


def why(lane: Lane[NeuralTuringMachine], draw: Callable[[str], None]) -> None:
    """Document 004, section 3.1, in the formulas of Graves et al. 2014, with the run's own numbers."""
    with words_beside(draw, "spread"):
        st.markdown("The document names two ways to find a place in memory, by content and by location (004, 3.1). ")
        st.markdown("Graves et al. (2014) do it in four stages. First, cells that look like a key:")
        st.latex(r"w^c(i) \propto \exp\left(\beta \cos(k, M(i))\right)")
        st.markdown("Then a gate: how much of that, and how much of the place before.")
        st.latex(r"w^g = g\, w^c + (1 - g)\, w_{t-1}")
        st.markdown("Then a move to a neighbour, and a sharper peak:")
        st.latex(r"\tilde w(i) = \sum_j w^g(j)\, s(i - j), \qquad w(i) \propto \tilde w(i)^\gamma")
        st.markdown("The whole memory is read and written, each cell by its weight:")
        st.latex(r"r = \sum_i w(i)\, M(i)")
        st.latex(r"M(i) \leftarrow M(i)\,(1 - w(i)\, e) + w(i)\, a")
        if "ntm" in lane.dataset.get("network", ()) and lane.dataset.sizes.get("look"):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "ntm", lane.settings)))


def one_address(lane: Lane[NeuralTuringMachine], step: int | None) -> None:
    """Choose a time in the sequence and a head, and see the four stages of its address with their numbers."""
    ds = lane.dataset
    if "address" not in ds or not ds.sizes.get("look"):
        st.caption("No NTM was trained in this run, or it has not been looked at yet.")
        return
    last, first = ds.sizes["time"], int(ds.attrs["first_answer"])
    columns = st.columns([2, 1])
    with columns[0]:
        time = st.slider("Time in the sequence", 1, last, min(first, last), key=f"address-time-{last}")
    with columns[1]:
        head = st.segmented_control(
            "Head", list(HEADS), default="read", format_func=HEADS.__getitem__, key="address-head"
        )
    left, right = st.columns([3, 2])
    with left:
        _draw(lane, "stages", step, time=time, head=head or "read")
    with right:
        _draw(lane, "memory", step, time=time)


def _draw(lane: Lane[NeuralTuringMachine], name: str, step: int | None, **more: object) -> None:
    theme, spec = theme_now(), FIGURES[name]
    figure = services.figure_json(
        (lane.id, lane.version, name, theme, step, str(more)),
        lambda: spec.draw(lane.dataset, epoch=step, theme=theme, **more),
    )
    words = spec.description
    live_figure(figure, key=f"address-{name}-{lane.id}", subject=f"{lane.id} {more}", description=words)


PAGE = LaboratoryPage(
    LAB,
    main="heads",
    beside="answer",
    below="by_length",
    why=why,
    parts=(Part("address", "One address by hand", one_address, shows=lambda settings: settings.networks != "lstm"),),
)
