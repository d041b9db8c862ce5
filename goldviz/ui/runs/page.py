"""The page of all runs: find them, open and compare them, name and delete them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from goldviz.declare.registry import experiments
from goldviz.figures.overlay import MOST
from goldviz.plurals import how_many
from goldviz.runs.execution.execution import ExecutionError
from goldviz.runs.store.checkpoints import room_of_run
from goldviz.runs.store.rows import STATUSES, UNFINISHED
from goldviz.runs.store.run import Result, Run, Size
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import chrome
from goldviz.ui.panels import lanes, together
from goldviz.ui.panels.settings import complain, show_complaints
from goldviz.ui.runs import space
from goldviz.ui.runs.table import LOOKS, gone, label_of, table, unclear
from goldviz.ui.seen_runs import seen_run
from goldviz.ui.serving import services
from goldviz.ui.words import STATES, numbered, plain
from goldviz.watching.declared import WATCHED

ROWS = 50
ANY = "Any"
WATCHED_PAGE, WATCHED_RUNS = "pages/your_network.py", "run"
"""Where watched runs are opened, and the address's parameter that names them."""


def show() -> None:
    """Draw the page."""
    st.title("Runs")
    st.markdown("##### Everything that was trained on this server, newest first.")
    show_complaints()
    _list()
    space.show()


def _list() -> None:
    notices = st.container()
    try:
        runs, total = _found()
        with notices:
            chrome.notices()
    except StoreError as error:
        st.error(plain(str(error)))
        return
    pages = math.ceil(total / ROWS)
    if total and not runs:
        st.session_state["runs-page"] = pages
        st.rerun()
    if not runs:
        st.info("No run matches." if _filtered() else "No runs yet. Open a laboratory and press Train.")
        return
    page_in_words = f", page {_page() + 1} of {pages}" if pages > 1 else ""
    st.caption(f"{how_many(total, 'run')}{page_in_words}{_on_disk()}")
    for sentence in filter(None, (gone(runs), unclear(runs))):
        st.caption(sentence)
    ids = [run.id for run in runs]
    event = st.dataframe(
        table(runs, *_facts(ids)),
        hide_index=True,
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        # Rows are chosen by their place, so a choice must not outlive the list that it was made in.
        key=f"runs-table-{hash(tuple(run.id for run in runs))}",
        column_config=LOOKS,
    )
    selection = [runs[row] for row in event.selection.rows if row < len(runs)]
    clicks = [runs[row] for row, _ in event.selection.cells if row < len(runs)]
    if clicks:
        _open(clicks)
    _actions(selection)
    _together(selection)
    if pages > 1:
        st.number_input("Page", 1, pages, key="runs-page")


def _facts(ids: Sequence[str]) -> tuple[Mapping[str, Result], Mapping[str, Size]]:
    """What runs came to, and how large they are; nothing where the database lists runs and has lost the rest."""
    try:
        return services.store().results(ids), services.store().sizes(ids)
    except StoreError as error:
        st.error(plain(str(error)))
        return {}, {}


def _page() -> int:
    return int(st.session_state.get("runs-page", 1)) - 1


def _filtered() -> bool:
    return any(
        st.session_state.get(key) not in (None, "", ANY) for key in ("runs-text", "runs-experiment", "runs-status")
    )


def _found() -> tuple[list[Run], int]:
    classes = experiments()
    text, experiment, status = st.columns([2, 1, 1])
    with text:
        st.text_input("Find", key="runs-text", placeholder="part of a name or an id", on_change=_first_page)
    with experiment:
        st.selectbox(
            "Laboratory",
            [ANY, *classes],
            key="runs-experiment",
            format_func=lambda name: classes[name].title if name in classes else name,
            on_change=_first_page,
        )
    with status:
        states = [state for state in STATES if state in STATUSES]
        st.selectbox(
            "State",
            [ANY, *states],
            key="runs-status",
            format_func=lambda state: STATES[state][0] if state in STATES else state,
            on_change=_first_page,
        )
    return services.store().list(
        text=st.session_state["runs-text"],
        name_of=lambda run: seen_run(run).name,
        experiment=_choice("runs-experiment"),
        status=_choice("runs-status"),
        limit=ROWS,
        offset=_page() * ROWS,
    )


