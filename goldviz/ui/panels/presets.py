"""The presets of anything that declares settings, as a menu."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.declare.settings import Settings, SettingsError
from goldviz.ui.panels import controls


def draw(declared: type[Settings], also: Callable[[str], None] = lambda slug: None) -> None:
    """The menu of presets, at the one that the knobs show; choosing one sets all knobs, and does ``also``."""
    by_slug = {preset.slug: preset for preset in declared.presets}
    state, stood, left = st.session_state, f"preset-stood-{declared.name}", f"presets-left-{declared.name}"

    def choose() -> None:
        slug = state[_key(declared, state.get(left, 0))]
        if slug not in (None, _matching(declared)):
            controls.put_preset(declared, slug)
            also(slug)
        if slug is not None:
            # The menu that somebody is using stays.
            state[stood] = slug

    # What somebody does right after a choice may interrupt the call that answers it, and it does not come again.
    if state.get(_key(declared, state.get(left, 0))) not in (None, state.get(stood)):
        choose()
    at = _matching(declared)
    # Until the browser hears that knobs have left a preset, it goes on telling that the menu stands there, with every
    # knob that is moved and every button that is pressed. Told of a menu that has gone, it is no choice.
    if state.get(stood) not in (None, at):
        state[left] = state.get(left, 0) + 1
    key = _key(declared, state.get(left, 0))
    state[key] = state[stood] = at

    st.selectbox(
        "Start from",
        list(by_slug),
        index=None,
        key=key,
        format_func=lambda slug: by_slug[slug].name,
        placeholder="Settings of your own",
        on_change=choose,
    )


def words(declared: type[Settings]) -> None:
    """What the preset is that the knobs show, if they show one."""
    slug = _matching(declared)
    if slug is not None:
        st.caption(next(preset.words for preset in declared.presets if preset.slug == slug))


def _key(declared: type[Settings], menus: int) -> str:
    return f"preset-{declared.name}-{menus}" if menus else f"preset-{declared.name}"


def _matching(declared: type[Settings]) -> str | None:
    try:
        settings = controls.current(declared)
    except SettingsError:
        return None
    preset = settings.like_preset()
    return preset.slug if preset else None
