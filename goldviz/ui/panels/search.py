"""The search: a field on the home page, and over any other page by the key "/"."""

from __future__ import annotations

import streamlit as st

from goldviz.ui import search_index
from goldviz.ui.components import component
from goldviz.ui.serving.addresses import address

_component = component("search")
_STATE = "search-state"
"""Of the session's state: what the widgets of the page that was chosen are set to, before they are drawn."""


def arrive() -> None:
    """Set the widgets of a page that was chosen."""
    st.session_state.update(st.session_state.pop(_STATE, {}))


def field() -> None:
    """Draw the field, and go where a person chose to go."""
    _draw(is_over=False)


def over_page() -> None:
    """Have the field ready over a page that has none of its own."""
    _draw(is_over=True)


def _draw(*, is_over: bool) -> None:
    data = {"address": address(search_index.path()), "isOver": is_over}
    chosen = _component(data=data, key="search", on_chosen_change=lambda: None).chosen
    # The list takes a second to make: nobody who only draws a page waits for it.
    if isinstance(chosen, int) and 0 <= chosen < len(entries := search_index.entries()):
        entry = entries[chosen]
        st.session_state[_STATE] = entry.state
        st.switch_page(entry.file, query_params=dict(entry.query))
