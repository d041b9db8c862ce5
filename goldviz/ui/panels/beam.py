"""A sentence that a visitor asks for and how wide a beam search is, and its answers as a table."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from goldviz.models.text.decoding import Answer


def sentence_and_width(key: str, language: str, example: str, how: str) -> tuple[str, int]:
    """The sentence in a ``language``, and how many beginnings are kept at every step, as the visitor sets them."""
    sentence = st.text_input(
        "Sentence", example, key=f"{key}-{language}-sentence", max_chars=20_000, persist_state="session", help=how
    )
    width: int = st.slider(
        "Beam",
        1,
        8,
        4,
        key=f"{key}-beam",
        persist_state="session",
        help="So many beginnings are kept at every step. 1: the likeliest word alone, greedily.",
    )
    return sentence, width


def answers_table(greedy: Answer, beam: Iterable[Answer]) -> str:
    """The greedy answer and those of the beam in HTML: how likely each is, and its words, with dots where it did not
    end."""
    ways = [("greedy", greedy), *((f"beam {place}", answer) for place, answer in enumerate(beam, start=1))]
    rows = []
    for way, answer in ways:
        text = html.escape(" ".join(answer.words)) or "nothing"
        cells = (way, f"{answer.probability:.1%}", text if answer.ended else f"{text} …")
        rows.append("".join(f"<td style='padding:2px 12px 2px 0'>{cell}</td>" for cell in cells))
    return f"<div style='overflow-x:auto'><table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table></div>"
