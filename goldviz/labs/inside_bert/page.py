"""Inside BERT: a text, every head's attention, what it is worth as evidence, and the mathematics with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from goldviz.data.texts.pieces import TextError
from goldviz.labs.inside_bert.overview import overview
from goldviz.labs.inside_bert.parts import compare, evidence, head, pieces, state
from goldviz.labs.inside_bert.parts import text as text_parts
from goldviz.labs.inside_bert.parts.state import ReadText
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.ui import chrome
from goldviz.ui.panels import parts, presets, take_away
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain


def show() -> None:
    """Draw the page."""
    link_complaints = state.arrive(PARTS)
    model, trouble = _model()
    with chrome.heading(InsideBert.title, InsideBert.question, beside=model.name if model else ""):
        presets.draw(InsideBert, lambda slug: state.show_what_is_beside())
    chrome.arrival(link_complaints)
    panel, looking = chrome.panel_and_figures()
    with looking:
        part = parts.strip(InsideBert.name, PARTS)
        text_parts.text_box()
    with panel:
        presets.words(InsideBert)
        tone = st.container(key="tone")
        text_parts.model_line(model, trouble)
        st.toggle("Set another text or model beside it", key=state.BESIDE, persist_state="session")
        if st.session_state[state.BESIDE]:
            text_parts.second_text_box()
        beside = st.container(key="beside")
    with looking:
        settings, read = _readable(trouble)
    with panel:
        text_parts.chunk_picker(read)
    with looking, st.container(key="first-look" if part.name == parts.FIRST else "closer-look"):
        look = _look(settings, read, "Reading the text")
        if look is None:
            text_parts.what_will_come(read)
            return
        part.draw(look)
        state.leave_link(look.now())
    with tone:
        evidence.tone_part(look)
    with beside:
        _what_differs(look)


def _model() -> tuple[TextModel | None, str]:
    """The model that is to read, or why it cannot."""
    try:
        return state.model_named(str(st.session_state[state.key_of("model")])), ""
    except TextModelError as error:
        return None, str(error)


def attention(look: state.Look) -> None:
    """Every head, how the one in view got to its weights, and the second text or model beside; where there is none, the
    panel says why."""
    head.show(look)
    second = _second_look(look)
    if isinstance(second, state.Look) and second is not look:
        compare.show(look, second)


def _readable(trouble: str) -> tuple[InsideBert, ReadText]:
    """What the controls ask for; where that cannot be read, the last that could, after saying why if it is not said."""
    chosen_settings, complaints = state.asked_for()
    if chosen_settings is not None:
        try:
            read = _cut(chosen_settings)
        except (TextModelError, TextError) as error:
            complaints = [str(error)]
        else:
            st.session_state[state.SHOWN] = chosen_settings.model_dump_json()
            return chosen_settings, read
    for sentence in complaints:
        if sentence != trouble:
            state.complain(sentence)
    st.caption("Shown below: the last text and model that could be read.")
    shown = st.session_state.get(state.SHOWN)
    for settings in (*([InsideBert.checked_json(shown)] if shown else []), InsideBert()):
        try:
            return settings, _cut(settings)
        except (TextModelError, TextError):
            continue
    st.stop()


def _cut(settings: InsideBert) -> ReadText:
    return ReadText.cut(settings.model, settings.text, settings.chunk, settings.sentence_b)


def _look(settings: InsideBert, read: ReadText, words: str) -> state.Look | None:
    """The reading of the chunk in view; None while it is made, which the page then shows."""
    reading = state.reading_of(read, words)
    if reading is None:
        return None
    return state.Look(settings, read, reading, state.result_of(read, ("overview",), lambda: overview(reading)))


def _what_differs(first: state.Look) -> None:
    """What a second text or model comes to, where it is asked for; or why it comes to nothing."""
    second = _second_look(first)
    if isinstance(second, str):
        st.error(plain(f"The second one cannot be shown. {second}"), icon=":material/block:")
    elif second is first:
        words = "Write a second text, or choose a second model, to compare it with the first."
        st.info(words, icon=":material/compare:")
    elif second is not None:
        compare.told(first, second)


def _second_look(first: state.Look) -> state.Look | str | None:
    """The second text, or the first by the second model; why it cannot be read; None where neither is asked for."""
    if not st.session_state[state.BESIDE]:
        return None
    text, model = (str(st.session_state[state.key_of(name)]) for name in ("second_text", "second_model"))
    changed = {"text": text, "sentence_b": ""} if text.strip() else {}
    try:
        read = _cut(first.settings.changed(model=model or first.settings.model, **changed))
    except (TextModelError, TextError) as error:
        return str(error)
    return first if read.key == first.read.key else _look(first.settings, read, "Reading the second text")


PARTS = (
    Part(parts.FIRST, "At a glance", attention),
    Part("beyond", "Beyond weights", head.layer_and_beyond),
    Part("evidence", "Evidence", evidence.evidence_part),
    Part("hidden", "Hidden word", evidence.masked_part),
    Part("pieces", "Pieces", pieces.pieces_part),
    Part("context", "Context", pieces.contextual_part),
    Part("order", "Word order", pieces.order_part),
    Part("why", "Why?", pieces.why),
    Part("take", take_away.TITLE, pieces.take_along),
)


@dataclass(frozen=True)
class InsideBertPage:
    """A page that is neither a live laboratory nor an instant one: its text is read in the panel."""

    show: Callable[[], None]

    def questions(self) -> Sequence[Part]:
        """What this page can open, in order."""
        return PARTS


PAGE = InsideBertPage(show)
