"""The controls of settings: the essential ones in sight, all others under their headings."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from goldviz.declare.settings import Settings, SettingsError
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
    # Known by its key: it stays open where the panel above it gets longer or shorter.
    with st.expander("More settings", key=f"more-{settings_class.name}"):
        for heading, names in controls.groups(settings_class).items():
            in_sight = [name for name in names if name not in hidden]
            if in_sight:
                st.markdown(f"**{heading}**")
                controls.draw(settings_class, in_sight)
    pending_values.draw_field(settings_class.name)
    try:
        return controls.current(settings_class)
    except SettingsError as error:
        for sentence in error.sentences.values():
            st.error(plain(sentence), icon=":material/block:")
        return None
