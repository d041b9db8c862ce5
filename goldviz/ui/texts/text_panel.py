"""Which text a laboratory pre-trains on: the generated sentences, or a file of the visitor's own.

The setting that is declared with ``control="text"`` holds the text's name.
"""

from __future__ import annotations

import streamlit as st

from goldviz.data.texts.kept_texts import LARGEST_TEXT, keep_text, load_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.settings import Settings
from goldviz.ui import controls
from goldviz.ui.words import plain

GENERATED = "generated"
BEGINNING = 300
"""Characters of a text that are shown, so that one sees what was read."""


def show(declared: type[Settings]) -> None:
    """The line of the text that is read in pre-training, with a way to bring another."""
    setting = controls.controlled_by(declared, "text")
    if setting is None:
        return
    key = controls.key_of(declared, setting)
    with st.container(border=True, key="text-source"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_line(st.session_state[key]), width="stretch")
            with st.popover("Read a text of your own", icon=":material/upload_file:"):
                _upload(key)
            if st.session_state[key] != GENERATED:
                st.button(
                    "Generated sentences again", icon=":material/undo:", key="text-generated", on_click=_use,
                    args=(key, GENERATED),
                )  # fmt: skip
        for note in st.session_state.get(_notes_of(key), ()):
            st.caption(f":material/info: {plain(note)}")


def _line(name: str) -> str:
    """What is read next, in a line of Markdown; the text's own words are escaped."""
    if name == GENERATED:
        return ":material/auto_stories: Next run reads **generated sentences** on policy and markets."
    try:
        words, beginning = _described(name)
    except TextError as error:
        return f":material/error: {plain(str(error))}"
    return f":material/description: Next run reads **your text** of {words:,} words: “{plain(beginning)} …”"


@st.cache_data(max_entries=50, show_spinner=False)
def _described(name: str) -> tuple[int, str]:
    """How many words a kept text has, and how it begins."""
    text = load_text(name)
    return len(text.split()), " ".join(text[:BEGINNING].split())


def _upload(key: str) -> None:
    st.caption(
        f"A plain text file (.txt), at most {LARGEST_TEXT / 1e6:.0f} MB. Masked words are learned on its sentences; "
        "the tone is always learned on generated ones. The file stays on this server. A run that reads it names it, so "
        "whoever sees the run can see how the text begins and train on it."
    )
    file = st.file_uploader("Text file", type=["txt"], key="text-file")
    if file is None:
        return
    content = file.getvalue()
    try:
        kept = keep_text(content, file.name)
        words, beginning = _described(kept.name)
    except TextError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    st.markdown(f"**{words:,} words** were read. It begins:")
    st.caption(f"{plain(beginning)} …")
    for note in kept.notes:
        st.caption(f":material/info: {plain(note)}")
    st.button(
        "Read this text", type="primary", key="use-text", on_click=_use, args=(key, kept.name, kept.notes),
    )  # fmt: skip


def _use(key: str, name: str, notes: tuple[str, ...] = ()) -> None:
    st.session_state[key] = name
    st.session_state[_notes_of(key)] = notes


def _notes_of(key: str) -> str:
    return f"{key}-notes"
