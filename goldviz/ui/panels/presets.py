"""The presets of anything that declares settings, as a menu."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from goldviz.declare.settings import Settings, SettingsError
from goldviz.ui.panels import controls


def draw(settings_class: type[Settings], also: Callable[[str], None] = lambda slug: None) -> None:
    """The menu of presets, at the one that the knobs show; choosing one sets all knobs, and does ``also``."""
    by_slug = {preset.slug: preset for preset in settings_class.presets}
    state, last_key, left = (
        st.session_state,
        f"preset-stood-{settings_class.name}",
        f"presets-left-{settings_class.name}",
    )

    def choose() -> None:
        slug = state[_key(settings_class, state.get(left, 0))]
        if slug is None and state.get(last_key) is None:
            # A menu that has gone was heard of; the one that stands there is empty, and has no x.
            return
        # The menu's x is a way back to how the page arrives.
        slug = slug or settings_class.presets[0].slug
        if slug != _matching(settings_class):
            controls.put_preset(settings_class, slug)
            also(slug)
        # The menu that somebody is using stays.
        state[last_key] = slug

    # What somebody does right after a choice may interrupt the call that answers it, and it does not come again.
    if state.get(_key(settings_class, state.get(left, 0))) not in (None, state.get(last_key)):
        choose()
    at = _matching(settings_class)
    # Until the browser hears that knobs have left a preset, it goes on telling that the menu stands there, with every
    # knob that is moved and every button that is pressed. Told of a menu that has gone, it is no choice.
    if state.get(last_key) not in (None, at):
        state[left] = state.get(left, 0) + 1
    key = _key(settings_class, state.get(left, 0))
    state[key] = state[last_key] = at

    st.selectbox(
        "Start from",
        list(by_slug),
        index=None,
        key=key,
        format_func=lambda slug: by_slug[slug].name,
        placeholder="Settings of your own",
        on_change=choose,
    )


def words(settings_class: type[Settings]) -> None:
    """What the preset is that the knobs show, if they show one."""
    slug = _matching(settings_class)
    with st.container(key="preset-words"):
        if slug is not None:
            st.caption(next(preset.words for preset in settings_class.presets if preset.slug == slug))


def _key(settings_class: type[Settings], menus: int) -> str:
    return f"preset-{settings_class.name}-{menus}" if menus else f"preset-{settings_class.name}"


def _matching(settings_class: type[Settings]) -> str | None:
    try:
        settings = controls.current(settings_class)
    except SettingsError:
        return None
    preset = settings.like_preset()
    return preset.slug if preset else None
