"""The presets of anything that declares settings, as a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from goldviz.declare.settings import Settings, SettingsError
from goldviz.ui import controls


def draw(declared: type[Settings], also: Callable[[str], None] = lambda slug: None) -> None:
    """The menu of presets, at the one that the knobs show; choosing one sets all knobs, and does ``also``."""
    by_slug = {preset.slug: preset for preset in declared.presets}
    key = f"preset-{declared.name}"
    st.session_state[key] = _matching(declared)
    drawn = f"{key}-knobs"

    def choose() -> None:
        slug = st.session_state[key]
        # Knobs that are moved quickly tell where the menu stood before they were: nobody has chosen that.
        if slug is not None and st.session_state[drawn] == _knobs(declared):
            controls.put_preset(declared, slug)
            also(slug)

    st.session_state[drawn] = _knobs(declared)

    st.selectbox(
        "Start from",
        list(by_slug),
        index=None,
        key=key,
        format_func=lambda slug: by_slug[slug].name,
        placeholder="Settings of your own",
        on_change=choose,
        persist_state="session",
    )


def words(declared: type[Settings]) -> None:
    """What the preset is that the knobs show, if they show one."""
    slug = _matching(declared)
    if slug is not None:
        st.caption(next(preset.words for preset in declared.presets if preset.slug == slug))


def _knobs(declared: type[Settings]) -> dict[str, Any]:
    keys = map(partial(controls.key_of, declared), declared.model_fields)
    return {key: st.session_state.get(key) for key in keys}


def _matching(declared: type[Settings]) -> str | None:
    try:
        settings = controls.current(declared)
    except SettingsError:
        return None
    preset = settings.like_preset()
    return preset.slug if preset else None
