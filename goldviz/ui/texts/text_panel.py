"""Which text a laboratory reads: one of its own, such as generated sentences, or a file of the visitor's.

The setting that is declared with ``control="text"`` holds the text's name; its ``labels`` name the laboratory's own
texts, the default first. A laboratory with a module ``corpora`` says there, by ``own_corpus(text)``, what it cannot
learn from, and makes a file shorter that is too large.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from goldviz.data.tables.kept_labels import kept_label
from goldviz.data.texts.kept_texts import LARGEST_TEXT, load_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Settings, facts
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls
from goldviz.ui.texts.brought_text import kept_text
from goldviz.ui.words import plain

GENERATED = {"generated": "generated sentences"}
OF_SENTENCES = (
    f"A plain text file (.txt), at most {LARGEST_TEXT / 1e6:.0f} MB. Masked words are learned on its sentences; the "
    "tone is always learned on generated ones."
)
BEGINNING = 300
"""Characters of a text that are shown, so that one sees what was read."""


def show(settings_class: type[Settings]) -> None:
    """The line of the text that is read in pre-training, with a way to bring another."""
    setting = controls.controlled_by(settings_class, "text")
    if setting is None:
        return
    key = controls.key_of(settings_class, setting)
    own = facts(settings_class, setting)["labels"] or GENERATED
    first = next(iter(own))
    with st.container(border=True, key="text-source"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_line(st.session_state[key], own), width="stretch")
            if len(own) > 1:
                _choice(key, own)
            with st.popover("Read a text of your own", icon=":material/upload_file:"):
                _upload(settings_class, key)
            if st.session_state[key] not in own:
                st.button(
                    f"{own[first].capitalize()} again",
                    icon=":material/undo:",
                    key="text-generated",
                    on_click=_use,
                    args=(key, first),
                )
        refusal = visitors_data.refusal(settings_class)
        if refusal:
            st.caption(f":material/block: {plain(refusal)} This page reads a text of its own.")
        for note in st.session_state.get(_notes_of(key), ()):
            st.caption(f":material/info: {plain(note)}")


def _choice(key: str, own: Mapping[str, str]) -> None:
    """Buttons for the laboratory's own texts."""
    choice, key_of_own = st.session_state[key], f"{key}-own"
    st.session_state[key_of_own] = choice if choice in own else None
    st.pills(
        "Text",
        list(own),
        key=key_of_own,
        format_func=own.__getitem__,
        label_visibility="collapsed",
        on_change=lambda: _use(key, st.session_state[key_of_own] or choice),
    )


def _line(name: str, own: Mapping[str, str]) -> str:
    """What is read next, in a line of Markdown; the text's own words are escaped."""
    if name in own:
        more = " on policy and markets" if own is GENERATED else ""
        return f":material/auto_stories: Next run reads **{own[name]}**{more}."
    try:
        words, beginning = _described(name)
    except TextError as error:
        return f":material/error: {plain(str(error))}"
    file = plain(kept_label(name)) or "your text"
    return f":material/description: Next run reads **{file}**, {words:,} words: “{plain(beginning)} …”"


@st.cache_data(max_entries=50, show_spinner=False)
def _described(name: str) -> tuple[int, str]:
    """How many words a kept text has, and how it begins."""
    text = load_text(name)
    return len(text.split()), " ".join(text[:BEGINNING].split())


def _upload(settings_class: type[Settings], key: str) -> None:
    lab = laboratory_of(settings_class)
    corpora = lab.part("corpora") if lab.has("corpora") else None
    what = OF_SENTENCES if corpora is None else corpora.WHAT_A_FILE_IS
    st.caption(
        f"{what} The file stays on this server; only you, and those to whom you give a link, can choose it. Others see "
        "a run that reads it: its numbers, its pieces, and what the network writes."
    )
    file = st.file_uploader("Text file", type=list(getattr(corpora, "ENDINGS", ("txt",))), key="text-file")
    if file is None:
        return
    try:
        text = kept_text(file, "" if corpora is None else lab.name)
        if text is None:
            return
        words, beginning = _described(text.name)
    except TextError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    st.markdown(f"**{words:,} words** were read. It begins:")
    st.caption(f"{plain(beginning)} …")
    for note in text.notes:
        st.caption(f":material/info: {plain(note)}")
    st.button(
        "Read this text",
        type="primary",
        key="use-text",
        on_click=_use,
        args=(key, text.name, text.notes),
    )


def _use(key: str, name: str, notes: tuple[str, ...] = ()) -> None:
    st.session_state[key] = name
    visitors_data.bring_text(name)
    st.session_state[_notes_of(key)] = notes


def _notes_of(key: str) -> str:
    return f"{key}-notes"
