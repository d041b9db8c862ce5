"""Which text is cut, and from which one merges are learned: fields on the page, and a file of the visitor's."""

from __future__ import annotations

import streamlit as st

from goldviz.data.tables.kept_labels import kept_label
from goldviz.data.texts.kept_texts import LARGEST_TEXT
from goldviz.data.texts.pieces import TextError
from goldviz.labs.text_tokens.settings import CORPORA, LONGEST_TEXT, TextTokens
from goldviz.labs.text_tokens.sources import MOST_CHARACTERS
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls
from goldviz.ui.texts.brought_text import kept_text
from goldviz.ui.words import plain

TEXT = controls.key_of(TextTokens, "text")
CORPUS = controls.key_of(TextTokens, "corpus")
CHOICE = "tokens-corpus"
FILE_LABEL = "Your file"


def show() -> None:
    """A field for the text, the corpora to choose from, and a way to bring a file."""
    box, read = st.columns([2, 1])
    with box:
        st.text_area(
            "Text to cut",
            key=TEXT,
            max_chars=LONGEST_TEXT,
            height=130,
            persist_state="session",
            help=controls.meaning(TextTokens, "text"),
        )
    with read:
        _choice()
        with st.popover("Learn from a file", icon=":material/upload_file:", width="stretch"):
            _upload()


def _choice() -> None:
    current = st.session_state[CORPUS]
    st.session_state[CHOICE] = current
    options = [*CORPORA] if current in CORPORA else [*CORPORA, current]
    st.selectbox(
        "Learn merges from",
        options,
        key=CHOICE,
        help=controls.meaning(TextTokens, "corpus"),
        format_func=lambda name: CORPORA.get(name) or kept_label(name) or FILE_LABEL,
        on_change=lambda: _use(st.session_state[CHOICE]),
    )


def _upload() -> None:
    st.caption(
        f"A plain text file (.txt), at most {LARGEST_TEXT / 1e6:.0f} MB; of a longer text the first "
        f"{MOST_CHARACTERS / 1e6:.0f} million characters are learned from. The file stays on this server; only you, "
        "and those to whom you give a link, can choose it."
    )
    file = st.file_uploader("Text file", type=["txt"], key="tokens-file")
    if file is None:
        return
    try:
        text = kept_text(file)
    except TextError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    if text is None:
        return
    for note in (f"{text.words:,} words were read.", *text.notes):
        st.caption(plain(note))
    st.button("Learn from this file", type="primary", key="tokens-use", on_click=_use, args=(text.name,))


def _use(name: str) -> None:
    st.session_state[CORPUS] = name
    visitors_data.bring_text(name)
