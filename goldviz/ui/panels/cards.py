"""Cards that lead to pages: a picture, words, and all of the card is the link."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from goldviz.declare.registry import laboratories
from goldviz.runs.examples import picture_path
from goldviz.ui import chrome
from goldviz.ui.components import component
from goldviz.watching import example

_picture = component("picture")


def cards(pages: list[tuple[chrome.Page, str, str]], in_a_row: int) -> None:
    """A card for each page, with its link's words and those below, so many side by side."""
    for row in range(0, len(pages), in_a_row):
        for column, (page, link, words) in zip(st.columns(in_a_row), pages[row : row + in_a_row], strict=False):
            with column, st.container(border=True, height="stretch", key=f"door-{page.path}"):
                st.page_link(page.file, label=f"**{link}**")
                st.caption(words)
                if svg := picture_of(page.path):
                    _picture(data={"svg": svg}, key=f"picture-{page.path}")


@cache
def picture_of(path: str) -> str:
    """The picture of a laboratory's page, or of *Your network*; empty where it has none."""
    lab = laboratories().get(path)
    file: Path = picture_path(lab) if lab else example.PICTURE
    return file.read_text(encoding="utf-8") if file.is_file() else ""
