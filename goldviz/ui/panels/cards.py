"""Cards that lead to pages: a picture, words, and all of the card is the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from goldviz.declare.registry import laboratories
from goldviz.runs.examples import picture_path
from goldviz.ui import chrome
from goldviz.ui.components import component
from goldviz.watching import example

_picture = component("picture")


@dataclass(frozen=True)
class Card:
    """A card: its own name on the page, where it leads to, its link's words and those below, and its picture as SVG."""

    name: str
    file: str
    link: str
    words: str
    picture: str = ""
    query: Mapping[str, str] = field(default_factory=dict)


def card_of(page: chrome.Page, link: str, words: str) -> Card:
    """A card that leads to a page, with the page's own picture."""
    return Card(page.path, page.file, link, words, picture_of(page.path))


def cards(ones: Sequence[Card], in_a_row: int) -> list[DeltaGenerator]:
    """The cards, so many side by side; what is written into the returned places stands below each."""
    below = []
    for row in range(0, len(ones), in_a_row):
        for column, card in zip(st.columns(in_a_row), ones[row : row + in_a_row], strict=False):
            with column, st.container(border=True, height="stretch", key=f"door-{card.name}"):
                st.page_link(card.file, label=f"**{card.link}**", query_params=card.query or None)
                st.caption(card.words)
                if card.picture:
                    _picture(data={"svg": card.picture}, key=f"picture-{card.name}")
            below.append(column)
    return below


@cache
def picture_of(path: str) -> str:
    """The picture of a laboratory's page, or of *Your network*; empty where it has none."""
    lab = laboratories().get(path)
    file: Path = picture_path(lab) if lab else example.PICTURE
    return file.read_text(encoding="utf-8") if file.is_file() else ""
