"""The home page: six questions, each a door to where it is answered, a search, and the ways to all else."""

from __future__ import annotations

import streamlit as st

from goldviz.runs.store.schema import StoreError
from goldviz.ui import chrome
from goldviz.ui.panels import lanes, search
from goldviz.ui.panels.cards import card_of, cards
from goldviz.ui.runs.table import label_of
from goldviz.ui.serving import services
from goldviz.ui.words import plain

LATEST = 5
OWN_NETWORK = "What is wrong with my network?"
"""The last door, for whoever comes with a script."""


def show() -> None:
    """Draw the page."""
    with st.container(key="home", horizontal=True, vertical_alignment="bottom"):
        with st.container():
            st.title("goldviz", anchor=False)
            st.markdown("Train a small network and look inside it while it learns.")
        search.field()
    own = next(page for page in chrome.pages_of_no_laboratory() if page.path == "your-network")
    doors = [card_of(page, page.door, page.title) for page in chrome.laboratories() if page.door]
    with st.container(key="doors"):
        cards([*doors, card_of(own, OWN_NETWORK, own.title)], in_a_row=3)
    with st.container(key="ways", horizontal=True):
        st.page_link("pages/laboratories.py", label=f"All {len(chrome.laboratories())} laboratories")
        st.page_link("pages/stories.py", label="Stories: a question each, in six or seven steps")
        st.page_link("pages/runs.py", label="Runs")
    _latest()


def _latest() -> None:
    """The last runs in a line, for whoever comes back."""
    try:
        latest, _ = services.store().list(limit=LATEST)
        chrome.notices()
    except StoreError as error:
        st.error(plain(str(error)))
        return
    if not latest:
        return
    files = {page.path: page.file for page in chrome.laboratories()}
    with st.container(key="latest", horizontal=True, vertical_alignment="center"):
        st.markdown("Latest runs:", width="content")
        for run in latest:
            if run.experiment in files:
                st.page_link(files[run.experiment], label=plain(label_of(run)), query_params={lanes.OPEN: run.id})
            else:
                st.markdown(plain(label_of(run)), width="content")
