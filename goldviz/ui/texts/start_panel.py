"""What the next run starts from: random weights, or a model of texts that then reads on.

The setting that is declared with ``control="start model"`` holds the model's name.
"""

from __future__ import annotations

import time

import streamlit as st

from goldviz.api import text_model
from goldviz.data.tables.sealed_names import NOT_YOURS, SEALED
from goldviz.data.texts.kept_models import about_model
from goldviz.declare.settings import Settings
from goldviz.runs.jobs.jobs import Report, Task, TooManyJobsError
from goldviz.ui import keys
from goldviz.ui.panels import background, controls
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.serving import services
from goldviz.ui.words import plain

RANDOM = "random"
ASKED, KEEPING = "start-model-asked", "start-model-keeping"
KEEP_SECONDS = 5.0


def show(settings_class: type[Settings]) -> None:
    """The line of what pre-training starts from, with a way to choose a model."""
    setting = controls.controlled_by(settings_class, "start model")
    if setting is None:
        return
    from goldviz.ui.texts import model_dialog  # It needs packages of an extra, and every laboratory's page comes by.

    key = controls.key_of(settings_class, setting)
    _take_over(key)
    with st.container(border=True, key="start-model"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(line(st.session_state[key]), width="stretch")
            st.button("Start from a model", icon=":material/frame_inspect:", key="choose-start", on_click=_ask)
            if st.session_state[key] != RANDOM:
                st.button(
                    "Random weights again",
                    icon=":material/undo:",
                    key="start-random",
                    on_click=_use,
                    args=(key, RANDOM),
                )
        if KEEPING in st.session_state:
            background.show(st.session_state[KEEPING].key)
        model_dialog.show_download(begin)
    if st.session_state.pop(ASKED, False):
        model_dialog.ask(begin)


def line(name: str) -> str:
    """What the next run starts from, in a line of Markdown."""
    if name == RANDOM:
        return ":material/casino: Next run starts from **random weights**."
    if SEALED.fullmatch(name):
        return f":material/error: {NOT_YOURS}"
    about = about_model(name)
    if about is None:
        return f":material/error: This machine does not hold the model {plain(name)}: choose it again."
    return (
        f":material/frame_inspect: Next run goes on from **{plain(about.title)}**: {about.layers} layers of "
        f"{about.heads} heads, width {about.width}, {about.vocabulary:,} pieces. These sizes are its own. It may have "
        "read texts that count as unseen here, and have learned their tone."
    )


def keep(report: Report, name: str) -> str:
    """Keep the model of this name; returns its content's name."""
    report(0, 1)
    return text_model(name)


def begin(name: str) -> None:
    """Begin to keep a model as a job, for it may be large; the page takes it over when it is there."""
    # A folder of this name may hold another model by the next time, so each time is a job of its own.
    task = Task(f"start-model-{name}-{time.monotonic_ns()}", keep, (name,), f"Reading {name}", KEEP_SECONDS)
    try:
        background.start(task)
    except TooManyJobsError as error:
        settings_panel.complain(str(error))
        return
    st.session_state[KEEPING] = task


def _take_over(key: str) -> None:
    """Set the control to a model that has just been kept."""
    task: Task[str] | None = st.session_state.get(KEEPING)
    result = None if task is None else services.jobs().held(task)
    if result is not None:
        del st.session_state[KEEPING]
        keys.remember([result])
        st.session_state[key] = result


def _ask() -> None:
    st.session_state[ASKED] = True


def _use(key: str, name: str) -> None:
    st.session_state[key] = name
