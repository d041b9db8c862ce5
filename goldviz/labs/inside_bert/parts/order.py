"""Order and sentence pairs on *Inside BERT*: what positions and segments add (document 001, section 4.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from goldviz.diagnostics.findings import times
from goldviz.labs.inside_bert import measures, tasks
from goldviz.labs.inside_bert.costs import order_seconds
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.parts.state import Look, awaited
from goldviz.labs.inside_bert.word_order import order_and_pair, position_similarity
from goldviz.ui.words import plain

if TYPE_CHECKING:
    import xarray as xr

LEAST_CHANGE = 0.01


def order_part(look: Look) -> None:
    """The map of positions, the same pieces in another order, and a pair of sentences where the text is one."""
    seconds = order_seconds(look.read.model.encoder.shape, len(look.read.pieces))
    ds = awaited(
        look.read.task(tasks.of_reading, order_and_pair, seconds=seconds, words="Reading the pieces backwards")
    )
    if ds is None:
        return
    alike = look.result("positions", make=lambda: position_similarity(look.reading))
    left, right = st.columns(2)
    with left:
        look.figure("positions", FIGURES["positions"], alike, "Cosines between the position embeddings.")
    with right:
        look.figure("order", FIGURES["order"], ds, "How far states move when the pieces are read backwards.")
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
        look.figure("across", FIGURES["across"], ds, "The attention that passes between the two sentences.")
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
