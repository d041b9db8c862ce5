"""The part of a laboratory where an experiment is set up: presets, knobs, Train."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

import streamlit as st

from goldviz.data.tables.sealed_names import NOT_YOURS
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment, SettingsError
from goldviz.plurals import how_many
from goldviz.runs.examples import has_example
from goldviz.runs.execution.execution import ExecutionError, worker_count
from goldviz.runs.execution.limits import LimitsError, check, run_seconds
from goldviz.runs.execution.pace import expected, machine
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import keys, whole_page
from goldviz.ui.panels import controls, lanes, parts
from goldviz.ui.panels import presets as menu_of_presets
from goldviz.ui.serving import services
from goldviz.ui.words import duration, plain

DOUBLE_CLICK_SECONDS = 0.5
UNSEEN_SECONDS = 20.0
"""So long a click counts as a second one, at most, while the page has not shown yet what the first one started."""
SOUGHT = "lane-sought"
"""In the session state: the lane that the page goes to."""


def presets(experiment: type[Experiment]) -> None:
    """The menu of presets; choosing one sets all knobs and shows its recorded run, beside those that were trained."""

    menu_of_presets.draw(experiment, partial(_show_example, experiment))


def _show_example(experiment: type[Experiment], slug: str) -> None:
    if has_example(experiment, slug) and not lanes.show_example(experiment, slug):
        st.toast(f"{lanes.MOST} runs are in view. Close a lane to see this preset's example.")


def open_preset(experiment: type[Experiment], slug: str) -> None:
    """Do what choosing a preset does, asked for elsewhere on the page, in a callback."""
    controls.put_preset(experiment, slug)
    _show_example(experiment, slug)


def train(experiment: type[Experiment], settings: Experiment | None, refusal: str) -> None:
    """The buttons that start a run, with an estimate of how long it takes; none can be started with a ``refusal``."""
    refusal = refusal or (refusal_of(settings) if settings else "")
    with st.container(horizontal=True, gap="small", key="training"):
        st.button(
            "Train",
            key=f"train-{experiment.name}",
            type="primary",
            icon=":material/play_arrow:",
            width="stretch",
            disabled=settings is None or bool(refusal),
            on_click=_press,
            args=(experiment, False),
        )
        st.button(
            "Train beside",
            key=f"beside-{experiment.name}",
            width="stretch",
            disabled=settings is None or bool(refusal),
            on_click=_press,
            args=(experiment, True),
        )
    if refusal:
        st.error(plain(refusal), icon=":material/block:")
        return
    # A tooltip would cover where one starts from.
    goes = " *Train beside* closes the oldest lane." if len(lanes.ids(experiment)) == lanes.MOST else ""
    st.caption(f"{_estimate(settings)}{goes}" if settings else "These settings cannot be trained.")


def doubts_and_refusal(settings: Experiment) -> tuple[Sequence[str], str]:
    """What should be known before settings are trained on their data, and why a run must fail on them."""
    try:
        return laboratory_of(settings).doubts(settings), ""
    except ValueError as error:
        if not getattr(error, "for_a_person", False):
            raise
        return (), str(error)


def refusal_of(settings: Experiment) -> str:
    """Why a run would not be started: it asks for more memory or time than there is; nothing where it would."""
    try:
        seconds = expected(services.store(), settings, services.probe()).seconds
        check(settings, worker_count(), seconds / settings.estimated_seconds())
    except (SettingsError, LimitsError, ExecutionError) as error:
        return str(error)
    except StoreError:
        pass  # The page says so itself.
    return ""


def _estimate(settings: Experiment) -> str:
    """How long a run takes on this machine, and whether its time limit stops it before."""
    probe = services.probe()
    try:
        seconds, measured_runs = expected(services.store(), settings, probe)
    except StoreError:
        seconds, measured_runs = settings.estimated_seconds() * machine(type(settings), probe), 0
    basis = "going by this machine's speed" if probe else "not timed here yet"
    if measured_runs:
        basis = f"going by {how_many(measured_runs, 'run')} timed here"
    words = f"Takes about {duration(seconds)}, {basis}."
    limit = min(settings.time_limit, run_seconds())
    if seconds > limit:
        words += f" The time limit of {duration(limit)} stops it before"
        words += ": raise it under More settings." if limit == settings.time_limit else "."
    return words


def _press(experiment: type[Experiment], beside: bool) -> None:
    """Train what the panel shows: what was typed just before the click may be newer than the button."""
    try:
        settings = controls.current(experiment)
    except SettingsError as error:
        complain(str(error))
        return
    _start(experiment, settings, beside)


def _start(experiment: type[Experiment], settings: Experiment, beside: bool) -> None:
    last_click, unseen_key = f"clicked-{experiment.name}", f"unseen-{experiment.name}"
    since = time.monotonic() - st.session_state.get(last_click, -math.inf)
    # The second click of two arrives while the page is drawn after the first, which may take long on a busy machine.
    if since < (UNSEEN_SECONDS if st.session_state.get(unseen_key) else DOUBLE_CLICK_SECONDS):
        return
    start(experiment, settings, beside=beside)
    # Taken afterwards, for the first start may wait for workers while the second click is on its way.
    st.session_state[last_click], st.session_state[unseen_key] = time.monotonic(), True


def train_what_is_set(experiment: type[Experiment]) -> None:
    """Do what *Train* does, asked for elsewhere on the page, in a callback."""
    _start(experiment, controls.current(experiment), False)


def train_again(settings: Experiment) -> None:
    """Train the settings of a run in view in its place, in a callback."""
    _start(type(settings), settings, False)
    controls.put(type(settings), settings)


def lanes_are_drawn(experiment: type[Experiment]) -> None:
    """The page shows what was started: the next click on *Train* was made by somebody who could see it.

    Figures may still be on their way, or never come where that click interrupts the script.
    """
    st.session_state[f"unseen-{experiment.name}"] = False


def start(experiment: type[Experiment], settings: Experiment, *, beside: bool, name: str = "") -> str:
    """Queue a run and show it, in a lane of its own or in the example's place; returns its id.

    Says why where that fails, and returns nothing.
    """
    if keys.others_files(settings):
        complain(NOT_YOURS)
        return ""
    if refusal := doubts_and_refusal(settings)[1]:
        complain(refusal)
        return ""
    try:
        run_id = services.executor().submit(settings, name=name)
    except (StoreError, ExecutionError, UnknownRunError, SettingsError) as error:
        complain(str(error))
        return ""
    (lanes.add if beside else lanes.compare)(experiment, run_id)
    parts.come_to_run(experiment.name, settings, last=lanes.ids(experiment)[-1] == run_id)
    return run_id


def start_from(experiment: type[Experiment], settings: Experiment, name: str) -> None:
    """Queue a run that a part of the page proposed, beside the others, with its settings in the panel; go to it."""
    run_id = start(experiment, settings, beside=True, name=name)
    if run_id:
        controls.put(experiment, settings)
        st.session_state[SOUGHT] = run_id


def start_side_by_side(experiment: type[Experiment], several: list[Experiment]) -> None:
    """Queue runs and show them in lanes beside each other, in place of those shown; says why where that fails."""
    try:
        lanes.put(experiment, [services.executor().submit(settings) for settings in several])
        parts.come_to_run(experiment.name, several[-1], last=True)
    except (StoreError, ExecutionError, SettingsError) as error:
        complain(str(error))


def complain(sentence: str) -> None:
    """Show a sentence at the top of the page at its next run."""
    whole_page.changed()
    st.session_state.setdefault("complaints", []).append(sentence)


def show_complaints() -> None:
    """Show what :func:`complain` was told since the last run of the page."""
    for sentence in st.session_state.pop("complaints", []):
        st.error(plain(sentence), icon=":material/error:")
