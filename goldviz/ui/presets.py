"""The presets of anything that declares settings, in a row."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.declare.settings import Settings, SettingsError
from goldviz.ui import controls

KINDS = {"document": ":material/menu_book:", "break": ":material/bolt:", "fix": ":material/build:"}


def draw(declared: type[Settings], also: Callable[[str], None] = lambda slug: None) -> None:
    """The presets as pills, the one that the knobs show lit; choosing one sets all knobs, and does ``also``."""
    by_slug = {preset.slug: preset for preset in declared.presets}
    key = f"preset-{declared.name}"
    st.session_state[key] = _matching(declared)

    def choose() -> None:
        slug = st.session_state[key]
        if slug is not None:
            controls.put_preset(declared, slug)
            also(slug)

    st.pills(
        "Start from",
        list(by_slug),
        key=key,
        format_func=lambda slug: f"{KINDS[by_slug[slug].kind]} {by_slug[slug].name}",
        on_change=choose,
        persist_state="session",
    )
    chosen = st.session_state[key]
    if chosen in by_slug:
        st.caption(by_slug[chosen].words)


def _matching(declared: type[Settings]) -> str | None:
    try:
        settings = controls.current(declared)
    except SettingsError:
        return None
    preset = settings.like_preset()
    return preset.slug if preset else None
