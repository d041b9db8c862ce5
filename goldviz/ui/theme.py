"""The visitor's theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from goldviz.figures.theme import Theme


def theme_now() -> Literal["light", "dark"]:
    """The theme that the visitor sees."""
    return "dark" if st.context.theme.type == "dark" else "light"


def in_both_themes(theme: Theme, rules: Callable[[Callable[[str, str], str]], str]) -> str:
    """Rules whose colours follow the page's theme, also where that changes before the script runs again.

    ``rules`` are told how to choose between a light and a dark colour. An older browser has those of ``theme``.

    >>> in_both_themes("dark", lambda colour: f"ins {{ color: {colour('#000', '#fff')}; }}")
    'ins { color: #fff; } @supports (color: light-dark(red, red)) { ins { color: light-dark(#000, #fff); } }'
    """
    known = rules(lambda light, dark: dark if theme == "dark" else light)
    followed = rules(lambda light, dark: f"light-dark({light}, {dark})")
    return f"{known} @supports (color: light-dark(red, red)) {{ {followed} }}"
