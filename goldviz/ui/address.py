"""The address in the browser: the one place that reads it, writes it, and keeps both sides at one.

A link to the page in view tells the server a new address, but the browser goes on showing the old one until the server
writes it; its next message would bring the old one back. So what was read is written at once, before anything is drawn
that could be pressed: from then on the server's address is the browser's, and only differences need to be written.

A part that is drawn alone may have been asked for while its page was still being drawn, by a browser that did not know
the whole address yet: so parts go by what was written, and not by what their message brings.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from goldviz.ui import chrome

STORY = "story"
"""The parameter of the frame around all pages: a page that leaves its own parameters leaves it alone."""
_SHORT = 40
_WRITTEN = "address-written"
"""In the session state: the address as it was last written."""


def take() -> None:
    """Read the address and whether it came by Back, and write it at once as it was understood."""
    complaints = []
    for name in st.query_params:
        values = st.query_params.get_all(name)
        if len(values) > 1:
            given = ", ".join(repr(value[:_SHORT]) for value in values[:4])
            complaints.append(f"In the link: {name[:_SHORT]} is given {len(values)} times, {given}; the last counts.")
    parameters = st.query_params.to_dict()
    context = get_script_run_ctx(suppress_warning=True)
    st.session_state[chrome.BACK] = context is not None and context.is_history_navigation
    _write(parameters)
    st.session_state[chrome.TWICE] = complaints


def of(parameter: str) -> str:
    """What the address says of one thing; empty where it says nothing."""
    return _now().get(parameter, "")


def of_page() -> dict[str, str]:
    """What the address says of the page in view: all but the story's step, which is the frame's."""
    return {name: text for name, text in _now().items() if name != STORY}


def leave(parameters: Mapping[str, str]) -> None:
    """Keep the address a link to what the page shows, and to the story's step that the frame shows."""
    wanted = {**parameters, **({STORY: step} if (step := of(STORY)) else {})}
    if _now() != wanted:
        _write(wanted)


def keep(parameter: str, text: str) -> None:
    """Keep one thing in the address where only a part of the page is drawn; an empty text takes it out."""
    if of(parameter) == text:
        return
    others = {name: said for name, said in _now().items() if name != parameter}
    _write({**others, **({parameter: text} if text else {})})


def _now() -> dict[str, str]:
    written: dict[str, str] | None = st.session_state.get(_WRITTEN)
    return st.query_params.to_dict() if written is None else written


def _write(parameters: dict[str, str]) -> None:
    st.query_params.from_dict(parameters)
    st.session_state[_WRITTEN] = parameters
