"""Order, sentence pairs and one word in two sentences on *Inside BERT* (document 001, section 4.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from goldviz.data.texts.pieces import TextError
from goldviz.diagnostics.findings import times
from goldviz.labs.inside_bert import measures, tasks
from goldviz.labs.inside_bert.contextual import same_word, words_of_both
from goldviz.labs.inside_bert.costs import order_seconds
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.parts.readings import ReadText, reading_of, result_of
from goldviz.labs.inside_bert.parts.state import Look, awaited, complain, text_complaint
from goldviz.labs.inside_bert.samples import OTHER_SENSES
from goldviz.labs.inside_bert.word_order import order_and_pair, position_similarity
from goldviz.models.text.model import TextModelError
from goldviz.ui.words import plain

if TYPE_CHECKING:
    import xarray as xr

LEAST_CHANGE = 0.01
SECOND, WORD = "context-sentence", "context-word"


def order_part(look: Look) -> None:
    """The map of positions, the same pieces in another order, and a pair of sentences where the text is one."""
    words = "Reading the pieces backwards"
    ds = awaited(look.read.task(words, tasks.of_reading, order_and_pair, cost=order_seconds))
    if ds is None:
        return
    alike = result_of(look.read, ("positions",), lambda: position_similarity(look.reading))
    left, right = st.columns(2)
    with left:
        look.figure(FIGURES["positions"], alike)
    with right:
        look.figure(FIGURES["order"], ds)
        st.markdown(_what_order_did(ds))
    if "across" in ds:
        _pair(look, ds)
        return
    st.caption(
        "Write [SEP] between two sentences to read them as a pair. What follows is segment B, and this part shows "
        "what passes between the two."
    )


def _what_order_did(ds: xr.Dataset) -> str:
    """What reading the pieces backwards came to, with and without positions."""
    without = measures.most_moved_without_positions(ds)
    lead = (
        "Document 001 (4.2.1) calls self-attention permutation-invariant. It is equivariant: without positions no "
        f"state moves by more than {times(without)} of its length, which is rounding."
    )
    if "ordered_probability" not in ds:
        return lead
    return f"{lead} {tone_of_the_reversed(ds)}"


def tone_of_the_reversed(ds: xr.Dataset) -> str:
    """The class whose probability changes most when the text is read backwards with positions."""
    change = measures.changed_by_order(ds)
    if abs(change.by) < LEAST_CHANGE:
        return "With positions the states move, yet no class changes by a point when this text is read backwards."
    return (
        f"With positions, {plain(change.label)} goes from {100 * change.before:.0f} % to {100 * change.after:.0f} % "
        "when this text is read backwards."
    )


def _pair(look: Look, ds: xr.Dataset) -> None:
    """Sentence A and B: attention across, and what the segment embeddings change."""
    heads, words = st.columns([3, 2])
    with heads:
        look.figure(FIGURES["across"], ds)
    with words:
        distance = measures.moved_by_segments(ds)
        cosine = f"{ds.attrs['segment_cosine']:+.2f}".replace("-", "−")
        st.markdown(
            f"**A pair of sentences.** {ds.attrs['pieces_a']} pieces are segment A, {ds.attrs['pieces_b']} segment B. "
            f"The cosine of their two embeddings is {cosine}."
        )
        st.markdown(
            f"Read as one sentence, all of it segment A, a piece's last state would differ by {100 * distance:.0f} % "
            "of its length (median)."
        )
        st.markdown(_whether_b_follows(ds))


def _whether_b_follows(ds: xr.Dataset) -> str:
    """What a next-sentence head says of the pair, or why segment B may mean nothing here."""
    if "follows" in ds.attrs:
        return f"Its next-sentence head gives {100 * ds.attrs['follows']:.0f} % to B following A."
    return (
        "This model has no next-sentence head. One that learned from single sentences, as the one that ships, never "
        "saw segment B. Its row of the table stayed random, and what it changes here is noise. *Pre-training and "
        "fine-tuning* trains one with pairs."
    )


def contextual_part(look: Look) -> None:
    """The sentence beside the text in view, the word that stands in both, and the cosines of its vectors."""
    st.session_state.setdefault(SECOND, OTHER_SENSES)
    text = st.text_area("A second sentence with the same word", key=SECOND, height=80, persist_state="session")
    if complaint := text_complaint(text):
        complain(complaint)
        return
    try:
        other = ReadText.cut(look.read.named, text.strip())
    except (TextModelError, TextError) as error:
        complain(str(error))
        return
    words = words_of_both(look.read.pieces, look.read.text, other.pieces, other.text)
    if not words:
        st.info("The two have no word in common. Write one of the text's words into the second sentence.")
        return
    word = st.pills("Word", words, default=words[0], key=f"{WORD}-{'-'.join(words)}") or words[0]
    reading = reading_of(other, "Reading the second sentence")
    if reading is None:
        return
    ds = same_word(look.reading, look.read.text, reading, other.text, word)
    look.figure(FIGURES["word_cosine"], ds, *other.key, word)
    st.caption(
        "In a table of words each has one vector. Here it goes in with its place alone, and each layer mixes in what "
        "stands beside it (document 001, 4.2.1)."
    )
