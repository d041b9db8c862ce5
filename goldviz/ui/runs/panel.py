"""The head of a lane: what the run is, how far it is, and what can be asked of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from goldviz.declare.settings import Experiment, SettingsError, label, schemas
from goldviz.runs.execution.execution import ExecutionError
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import keys
from goldviz.ui.panels import controls, lanes, trained_on
from goldviz.ui.panels.lanes import AnyLane, Lane, UnreadLane
from goldviz.ui.panels.live_figure import Source, live_progress
from goldviz.ui.panels.settings import SOUGHT, complain
from goldviz.ui.serving import frames, services
from goldviz.ui.words import STATES, plain

CONTINUABLE = ("paused", "stopped", "interrupted", "failed")


def head(
    experiment: type[Experiment], lane: AnyLane, source: Source, in_view: int | None, *, place: int, alone: bool
) -> None:
    """Title, state, progress and buttons of one lane, whose frames come from ``source``, with a step ``in_view``.

    They take the same room whatever the run's state is; what has to be told below them seldom comes.
    """
    with st.container(key=f"head-{place}"):
        state = lane.run.status if lane.run else "example"
        word, colour, icon = STATES[state]
        repeats = "*Train* repeats it live" if alone else "*Train* or another preset takes its place"
        # No line begins with what separates two settings.
        title = plain(lane.title).replace(" ·", "\N{NO-BREAK SPACE}·")
        st.markdown(
            f"**{title}** :{colour}-badge[{icon} {word}]",
            help=None if lane.run else f"Made by goldviz itself with these settings; {repeats}.",
        )
        if lane.run is not None:
            is_sought = st.session_state.get(SOUGHT) == lane.id
            live_progress(source, lane.id, *lanes.progress_of(lane), frames.felt(source.offer, lane), sought=is_sought)
            if is_sought:
                del st.session_state[SOUGHT]
        if isinstance(lane, Lane):
            trained_on.show(experiment, lane)
        _buttons(experiment, lane, in_view, alone)
    if lane.run is not None:
        if trouble := lanes.trouble_of(lane):
            st.error(plain(trouble), icon=":material/hard_drive:")
        # That a run was stopped, and after which step, its state and its progress say.
        is_told = (
            lane.run.status in ("paused", "queued") or lane.run.message == f"Stopped after {lane.step} {lane.run.step}."
        )
        if lane.run.message and not is_told:
            st.caption(plain(lane.run.message))
    if isinstance(lane, UnreadLane):
        st.warning(plain(lane.complaint), icon=":material/history:")


def _buttons(experiment: type[Experiment], lane: AnyLane, in_view: int | None, alone: bool) -> None:
    if lane.run is None and alone:
        return
    with st.container(horizontal=True, gap="small"):
        if lane.run is not None:
            if lane.run.status in ("running", "queued"):
                _button("Pause", ":material/pause:", lane, _pause)
                _button("Stop", ":material/stop:", lane, _stop)
            if isinstance(lane, Lane):
                _go_on(experiment, lane, lane.run, in_view)
        if not alone:
            _button("Close lane", ":material/close:", lane, _close, experiment)


def _go_on(experiment: type[Experiment], lane: Lane[Experiment], run: Run, in_view: int | None) -> None:
    """What takes the run further, for which its settings must be understood."""
    if run.status in CONTINUABLE and run.step < run.total:
        _button("Go on", ":material/play_arrow:", lane, _resume, experiment)
        _button("Step", ":material/skip_next:", lane, _step, experiment)
        if run.status == "paused":
            _button("Stop", ":material/stop:", lane, _stop)
    if run.status == "running":
        _hot_settings(experiment, lane)
    _fork(experiment, lane, in_view)


def _button(name: str, icon: str, lane: AnyLane, action: Callable[..., None], *more: Any) -> None:
    st.button(name, key=f"{name}-{lane.id}", icon=icon, on_click=_guarded, args=(action, lane, *more))


def _popover(name: str, icon: str) -> DeltaGenerator:
    """What opens a form: in sight is its icon alone, and its name to whoever points at it or has it read."""
    return st.popover(name, icon=icon, help=name)


def _guarded(action: Callable[..., None], lane: AnyLane, *more: Any) -> None:
    try:
        action(lane, *more)
    except (StoreError, ExecutionError, UnknownRunError, SettingsError) as error:
        complain(str(error))


def _pause(lane: AnyLane) -> None:
    services.executor().pause(lane.id)


def _stop(lane: AnyLane) -> None:
    services.executor().stop(lane.id)


def _resume(lane: Lane[Experiment], _experiment: type[Experiment]) -> None:
    services.executor().resume(lane.stored, lane.id)


def _step(lane: Lane[Experiment], _experiment: type[Experiment]) -> None:
    services.executor().resume(lane.stored, lane.id, budget=1)


def _close(lane: AnyLane, experiment: type[Experiment]) -> None:
    lanes.close(experiment, lane.id)


def _hot_settings(experiment: type[Experiment], lane: Lane[Experiment]) -> None:
    """Settings that may change while the run goes on."""
    with _popover("Change while it trains", ":material/tune:"), st.form(f"hot-{lane.id}", border=False):
        values = _number_inputs(experiment, lane, experiment.hot_settings(), "hot")
        if st.form_submit_button("Apply from the next step"):
            changes = {name: value for name, value in values.items() if value != _in_force(lane, name)}
            _guarded(lambda lane: services.executor().change(lane.id, **changes), lane)


def _fork(experiment: type[Experiment], lane: Lane[Experiment], in_view: int | None) -> None:
    """Go back to a kept step, the one in view or the last before it, and try again from there, in a lane beside."""
    if lane.run is None or lane.run.step == 0:
        return
    with _popover("Go back and fork", ":material/fork_right:"):
        try:
            steps = services.store().checkpoint_steps(lane.id)
        except StoreError as error:
            st.error(str(error))
            return
        if not steps:
            st.caption("No state of this run is kept any more.")
            return
        st.caption(f"A new run starts with the weights of this {lane.step} and goes on with these settings.")
        with st.form(f"fork-{lane.id}", border=False):
            # Another step in view is another question: the choice begins at it.
            key = f"fork-step-{lane.id}-{in_view}"
            step = st.selectbox(f"From {lane.step}", steps, index=_last_until(steps, in_view), key=key)
            values = _number_inputs(experiment, lane, experiment.hot_settings(), "fork")
            if st.form_submit_button("Fork", icon=":material/fork_right:"):
                _guarded(_start_fork, lane, experiment, step, values)
                st.rerun()


def _last_until(steps: Sequence[int], in_view: int | None) -> int:
    """Where in ``steps`` the last one stands that is not after the step in view; the end, where that follows the run.

    >>> _last_until([4, 8, 12], 10), _last_until([4, 8, 12], 2), _last_until([4, 8, 12], None)
    (1, 0, 2)
    """
    return len(steps) - 1 if in_view is None else max(0, bisect_right(steps, in_view) - 1)


def _start_fork(lane: Lane[Experiment], experiment: type[Experiment], step: int, values: dict[str, float]) -> None:
    # Everybody's names: a run's own, or words without what the visitor's files are called.
    origin = (lane.run.name if lane.run else "") or lanes.difference(keys.as_others_see(lane.stored))
    name = f"{origin}, forked at {lane.step} {step}"
    fork_id = services.executor().fork(lane.id, step, lane.stored, changes=values, name=name)
    lanes.add(experiment, fork_id)


def _number_inputs(
    experiment: type[Experiment], lane: Lane[Experiment], names: tuple[str, ...], use: str
) -> dict[str, float]:
    schema = schemas(experiment)
    return {
        name: st.number_input(
            label(name),
            float(schema[name]["minimum"]),
            float(schema[name]["maximum"]),
            value=_in_force(lane, name),
            step=_in_force(lane, name) / 2 or 0.1,
            format="%.4g",
            key=f"{use}-{name}-{lane.id}",
            help=controls.meaning(experiment, name),
        )
        for name in names
    }


def _in_force(lane: Lane[Experiment], name: str) -> float:
    changes = lane.run.changes if lane.run else {}
    return float(changes.get(name, getattr(lane.settings, name)))
