"""Which text a laboratory reads, and which labelled texts it learns from: its own, or a file of the visitor's.

The setting that is declared with ``control="text"`` or ``control="labelled texts"`` holds the text's name; its
``labels`` name the laboratory's own texts, the default first. A laboratory with a module ``corpora`` says there, by
``own_corpus(text)``, what it cannot learn from, and makes a file shorter that is too large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

import streamlit as st

from goldviz.data.tables.kept_labels import kept_label
from goldviz.data.texts import labelled_files
from goldviz.data.texts.kept_texts import LARGEST_TEXT, load_text
from goldviz.data.texts.pieces import TextError
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Settings, facts
from goldviz.runs.jobs.brought_texts import LABELLED as READ_AS_LABELLED
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls
from goldviz.ui.texts.brought_text import kept_text
from goldviz.ui.visitors_data import LABELLED, TEXT
from goldviz.ui.words import plain

GENERATED = {"generated": "generated sentences"}
OF_SENTENCES = (
    f"A plain text file (.txt), at most {LARGEST_TEXT / 1e6:.0f} MB. Masked words are learned on its sentences; the "
    "tone is learned on labelled texts."
)
BEGINNING = 300
"""Characters of a text that are shown, so that one sees what was read."""


@dataclass(frozen=True)
class Source:
    """One of the visitor's texts: its ``control``, what keys of the page begin with, and its words."""

    control: str
    key: str
    invitation: str
    verb: str
    button: str
    seen: str
    bring: Callable[[str], None]


TEXT_TO_READ = Source(
    TEXT,
    "text",
    "Read a text of your own",
    "reads",
    "Read this text",
    "its numbers, its pieces, and what the network writes",
    visitors_data.bring_text,
)
TEXTS_TO_JUDGE = Source(
    LABELLED,
    "labelled",
    "Bring labelled texts of your own",
    "learns the classes of",
    "Learn these",
    "its numbers, its pieces, and the names of its classes",
    visitors_data.bring_labelled,
)


def show(settings_class: type[Settings]) -> None:
    """The lines of the text that is read and of the labelled texts, with ways to bring others."""
    for source in (TEXT_TO_READ, TEXTS_TO_JUDGE):
        setting = controls.controlled_by(settings_class, source.control)
        if setting is not None and setting not in controls.without_effect(settings_class):
            _show(settings_class, setting, source)


def _show(settings_class: type[Settings], setting: str, source: Source) -> None:
    key = controls.key_of(settings_class, setting)
    own = facts(settings_class, setting)["labels"] or GENERATED
    first = next(iter(own))
    with st.container(border=True, key=f"{source.key}-source"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_line(st.session_state[key], own, source.verb), width="stretch")
            if len(own) > 1:
                _choice(key, own, source)
            with st.popover(source.invitation, icon=":material/upload_file:"):
                _upload(settings_class, key, source)
            if st.session_state[key] not in own:
                st.button(
                    f"{own[first].capitalize()} again",
                    icon=":material/undo:",
                    key=f"{source.key}-generated",
                    on_click=_use,
                    args=(key, source, first),
                )
        refusal = visitors_data.refusal(settings_class) if source is TEXT_TO_READ else ""
        if refusal:
            st.caption(f":material/block: {plain(refusal)} This page reads a text of its own.")
        for note in st.session_state.get(_notes_of(key), ()):
            st.caption(f":material/info: {plain(note)}")


def _choice(key: str, own: Mapping[str, str], source: Source) -> None:
    """Buttons for the laboratory's own texts."""
    choice, key_of_own = st.session_state[key], f"{key}-own"
    st.session_state[key_of_own] = choice if choice in own else None
    st.pills(
        "Text",
        list(own),
        key=key_of_own,
        format_func=own.__getitem__,
        label_visibility="collapsed",
        on_change=lambda: _use(key, source, st.session_state[key_of_own] or choice),
    )


def _line(name: str, own: Mapping[str, str], verb: str) -> str:
    """What is read next, in a line of Markdown; the text's own words are escaped."""
    if name in own:
        more = " on policy and markets" if own is GENERATED else ""
        return f":material/auto_stories: Next run {verb} **{own[name]}**{more}."
    try:
        words, beginning = _described(name)
    except TextError as error:
        return f":material/error: {plain(str(error))}"
    file = plain(kept_label(name)) or "your text"
    return f":material/description: Next run {verb} **{file}**, {words:,} words: “{plain(beginning)} …”"


@st.cache_data(max_entries=50, show_spinner=False)
def _described(name: str) -> tuple[int, str]:
    """How many words a kept text has, and how it begins."""
    text = load_text(name)
    return len(text.split()), " ".join(text[:BEGINNING].split())


def _upload(settings_class: type[Settings], key: str, source: Source) -> None:
    reader: str = READ_AS_LABELLED
    about: ModuleType | None = labelled_files
    if source is TEXT_TO_READ:
        lab = laboratory_of(settings_class)
        reader, about = (lab.name, lab.part("corpora")) if lab.has("corpora") else ("", None)
    st.caption(
        f"{_what_a_file_is(about)} The file stays on this server; only you, and those to whom you give a link, can "
        f"choose it. Others see a run that reads it: {source.seen}."
    )
    file = st.file_uploader("File", type=list(getattr(about, "ENDINGS", ("txt",))), key=f"{source.key}-file")
    if file is None:
        return
    try:
        text = kept_text(file, reader)
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
        source.button,
        type="primary",
        key=f"use-{source.key}",
        on_click=_use,
        args=(key, source, text.name, text.notes),
    )


def _what_a_file_is(about: ModuleType | None) -> str:
    return OF_SENTENCES if about is None else str(about.WHAT_A_FILE_IS)


def _use(key: str, source: Source, name: str, notes: tuple[str, ...] = ()) -> None:
    st.session_state[key] = name
    source.bring(name)
    st.session_state[_notes_of(key)] = notes


def _notes_of(key: str) -> str:
    return f"{key}-notes"
