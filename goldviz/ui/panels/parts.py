"""A page's questions: a strip on top opens one part at a time. What is closed is neither computed nor sent.

The address carries the open part (``?shown=why``), so that a link, a reload and a story's step come to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from goldviz.ui import address, chrome, whole_page
from goldviz.ui.components import asset

PARAMETER = "shown"
FIRST = "first"
"""The part with the figure that a page is about."""
CLOSER = "closer"
"""The part with another of its figures."""


@dataclass(frozen=True)
class Part:
    """One part of a page: its name in links, the few words on the strip, and what draws it.

    ``kept`` names a parameter of links in which the part keeps what was changed there; see :func:`keep`. ``shows``
    says whether the part is of use with a run of these settings, so that it stays open when one begins.
    """

    name: str
    question: str
    draw: Callable[..., None]
    kept: str = ""
    shows: Callable[[Any], bool] = lambda settings: False


def _opened(page: str) -> str:
    return f"parts-opened-{page}"


def _key(page: str) -> str:
    """The strip's key: another one each time that the server opens a part.

    With all that somebody does, the browser tells which part it has open. A message that it sent before it heard of an
    opening would undo that; about a strip that is not drawn any more nobody asks.
    """
    return f"part-{page}-{st.session_state.get(_opened(page), 0)}"


def _drawn_key(page: str) -> str:
    return f"part-drawn-{page}"


def open_part(page: str, name: str) -> None:
    """Open a part of a page, before its strip is drawn or in a callback."""
    whole_page.changed()
    if st.session_state.get(_key(page)) == name:
        return
    st.session_state.pop(_key(page), None)
    st.session_state[_opened(page)] = st.session_state.get(_opened(page), 0) + 1
    st.session_state[_key(page)] = name


def come_to_run(page: str, settings: object, *, last: bool) -> None:
    """Open the first part and say so, unless the open one shows a run of these settings; in a callback.

    Parts are about the ``last`` lane, figures about all.
    """
    part = st.session_state.get(_drawn_key(page))
    if part is None or part.name in (FIRST, CLOSER) or (last and part.shows(settings)):
        return
    open_part(page, FIRST)
    st.toast(f"The new run is shown here. Open *{part.question}* again when it has finished.")


def arrive(page: str, parts: Sequence[Part], name: str) -> list[str]:
    """Open the part that a link names; returns a sentence where there is none of that name. Without a name the open one
    stays, and the first is opened where the visitor came by Back."""
    if not name:
        if st.session_state.get(chrome.BACK):
            open_part(page, FIRST)
        return []
    if name not in (part.name for part in parts):
        questions = "; ".join(part.question for part in parts)
        return [f"In the link: this page has no part {name[:40]!r}; it has: {questions}"]
    open_part(page, name)
    return []


def to_link(page: str) -> dict[str, str]:
    """The open part as a link's parameter; nothing for the first."""
    name = st.session_state.get(_key(page), FIRST)
    return {} if name == FIRST else {PARAMETER: name}


def strip(page: str, parts: Sequence[Part]) -> Part:
    """Draw the strip, and keep the address a link to the open part, which is returned."""
    by_name = {part.name: part for part in parts}
    if st.session_state.setdefault(_key(page), FIRST) not in by_name:
        open_part(page, FIRST)
    with st.container(key="strip"):
        name = st.segmented_control(
            "Questions of this page",
            list(by_name),
            key=_key(page),
            required=True,
            wrap=False,
            width="stretch",
            format_func=lambda name: by_name[name].question,
            label_visibility="collapsed",
            persist_state="session",
        )
        part = st.session_state[_drawn_key(page)] = by_name[name or FIRST]
        st.html(asset("share.html"))
        # Heard by readers alone: the headings of the part come below it.
        st.html(f'<h2 class="goldviz-unseen">{escape(part.question)}</h2>')
    _keep_link(page)
    return part


def _keep_link(page: str) -> None:
    """A part is opened without the rest of the page, which keeps the address otherwise."""
    address.keep(PARAMETER, to_link(page).get(PARAMETER, ""))


def _kept_key(page: str, parameter: str) -> str:
    return f"kept-{page}-{parameter}"


def _given_key(page: str, parameter: str) -> str:
    return f"given-{page}-{parameter}"


def give(page: str, parts: Sequence[Part], parameters: dict[str, str]) -> None:
    """Hand what a link says of changes over to the parts that keep them, out of the link's ``parameters``."""
    for part in parts:
        text = parameters.pop(part.kept, "") if part.kept else ""
        if text:
            st.session_state[_given_key(page, part.kept)] = st.session_state[_kept_key(page, part.kept)] = text
        elif part.kept:
            st.session_state.pop(_kept_key(page, part.kept), None)


def given(page: str, parameter: str) -> str:
    """What a link brought for a part, told once; empty without."""
    return str(st.session_state.pop(_given_key(page, parameter), ""))


def keep(page: str, parameter: str, text: str) -> None:
    """Keep a part's changes in the address, at once; an empty text takes them out of it."""
    st.session_state[_kept_key(page, parameter)] = text
    address.keep(parameter, text)


def kept_to_link(page: str, parts: Sequence[Part]) -> dict[str, str]:
    """What the parts keep, as a link's parameters."""
    texts = {part.kept: st.session_state.get(_kept_key(page, part.kept), "") for part in parts if part.kept}
    return {parameter: text for parameter, text in texts.items() if text}
