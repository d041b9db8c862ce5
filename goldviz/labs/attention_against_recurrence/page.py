"""Attention against recurrence: the page's figures, document 001, 4.1, in numbers, and times of this machine."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings.recorded import networks
from goldviz.diagnostics.findings.rule import filled
from goldviz.labs.attention_against_recurrence import LAB
from goldviz.labs.attention_against_recurrence.figures import FIGURES, measured_time
from goldviz.labs.attention_against_recurrence.measures import Reading
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels import background
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

NUMBERS = (
    "In this run, the {name} is right on {far:.0%} of the farthest symbols at the last look. Before training, the "
    "gradient there was {reach_at_first:.2g} times that at the nearest."
)
TIMED = ("width", "layers", "heads", "positions")
MEASURED_SECONDS = 12.0
"""About how long it takes to time all networks and lengths."""


def why(lane: Lane[AttentionAgainstRecurrence], draw: Callable[[str], None]) -> None:
    """Document 001, 4.1, beside eq. 5 and 6, with the run's own numbers."""
    with words_beside(draw, "steps_in_a_row"):
        st.markdown("A recurrent network hands a state from step to step, so a symbol takes n steps to the end:")
        st.latex(
            r"h_t = f(h_{t-1}, x_t), \qquad \frac{\partial h_n}{\partial h_1} = "
            r"\prod_{t=2}^{n} \frac{\partial h_t}{\partial h_{t-1}}"
        )
        st.markdown("In an encoder each place takes from every other one directly (document 001, 4.1.2):")
        st.latex(r"\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V")
        st.markdown("That takes one step for any distance, and a product for each pair of places, n² of them.")
        if lane.dataset.sizes.get("look"):
            readings = [Reading.of(lane.dataset, name, lane.settings) for name in networks(lane.dataset)]
            st.markdown("\n".join(f"- {filled(NUMBERS, reading)}" for reading in readings))


def task(lane: Lane[AttentionAgainstRecurrence]) -> None:
    """What the networks are asked, over what they answer."""
    if lane.dataset.sizes.get("lag"):
        drawn_figure(FIGURES["task"], lane.dataset, key=f"task-{lane.id}", subject=str(lane.settings.distance))


def timed(lane: Lane[AttentionAgainstRecurrence], step: int | None) -> None:
    """Seconds of a training step on this machine, measured by a worker."""
    from goldviz.labs.attention_against_recurrence.timing import measure

    fresh = AttentionAgainstRecurrence(**{name: getattr(lane.settings, name) for name in TIMED})
    settings_json = fresh.model_dump_json()
    key = f"recurrence-time-{settings_json}"
    timings = background.answer(Task(key, measure, (settings_json,), "Timing four lengths", MEASURED_SECONDS))
    if timings is None:
        return
    theme = theme_now()
    figure = services.figure_json((key, theme), lambda: measured_time.draw(timings, theme=theme))
    live_figure(figure, key=f"time-{lane.id}", subject=key, description=measured_time.description)
    st.caption(measured_time.caption)


PAGE = LaboratoryPage(
    LAB,
    main="by_distance",
    beside="gradient_by_distance",
    below="steps_in_a_row",
    why=why,
    verdict=task,
    parts=(Part("time", "How long here?", timed),),
)
