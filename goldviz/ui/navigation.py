"""The frame that all pages share: navigation above the visitor's page, stories and the glossary around it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import streamlit as st

from goldviz.extras import missing_extra
from goldviz.figures.theme import INKS
from goldviz.ui import address, chrome, whole_page
from goldviz.ui.pages import glossary
from goldviz.ui.panels import search, stories
from goldviz.ui.theme import theme_now

NAMED_COLOURS = {"gold": "accent", "paper": "background", "focus": "text", "muted": "muted"}
"""Colours of the page's style sheet. Gold is the step in view and what is selected, and nothing else."""


def _colours() -> str:
    """Rules that name the colours. The browser chooses the theme's, also where it changes between two runs of the
    script; over the page, where Streamlit puts dialogs, and in older browsers it is the theme of the last run."""
    now, light, dark = asdict(INKS[theme_now()]), asdict(INKS["light"]), asdict(INKS["dark"])
    last = "".join(f"--goldviz-{name}: {now[ink]};" for name, ink in NAMED_COLOURS.items())
    either = "".join(f"--goldviz-{name}: light-dark({light[ink]}, {dark[ink]});" for name, ink in NAMED_COLOURS.items())
    return f":root {{ {last} }} @supports (color: light-dark(red, red)) {{ .stApp {{ {either} }} }}"


def main() -> None:
    """Draw the visitor's page inside the shared frame."""
    st.set_page_config(page_icon=str(Path(__file__).parent / "assets" / "icon.svg"), layout="wide")
    st.html(Path(__file__).parent / "assets" / "style.css")
    st.html(f"<style>{_colours()}</style>")
    home = st.Page("pages/home.py", title="goldviz", icon=":material/home:", default=True)
    pages: dict[str, list[st.Page]] = {"": [home]}
    for page in [*chrome.laboratories(), *chrome.pages_of_no_laboratory()]:
        pages.setdefault(page.section, []).append(
            st.Page(page.file, title=page.title, icon=page.icon, url_path=page.path)
        )
    visit = st.navigation(pages, position="top")
    st.set_page_config(page_title=visit.title if visit.title == "goldviz" else f"{visit.title} · goldviz")
    address.take()
    st.session_state[chrome.CHANGED] = st.session_state[chrome.BACK] or st.session_state.get("page") != visit.url_path
    st.session_state["page"] = visit.url_path
    search.arrive()
    stories.strip(visit.url_path)
    try:
        visit.run()
    except ModuleNotFoundError as error:
        if not (sentence := missing_extra(error)):
            raise
        st.info(sentence)
    finally:
        whole_page.drawn()
    stories.keep(visit.url_path)
    if visit.url_path:
        search.over_page()
    glossary.explain()
