"""The page *All laboratories*: every chapter with its rooms, and what this machine trains with."""

from __future__ import annotations

import streamlit as st

from goldviz.ui import chrome
from goldviz.ui.panels import machine
from goldviz.ui.panels.cards import card_of, cards


def show() -> None:
    """Draw the page."""
    st.title("All laboratories", anchor=False)
    with st.container(key="map"):
        for question, pages in chrome.by_question().items():
            st.subheader(question, anchor=False)
            cards([card_of(page, page.title, page.question) for page in pages], in_a_row=4)
    st.subheader("This machine", anchor=False)
    st.markdown(machine.sentence())
