"""The controls of settings: the essential ones in sight, all others under their headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from goldviz.declare.setting_words import value_in_words
from goldviz.declare.settings import Settings, SettingsError, label
from goldviz.ui import pending_values
from goldviz.ui.panels import controls
from goldviz.ui.words import plain

Declared = TypeVar("Declared", bound=Settings)


def knobs(settings_class: type[Declared], left_out: str = "") -> Declared | None:
    """The settings' controls, without those that have no effect as the others stand. None after saying which setting is
    not allowed.

    The setting ``left_out`` has its control elsewhere.
    """
    hidden = {left_out, *controls.without_effect(settings_class)}
    controls.draw(settings_class, [name for name in controls.essential(settings_class) if name not in hidden])
    groups = controls.groups(settings_class)
    differing = _differing(settings_class, [name for names in groups.values() for name in names if name not in hidden])
    # Known by its key: it stays open where the panel above it gets longer or shorter.
    with st.expander(_title(len(differing)), key=f"more-{settings_class.name}"):
        for heading, names in groups.items():
            in_sight = [name for name in names if name not in hidden]
            if in_sight:
                st.markdown(f"**{heading}**")
                controls.draw(settings_class, in_sight)
    # Always there, so that what follows keeps its place in the page: a preset or a link may fold away much.
    with st.container(key="differing"):
        if differing:
            st.caption(plain(", ".join(f"{name} {value}" for name, value in differing.items())))
    pending_values.draw_field(settings_class.name)
    try:
        return controls.current(settings_class)
    except SettingsError as error:
        for sentence in error.sentences.values():
            st.error(plain(sentence), icon=":material/block:")
        return None


def _title(differing: int) -> str:
    """The expander's title: how many of the settings in it are not at their defaults.

    >>> _title(0), _title(1), _title(7)
    ('More settings', 'More settings, 1 differs', 'More settings, 7 differ')
    """
    return f"More settings, {differing} differ{'s' if differing == 1 else ''}" if differing else "More settings"


def _differing(settings_class: type[Settings], names: Sequence[str]) -> dict[str, str]:
    """Those of these settings that are not at their defaults, as the controls name them, with their values in words."""
    try:
        differences = controls.current(settings_class).differences()
    except SettingsError:
        return {}
    return {
        label(name): value_in_words(settings_class, name, differences[name]) for name in names if name in differences
    }
