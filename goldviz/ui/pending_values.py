"""Settings that the server has set and that the browser has not heard of yet.

With all that somebody does, the browser tells where every control stands. Until the answer to a click on a preset has
come, that is where they stood before it. Taken at its word, a value that is typed meanwhile would undo the preset, and
the answer, when it comes, would set the typed value back in the browser.

A field that nobody sees holds how often controls were set. It comes back with every message, and as it is drawn after
all controls, whoever has it has them. Where an older count comes back, a control that stands where it stood before is
put where it was set, and one that stands elsewhere was moved since: it stays, and the browser is told so.

Where the server is too busy to begin with the choice of a preset before the next message comes, Streamlit makes one of
both, in which nothing tells whether a control was moved before the choice or after it. There the preset wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from goldviz.ui import whole_page


@dataclass(frozen=True)
class _Told:
    """The last setting of controls: which one it is, its values, and those that a browser may tell in ignorance."""

    count: int
    values: Mapping[str, Any]
    before: Mapping[str, tuple[Any, ...]]


def set_controls(name: str, values: Mapping[str, Any]) -> None:
    """Set the controls with these keys in the session state, all of settings of this name, before they are drawn."""
    whole_page.changed()
    state, last = st.session_state, _last(name)
    unheard = last is not None and state.get(_field(name)) != str(last.count)
    before = {}
    for key in values:
        earlier = (*last.before.get(key, ()), last.values.get(key)) if last is not None and unheard else ()
        before[key] = (*earlier, state[key]) if key in state else earlier
    state[_told(name)] = _Told(last.count + 1 if last else 1, values, before)
    state[_field(name)] = str(state[_told(name)].count)
    for key, value in values.items():
        state[key] = value


def catch_up(name: str) -> None:
    """Put the controls right where the browser told of them in ignorance: in a callback, or before they are drawn."""
    state, last = st.session_state, _last(name)
    if last is None or state.get(_field(name), str(last.count)) == str(last.count):
        return
    state[_field(name)] = str(last.count)
    for key, value in last.values.items():
        changed_by_visitor = key in state and state[key] not in last.before[key]
        state[key] = state[key] if changed_by_visitor else value


def draw_field(name: str) -> None:
    """The field that comes back with every message, out of sight: to be drawn after the controls."""
    last = _last(name)
    st.session_state[_field(name)] = str(last.count if last else 0)
    st.text_input("How often settings were set", key=_field(name), label_visibility="collapsed")


def _last(name: str) -> _Told | None:
    told_last: _Told | None = st.session_state.get(_told(name))
    return told_last


def _told(name: str) -> str:
    return f"told-{name}"


def _field(name: str) -> str:
    return f"unheard-{name}"
