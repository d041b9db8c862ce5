"""ODE-RNN: the page's figures, observations that can be moved, and equations 31-33 with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.ode_rnn import LAB
from goldviz.labs.ode_rnn.edited import FEWEST, LARGEST, EditedSeries
from goldviz.labs.ode_rnn.figures import FIGURES
from goldviz.labs.ode_rnn.measures import Reading
from goldviz.labs.ode_rnn.queries import Explored
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.jobs.jobs import JobFailedError, TooManyJobsError
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels import background, parts
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import Asks, Place, Source, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

FOLLOWING = ("plane", "latent")
EDITS = "edits"
"""The link's parameter with what was moved and left out."""
NUMBERS = (
    "In this run, at its last look, a gap costs {gap_cost:.0f} evaluations of the field on average. The largest jump "
    "is {largest_jump:.2f}. Steps four times as fine change the error from {error:.2g} to {refined:.2g}."
)


def explore(lane: Lane[ODERNNLaboratory], step: int | None) -> None:
    """Move an observation, or leave it out, and see what the trained network makes of it at once."""
    exploration = Explored.of(lane)
    if exploration is None:
        st.caption(
            "The network is learning. It follows the observations here from its first look on."
            if lane.unfinished
            else "This run has kept no weights to follow observations with."
        )
        return
    original = exploration.recorded
    # Runs that look at the same sequence share what was changed of it.
    key = f"edited-{hash(original)}"
    series = _at_first(key, original)
    figure, controls = st.columns([3, 1])
    with controls:
        series = _edit(key, series, original)
    exploration_now = replace(exploration.at(step), edited=series)
    parts.keep(LAB.name, EDITS, exploration_now.changes)
    theme = theme_now()
    source = Source.of(LAB.name, [lane.id])
    # What a drop asks for comes ahead of this script, and this script then finds it drawn.
    place = Place(f"explore-{lane.id}", lane.id, "path", 0, exploration_now.subject)
    asks = Asks(source.about(lane.id), {"look": exploration_now.step, "edits": exploration_now.changes})

    def draw(name: str, **more: object) -> str:
        return exploration_now.figure(name, theme, lambda: background.awaited(exploration_now.task()), **more)

    try:
        with figure:
            live_figure(
                draw("path", editable=True),
                key=f"explore-path-{lane.id}",
                subject=lane.id,
                description="The path of the trained network along the observations; each can be dragged.",
                on_moved=lambda index, time, value: _drag(key, index, time, value),
                place=place,
                asks=asks,
            )
        for column, name in zip(st.columns(len(FOLLOWING)), FOLLOWING, strict=True):
            with column:
                spec = FIGURES[name]
                live_figure(draw(name), key=f"explore-{name}-{lane.id}", subject=lane.id, description=spec.question)
    except (ValueError, JobFailedError, TooManyJobsError) as error:
        st.error(plain(str(error)), icon=":material/block:")


def _at_first(key: str, original: EditedSeries) -> EditedSeries:
    """The sequence as the visitor left it, as a link brings it, or as it was recorded."""
    from_link = parts.given(LAB.name, EDITS)
    if from_link:
        try:
            st.session_state[key] = original.with_changes(from_link)
        except ValueError as error:
            st.warning(plain(str(error)), icon=":material/link_off:")
    series: EditedSeries = st.session_state.setdefault(key, original)
    return series


def _drag(key: str, index: int, time: float, value: float) -> None:
    series: EditedSeries = st.session_state[key]
    handles = series.handles()
    if index < len(handles):
        _put(key, series.moved(handles[index], time, value))
        st.session_state[f"{key}-number"] = handles[index] + 1


def _put(key: str, series: EditedSeries) -> None:
    """Take over a change; controls of the next turn begin with its numbers."""
    st.session_state[key] = series
    st.session_state[f"{key}-turn"] = st.session_state.get(f"{key}-turn", 0) + 1


def _edit(key: str, before: EditedSeries, original: EditedSeries) -> EditedSeries:
    """The same changes by keyboard: an observation's number, its time, its value, which are left out."""
    st.caption("Drag a golden point in the figure, or change it here.")
    turn, count = st.session_state.get(f"{key}-turn", 0), len(before.times)
    st.session_state.setdefault(f"{key}-number", min(3, count))
    number = int(st.number_input("Observation", 1, count, key=f"{key}-number", persist_state="session")) - 1
    earliest, latest = before.room(number)
    time = st.slider("Time", earliest, latest, value=before.times[number], key=f"{key}-time-{number}-{turn}")
    value = before.values[number][0]
    if value is not None:
        value = st.number_input("Value", -LARGEST, LARGEST, value=value, step=0.1, key=f"{key}-value-{number}-{turn}")
    left_out = st.multiselect(
        "Left out",
        range(count),
        default=sorted(before.left_out),
        format_func=lambda index: str(index + 1),
        max_selections=count - FEWEST,
        key=f"{key}-out-{turn}",
    )
    edited_series = before.moved(number, time, value).without(frozenset(left_out))
    st.session_state[key] = edited_series
    st.button(
        "Put all back",
        icon=":material/undo:",
        key=f"{key}-back",
        disabled=edited_series == original,
        on_click=_put,
        args=(key, original),
    )
    return edited_series


def why(lane: Lane[ODERNNLaboratory], draw: Callable[[str], None]) -> None:
    """Document 001, eq. 31-33, with what the solver paid and how large the jumps were."""
    with words_beside(draw, "consistency"):
        st.markdown("Between two observations the hidden state follows an ODE (document 001, eq. 31, 32):")
        st.latex(r"\frac{dh(t)}{dt} = f_\theta(h(t))")
        st.latex(r"h'_i = \mathrm{ODESolve}(f_\theta, h_{i-1}, t_{i-1}, t_i)")
        st.markdown("At an observation it jumps (eq. 33), and does not where nothing was observed:")
        st.latex(r"h_i = \mathrm{RNNCell}(h'_i, x_i)")
        if "interval_evaluations" in lane.dataset and lane.dataset.sizes.get("look", 0):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "ode_rnn")))
        else:
            st.caption("The run's numbers appear here with its first look.")
        st.caption(
            "A small refined error does not prove that the field is right outside the observed gaps. Equal steps are "
            "not equal time: the ODE-RNN takes longer for each."
        )


PAGE = LaboratoryPage(
    LAB,
    main="path",
    beside="error",
    why=why,
    parts=(Part("observations", "What if it were observed later?", explore, kept=EDITS, shows=lambda settings: True),),
)
