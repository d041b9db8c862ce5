"""The glossary on pages: the first use of a term in a page's words explains it, and a page lists them all.

The browser marks terms (``assets/glossary.js``), so a page's script has nothing to do with it and words stay words.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

from goldviz.declare.glossary import Term, terms
from goldviz.declare.registry import laboratories
from goldviz.ui import chrome
from goldviz.ui.components import component
from goldviz.ui.serving.addresses import address
from goldviz.ui.words import plain

_component = component("glossary")


def explain() -> None:
    """Have the browser explain the terms of the page in view."""
    _component(data={"terms": _for_browser()}, key="glossary")


@cache
def _for_browser() -> list[dict[str, Any]]:
    return [
        {
            **vars(term),
            "slug": term.slug,
            "href": address(f"/{term.laboratory}"),
            "seen": _seen(term),
            "place": term.place,
        }
        for term in terms()
    ]


def _seen(term: Term) -> str:
    return laboratories()[term.laboratory].declared.title


def show() -> None:
    """The page that lists all terms."""
    st.title("Glossary")
    st.markdown("##### What the documents' words mean, each in two sentences.")
    query = st.text_input("Find a term", key="glossary-sought").casefold()
    with st.container(key="glossary-terms"):
        matches = [term for term in terms() if query in f"{term.name} {term.words}".casefold()]
        for left in range(0, len(matches), 2):
            for column, term in zip(st.columns(2, gap="small"), matches[left : left + 2], strict=False):
                with column:
                    _one(term)
        if not matches:
            st.caption("No term is like that.")


def _one(term: Term) -> None:
    with st.container(border=True, gap="xsmall", height="stretch"):
        st.markdown(f"**{plain(term.name)}**")
        st.markdown(f"{plain(term.words)}  \n*{plain(term.equation)}*")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(plain(term.place), width="content")
            st.page_link(chrome.page_file(laboratories()[term.laboratory]), label=f"Seen in {_seen(term)}")
