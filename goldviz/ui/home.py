"""The home page: a map of the laboratories, the machine, and the latest runs."""

from __future__ import annotations

from functools import cache
from html import escape

import streamlit as st

from goldviz.experiments import experiments
from goldviz.runs.schema import StoreError
from goldviz.ui import machine, services
from goldviz.ui.chrome import Page, laboratories
from goldviz.ui.runs_table import age, label_of
from goldviz.ui.words import STATES, plain

LATEST = 5


def show() -> None:
    """Draw the page."""
    st.title("goldviz")
    st.markdown("##### Train a small network and look inside it while it learns.")
    labs = laboratories()
    for row in range(0, len(labs), 3):
        for column, page in zip(st.columns(3), labs[row : row + 3], strict=False):
            with column:
                _card(page)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _latest()
    with right:
        st.subheader("This machine", anchor=False)
        st.markdown(machine.sentence())


def _card(page: Page) -> None:
    with st.container(border=True):
        st.html(f'<div class="goldviz-picture" role="img" aria-label="{escape(page.title)}">{_picture(page.path)}</div>')
        st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
        st.markdown(page.question)


@cache
def _picture(experiment: str) -> str:
    """The laboratory's picture: a small SVG drawn from the recorded run of its first preset."""
    from goldviz.experiments.examples import example_path

    declared = experiments()[experiment]
    path = example_path(declared, declared.presets[0].slug).with_suffix(".svg")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _latest() -> None:
    st.subheader("Latest runs", anchor=False)
    try:
        latest, total = services.store().list(limit=LATEST)
    except StoreError as error:
        st.error(str(error))
        return
    if not latest:
        st.caption("None yet. Open a laboratory and press Train.")
        return
    for run in latest:
        word, colour, icon = STATES[run.status]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                f"pages/{run.experiment.replace('-', '_')}.py", label=plain(label_of(run)), query_params={"runs": run.id}
            )
            st.markdown(f":{colour}-badge[{icon} {word}] {age(run.created)}", width="content")
    if total > LATEST:
        st.page_link("pages/runs.py", label=f"All {total:,} runs", icon=":material/list:")
