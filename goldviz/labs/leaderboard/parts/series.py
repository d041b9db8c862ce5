"""Which series the next run forecasts: a simulated one, or a file of the visitor's."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.data.tables.kept_labels import kept_label
from goldviz.data.tables.sealed_names import KEY, NOT_YOURS, SEALED
from goldviz.labs.leaderboard.multivariate import KEPT_SERIES, SeriesError, kept_series
from goldviz.labs.leaderboard.public_characters import SIMULATED_SERIES
from goldviz.labs.leaderboard.public_sets import recognised
from goldviz.labs.leaderboard.series_file import MOST_ROWS, BroughtSeries, keep
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.labs.leaderboard.splits import SPLITS
from goldviz.runs.jobs.jobs import Task
from goldviz.ui import keys
from goldviz.ui.brought_files import READ_SECONDS, answer_about, brought
from goldviz.ui.panels.controls import key_of
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

KEY_OF_SERIES = key_of(Leaderboard, "series")
NOTES = f"{KEY_OF_SERIES}-notes"
OWN = f"{KEY_OF_SERIES}-own"
"""In the session state: the file that the visitor brought last, which stays among the choices."""


def show() -> None:
    """The choice of the series that is forecast next, what is known of a file, and a way to bring one."""
    name = str(st.session_state[KEY_OF_SERIES])
    if KEY.fullmatch(name):
        st.session_state[OWN] = name
    with st.container(border=True, key="series-source"):
        _choice(name)
        if name not in SIMULATED_SERIES:
            st.markdown(_line(name))
        if KEY.fullmatch(name):
            for note in st.session_state.get(NOTES, ()):
                st.caption(f":material/info: {plain(note)}")
        with st.popover("Use a file of your own", icon=":material/upload_file:"):
            _upload()


def _choice(name: str) -> None:
    options = {series: f"{one.words[0].upper()}{one.words[1:]}" for series, one in SIMULATED_SERIES.items()}
    if own := st.session_state.get(OWN):
        options[own] = kept_label(own) or "Your file"
    key = f"{KEY_OF_SERIES}-choice"
    st.session_state[key] = name if name in options else None
    st.selectbox(
        "Series",
        list(options),
        key=key,
        format_func=options.__getitem__,
        help="The series that is forecast: simulated, or a file of your own.",
        on_change=lambda: _use(st.session_state[key] or name),
    )


def _line(name: str) -> str:
    """What is known of a file of this name."""
    if SEALED.fullmatch(name):
        return f":material/error: {NOT_YOURS}"
    try:
        series = kept_series(name)
    except SeriesError as error:
        return f":material/error: {plain(str(error))}"
    channels = f"{len(series.names)} channel{'' if len(series.names) == 1 else 's'}"
    line = f":material/description: {series.rows:,} rows of one {series.row} each, {channels}."
    public = recognised(series)
    if public is None:
        return line
    return (
        f"{line} Shape and first row are those of **{public.label}**. Published scores stand beside yours at "
        f"horizons {public.horizons_in_words}, split {SPLITS[public.split].words}: *Look closer*."
    )


def _upload() -> None:
    st.caption(
        "CSV, packed or not, Excel (.xlsx) or Parquet: a column of times first, if there is one, then a channel in "
        f"each column. At most {MOST_ROWS:,} rows. The file stays on this server; only you, and those to whom you give "
        "a link, can choose it. Others see a run on it: its numbers and its channels' names."
    )
    file = st.file_uploader("Series file", key="series-file")
    if file is None:
        return
    try:
        series = _brought(file)
        if series is None:
            return
        values = kept_series(series.name)
    except SeriesError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    st.markdown(f"**{values.rows:,} rows** were read, of: {plain(', '.join(values.names[:12]))}.")
    for note in series.notes:
        st.caption(f":material/info: {plain(note)}")
    st.button("Use this series", type="primary", key="use-series", on_click=_use, args=(series.name, series.notes))


def _brought(file: UploadedFile) -> BroughtSeries | None:
    [one] = brought([file], SeriesError)
    identity = hashlib.sha256(repr(one).encode()).hexdigest()
    task = Task(f"keep-series-{identity}", keep, (one.key, one.name), f"Reading {one.name}", READ_SECONDS)
    return answer_about(task, SeriesError, lambda series: KEPT_SERIES.path(series.name).is_file())


def _use(name: str, notes: tuple[str, ...] | None = None) -> None:
    st.session_state[KEY_OF_SERIES] = name
    keys.remember([name])
    if notes is not None:
        st.session_state[NOTES] = notes
