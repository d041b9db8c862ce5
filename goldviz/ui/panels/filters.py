"""Filters over a page's long list: by one of a few words with their counts, and by one of many, or all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

ALL = "all"


def one_word(label: str, words: Iterable[str], order: Sequence[str], *, key: str) -> str | None:
    """Which of these words is asked for, in this order, each with how often it stands in the list; None for any."""
    counts = Counter(words)
    return st.pills(
        label,
        [word for word in order if counts[word]],
        key=key,
        format_func=lambda word: f"{word} ({counts[word]})",
        persist_state="session",
    )


def one_or_all(
    place: DeltaGenerator, label: str, options: Iterable[str], *, key: str, words: Callable[[str], str] = str
) -> Callable[[str], bool]:
    """Whether a value is the one that is asked for, or any is."""
    choice = place.selectbox(label, [ALL, *options], key=key, format_func=words, persist_state="session")
    return lambda value: choice in (ALL, value)
