"""The foot of a laboratory's page: the room after this one, and the story that leads through it."""

from __future__ import annotations

import streamlit as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.stories import Story, place, stories
from goldviz.ui import chrome
from goldviz.ui.panels import stories as stories_panel


def show(lab: Laboratory) -> None:
    """Draw it; while a story is told, the story has its own way on."""
    if stories_panel.at() is not None:
        return
    pages = chrome.laboratories()
    here = next((number for number, page in enumerate(pages) if page.path == lab.name), None)
    with st.container(key="onwards", horizontal=True, vertical_alignment="center"):
        if here is not None and len(pages) > 1:
            following = pages[(here + 1) % len(pages)]
            st.page_link(following.file, label=f"Next, **{following.room}**: {following.question}")
        for story in told_in(lab)[:1]:
            start = chrome.page_file(laboratories()[place(story.slug, 1)])
            label = f"Story, **{story.title}**: about {story.minutes} minutes"
            st.page_link(start, label=label, query_params={stories_panel.PARAMETER: f"{story.slug}.1"})


def told_in(lab: Laboratory) -> list[Story]:
    """The stories with a step in this laboratory, its own first."""
    found = [
        (home != lab.name, story)
        for home, story in stories().values()
        if any(place(story.slug, number) == lab.name for number in range(1, len(story.steps) + 1))
    ]
    return [story for _, story in sorted(found, key=lambda pair: pair[0])]