def _choice(key: str) -> str | None:
    value = st.session_state[key]
    return None if value == ANY else str(value)


def _first_page() -> None:
    st.session_state["runs-page"] = 1


def _actions(selection: Sequence[Run]) -> None:
    if not selection:
        st.caption("Click a row to open its run. Tick runs in the first column to compare, name or delete them.")
        return
    same = len({run.experiment for run in selection}) == 1
    with st.container(horizontal=True):
        verb = "Open" if len(selection) == 1 else "Compare"
        if st.button(
            verb, type="primary", icon=":material/visibility:", disabled=not same or len(selection) > lanes.MOST
        ):
            _open(selection)
        if len(selection) == 1:
            _rename(selection[0])
        _delete(selection)
    if not same:
        st.caption("Runs of one laboratory can be compared.")
    elif len(selection) > lanes.MOST:
        st.caption(f"Up to {lanes.MOST} runs can stand side by side.")


def _together(selection: Sequence[Run]) -> None:
    """The losses of runs of one laboratory in one figure."""
    if len(selection) < 2 or len({run.experiment for run in selection}) > 1:
        return
    if len(selection) > MOST:
        st.caption(f"Up to {MOST} runs can be drawn in one figure.")
        return
    titles = numbered([label_of(run) for run in selection])
    try:
        sheets = [services.live_run(run.id).snapshot()[1] for run in selection]
    except (StoreError, UnknownRunError) as error:
        st.error(plain(str(error)))
        return
    runs = [(title, sheet.dataset) for title, sheet in zip(titles, sheets, strict=True)]
    together.draw(selection[0].experiment, runs, key="runs-together")


def _on_disk() -> str:
    """How large the file of all runs is, and what bounds it; nothing for a database that is no file."""
    size = services.store().size_on_disk()
    room = room_of_run() / 1e6
    return "" if size is None else f", {size / 1e6:,.0f} MB on disk: states to go back to take up to {room:g} MB a run"


def _open(selection: Sequence[Run]) -> None:
    name = selection[0].experiment
    ids = ",".join(run.id for run in selection)
    if name == WATCHED:
        st.switch_page(WATCHED_PAGE, query_params={WATCHED_RUNS: ids})
    settings_class = experiments().get(name)
    if settings_class is None:
        st.error(f"This version has no laboratory {plain(name)}.")
        return
    st.switch_page(f"pages/{name.replace('-', '_')}.py", query_params={lanes.OPEN: ids})


def _rename(run: Run) -> None:
    with st.popover("Name", icon=":material/edit:"), st.form(f"rename-{run.id}", border=False):
        current_name = seen_run(run).name
        name = st.text_input("Name of the run", value=current_name)
        if st.form_submit_button("Save"):
            try:
                # What is shown may stand for a name that this visitor cannot see.
                if name != current_name:
                    services.store().rename(run.id, name)
            except (StoreError, UnknownRunError) as error:
                complain(str(error))
            st.rerun()


def _delete(selection: Sequence[Run]) -> None:
    what = f"“{label_of(selection[0])}”" if len(selection) == 1 else f"{len(selection)} runs"
    with st.popover("Delete", icon=":material/delete:"):
        st.markdown(f"Delete {plain(what)} and all that was recorded? This cannot be undone.")
        st.button(
            "Delete for good", key="delete-for-good", on_click=_really_delete, args=([run.id for run in selection],)
        )


def _really_delete(run_ids: list[str]) -> None:
    try:
        for run_id in run_ids:
            if services.store().run(run_id).status in UNFINISHED:
                services.executor().stop(run_id)
        services.store().delete(run_ids)
    except (StoreError, ExecutionError, UnknownRunError) as error:
        complain(str(error))
