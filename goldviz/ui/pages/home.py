"""The home page: a map of the laboratories, the machine, and the latest runs."""

from __future__ import annotations

from functools import cache

import streamlit as st

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Preset
from goldviz.declare.stories import place
from goldviz.declare.stories import stories as all_stories
from goldviz.figures.theme import INKS
from goldviz.runs.examples import picture_path
from goldviz.runs.store.schema import StoreError
from goldviz.ui import chrome
from goldviz.ui.panels import controls, lanes, machine, stories
from goldviz.ui.runs.table import age, label_of
from goldviz.ui.serving import services
from goldviz.ui.words import STATES, plain

LATEST = 5
BREAK = "Break it: "
"""Begins the names of presets that fail in an instructive way."""
_INK_OF_PICTURES = (
    f"<style>svg {{ color: {INKS['light'].text} }} "
    f"@media (prefers-color-scheme: dark) {{ svg {{ color: {INKS['dark'].text} }} }}</style>"
)
"""A picture asks for the theme of the page around it, so that its ink changes where that does."""


def show() -> None:
    """Draw the page."""
    st.title("goldviz")
    st.markdown("##### Train a small network and look inside it while it learns.")
    _start_here()
    with st.container(horizontal=True, key="stories"):
        st.markdown("**Stories**", width="content")
        stories.links()
    with st.container(key="map"):
        for question, pages in chrome.by_question().items():
            st.subheader(question, anchor=False)
            for row in range(0, len(pages), 3):
                for column, page in zip(st.columns(3), pages[row : row + 3], strict=False):
                    with column:
                        _card(page)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _latest()
    with right:
        st.subheader("This machine", anchor=False)
        st.markdown(machine.sentence())


def _start_here() -> None:
    """One story, one experiment and one thing to break: the first of each."""
    page = chrome.laboratories()[0]
    experiment = laboratories()[page.path].declared
    slug, (_, story) = next(iter(all_stories().items()))
    broken_preset = next(preset for preset in experiment.presets if preset.name.startswith(BREAK))
    settings = {**controls.to_link(experiment.preset(broken_preset.slug)), lanes.PARAMETER: _example(broken_preset)}
    first, step = _example(experiment.presets[0]), {stories.PARAMETER: f"{slug}.1"}
    with st.container(horizontal=True, key="start-here"):
        st.markdown("**Start here**", width="content")
        for label, file, query in (
            (f"Follow a story: *{story.title}*", chrome.page_file(laboratories()[place(slug, 1)]), step),
            (f"Watch a network learn: *{experiment.title}*", page.file, {lanes.PARAMETER: first}),
            (f"Break one: *{broken_preset.name.removeprefix(BREAK)}*", page.file, settings),
        ):
            st.page_link(file, label=label, icon=":material/arrow_forward:", query_params=query)


def _example(preset: Preset) -> str:
    return lanes.EXAMPLE + preset.slug


def _card(page: chrome.Page) -> None:
    with st.container(border=True, height="stretch"):
        picture = _picture(page.path)
        if picture:
            st.image(picture.replace("><title>", f">{_INK_OF_PICTURES}<title>", 1), width="stretch")
        st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
        st.markdown(page.question)


@cache
def _picture(name: str) -> str:
    """The page's picture: a small SVG drawn from its first preset."""
    path = picture_path(laboratories()[name])
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _latest() -> None:
    st.subheader("Latest runs", anchor=False)
    try:
        latest, total = services.store().list(limit=LATEST)
        chrome.notices()
    except StoreError as error:
        st.error(plain(str(error)))
        return
    if not latest:
        st.caption("None yet. Open a laboratory and press Train.")
        return
    files = {page.path: page.file for page in chrome.laboratories()}
    for run in latest:
        word, colour, icon = STATES[run.status]
        with st.container(horizontal=True, vertical_alignment="center"):
            if run.experiment in files:
                st.page_link(files[run.experiment], label=plain(label_of(run)), query_params={lanes.OPEN: run.id})
            else:
                st.markdown(plain(label_of(run)), width="content")
            st.markdown(f":{colour}-badge[{icon} {word}] {age(run.created)}", width="content")
    if total > LATEST:
        st.page_link("pages/runs.py", label=f"All {total:,} runs", icon=":material/list:")
