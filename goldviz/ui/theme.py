"""The visitor's theme."""

from __future__ import annotations

from typing import Literal

import streamlit as st


def theme_now() -> Literal["light", "dark"]:
    """The theme that the visitor sees."""
    return "dark" if st.context.theme.type == "dark" else "light"
