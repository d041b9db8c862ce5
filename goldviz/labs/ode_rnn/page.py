"""ODE-RNN: the page's figures, observations that can be moved, and equations 31-33 with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.ode_rnn import LAB
from goldviz.labs.ode_rnn.edited import FEWEST, LARGEST, EditedSeries
from goldviz.labs.ode_rnn.figures import FIGURES
from goldviz.labs.ode_rnn.figures.path import shapes_of
from goldviz.labs.ode_rnn.measures import Reading
from goldviz.labs.ode_rnn.queries import Explored
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.jobs.jobs import JobFailedError, TooManyJobsError
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels import background, parts, stories
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import Asks, Hand, Place, Source, followed_figure, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from types import ModuleType

    from streamlit.delta_generator import DeltaGenerator

FOLLOWING = ("plane", "latent")
MOVABLE = "flow"
"""The figure whose observations can be dragged."""
DRAGGED = f"{FIGURES[MOVABLE].description} Each observation can be dragged."
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
    key = _key(exploration)
    series = _at_first(key, exploration.recorded)
    figure, controls = st.columns([3, 1])
    with controls:
        series = _edit(key, series, exploration.recorded)
    now = replace(exploration.at(step), edited=series)
    parts.keep(LAB.name, EDITS, now.changes)
    try:
        with figure:
            _draw_movable(now, f"explore-{lane.id}", f"explore-{MOVABLE}-{lane.id}")
        for column, name in zip(st.columns(len(FOLLOWING)), FOLLOWING, strict=True):
            with column:
                _draw_edited(now, name, f"explore-{name}-{lane.id}")
    except (ValueError, JobFailedError, TooManyJobsError) as error:
        st.error(plain(str(error)), icon=":material/block:")


def _key(exploration: Explored) -> str:
    """Runs that look at the same sequence share what was changed of it."""
    return f"edited-{hash(exploration.recorded)}"


def _place(now: Explored, page: str, name: str) -> Place:
    """What a hand asks for comes ahead of the page's script, which then finds it drawn."""
    return Place(page, now.lane.id, name, 0, now.subject)


def _draw_edited(now: Explored, name: str, key: str, place: Place | None = None) -> None:
    figure = now.figure(name, theme_now(), lambda: background.awaited(now.task()))
    live_figure(figure, key=key, subject=now.lane.id, description=FIGURES[name].description, place=place)


def _hand(now: Explored) -> Hand:
    """What a drag asks the server, and who hears of it."""
    key, lane_id = _key(now), now.lane.id
    asks = Asks(Source.of(LAB.name, [lane_id]).about(lane_id), {"look": now.step, "edits": now.changes})
    return Hand(lambda index, time, value: _drag(key, index, time, value), asks)


def _draw_movable(now: Explored, page: str, key: str) -> None:
    figure = now.figure(MOVABLE, theme_now(), lambda: background.awaited(now.task()))
    hand, place = _hand(now), _place(now, page, MOVABLE)
    how: Any = {"on_moved": hand.on_moved, "asks": hand.asks, "place": place}
    live_figure(figure, key=key, subject=now.lane.id, description=DRAGGED, **how)


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
    _put_all_back(st, key, edited_series, original)
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


def _number_fields(now: Explored) -> None:
    """The observation that was dragged last, in numbers that may be typed."""
    key, series = _key(now), now.edited
    turn, count = st.session_state.get(f"{key}-turn", 0), len(series.times)
    st.session_state.setdefault(f"{key}-number", min(3, count))
    columns = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    number = int(columns[0].number_input("Observation", 1, count, key=f"{key}-number", persist_state="session")) - 1
    earliest, latest = series.room(number)
    keys = {name: f"{key}-typed-{name}-{number}-{turn}" for name in ("time", "value")}
    value = series.values[number][0]

    def typed() -> None:
        _put(key, series.moved(number, st.session_state[keys["time"]], st.session_state.get(keys["value"])))

    step: dict[str, Any] = {"format": "%.2f", "on_change": typed}
    columns[1].number_input("Time", earliest, latest, series.times[number], 0.05, key=keys["time"], **step)
    if value is not None:
        columns[2].number_input("Value", -LARGEST, LARGEST, value, 0.1, key=keys["value"], **step)
    _put_all_back(columns[3], key, series, now.recorded)


def _put_all_back(place: DeltaGenerator | ModuleType, key: str, series: EditedSeries, original: EditedSeries) -> None:
    place.button(
        "Put all back",
        icon=":material/undo:",
        key=f"{key}-back",
        disabled=series == original,
        on_click=_put,
        args=(key, original),
    )


class MovablePage(LaboratoryPage):
    """A page whose first figures follow a lane alone, and a hand that drags one of its observations."""

    def _first(self, view: Any) -> None:
        lane, *others = view.shown
        exploration = None if others or stories.asks(LAB.name) or lane.unfinished else Explored.of(lane)
        if exploration is None or self.first_figure(view.shown) != MOVABLE:
            super()._first(view)
            return
        key = _key(exploration)
        now = replace(exploration.at(view.epoch), edited=_at_first(key, exploration.recorded))
        parts.keep(LAB.name, EDITS, now.changes)
        try:
            super()._first(replace(view, draw=partial(self._draw, now)))
        except (ValueError, JobFailedError, TooManyJobsError) as error:
            st.error(plain(str(error)), icon=":material/block:")
        _number_fields(now)

    def _draw(self, now: Explored, lane: Lane[ODERNNLaboratory], name: str) -> None:
        """A figure of the run itself as long as nothing was moved: it follows every step by itself."""
        page, key = f"first-{lane.id}", f"{name}-0"
        if now.edited != now.recorded:
            if name == MOVABLE:
                _draw_movable(now, page, key)
            else:
                _draw_edited(now, name, key, _place(now, page, name))
            return
        hand = replace(_hand(now), handles=shapes_of(lane.dataset, theme_now())) if name == MOVABLE else None
        words = DRAGGED if hand else FIGURES[name].description
        source, place = Source.of(LAB.name, [lane.id]), _place(now, page, name)
        followed_figure(source, lane.id, name, key=key, description=words, hand=hand, place=place)


PAGE = MovablePage(
    LAB,
    main=MOVABLE,
    beside="plane",
    why=why,
    parts=(Part("observations", "What if it were observed later?", explore, kept=EDITS, shows=lambda settings: True),),
)
