"""A beam search that a visitor asks for: how wide the beam is, and its answers as rows of a table."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st


def beam_width(key: str) -> int:
    """How many beginnings are kept at every step, as the visitor sets it."""
    width: int = st.slider(
        "Beam",
        1,
        8,
        4,
        key=key,
        persist_state="session",
        help="So many beginnings are kept at every step. 1: the likeliest word alone, greedily.",
    )
    return width


def answer_row(way: str, words: Sequence[str], probability: float, *, ended: bool) -> str:
    """A row of HTML: how the answer was found, how likely it is, and its words, with dots where it did not end."""
    text = html.escape(" ".join(words)) or "nothing"
    cells = (way, f"{probability:.1%}", text if ended else f"{text} …")
    row = "".join(f"<td style='padding:2px 12px 2px 0'>{cell}</td>" for cell in cells)
    return f"<tr>{row}</tr>"
