"""Text into tokens: a text merge by merge under two patterns, then vocabularies, languages, numbers and words."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from goldviz.data.texts.byte_pieces import BYTES
from goldviz.labs.text_tokens import LAB, figures, measures
from goldviz.labs.text_tokens.entries import learned_entries
from goldviz.labs.text_tokens.parts import source
from goldviz.labs.text_tokens.parts.stepper import stepper
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain

SECONDS = 1.0
"""About how long learning both tokenisers takes from a corpus, or with an expression that nobody knows."""
SECONDS_OF_A_BYTE = 6e-5
"""Of a text that is its own corpus; a merge takes about eight of its bytes."""
BYTES_OF_A_MERGE = 8
SECONDS_OF_SENTENCES = 0.018


def seconds(settings: TextTokens) -> float:
    """About how long the numbers take; a short text that is its own corpus takes least."""
    if settings.corpus != "own" or "own" in settings.patterns:
        return SECONDS
    length = len(settings.text.encode("utf-8", errors="replace"))
    bytes_merged = min(length, BYTES_OF_A_MERGE * (settings.vocabulary - BYTES))
    return SECONDS_OF_SENTENCES + SECONDS_OF_A_BYTE * bytes_merged


def look(view: View[TextTokens]) -> None:
    """The text under both tokenisers, and which text that is."""
    stepper(view.settings, view.dataset)
    source.show()
    for sentence in _fewer(view):
        st.caption(f":material/info: {plain(sentence)}")


def _fewer(view: View[TextTokens]) -> list[str]:
    """What is said where the text held fewer pairs than were asked for."""
    merges = view.settings.vocabulary - BYTES
    return [
        f"{name}: asked for {merges:,} merges, but after {count:,} no pair is found twice."
        for name, count in zip(figures.names(view.dataset), view.dataset.attrs["learned"], strict=True)
        if count < merges
    ]


def compression(view: View[TextTokens]) -> None:
    """How much shorter a text gets, and what the entries hold."""
    view.explain(figures.FIGURES["compression"], figures.FIGURES["entries"])


def fairness(view: View[TextTokens]) -> None:
    """What other languages and numbers cost."""
    view.explain(figures.FIGURES["languages"], figures.FIGURES["digits"])


NOT_TRAINED_ON = ("words", "code", "own")
"""Corpora that are for looking at tokens alone."""


def vocabulary(view: View[TextTokens]) -> None:
    """Every learned entry, and the way on: a network that reads such pieces, which it cuts as GPT-2 does."""
    settings = view.settings
    if "gpt2" in settings.patterns and settings.corpus not in NOT_TRAINED_ON:
        st.page_link(
            "pages/char_gpt.py",
            label="Train a GPT on pieces like these",
            icon=":material/arrow_forward:",
            query_params={"corpus": settings.corpus, "tokens": "pieces", "vocabulary": str(settings.vocabulary)},
        )
    names = figures.names(view.dataset)
    left, right = st.columns(2)
    for place, side in ((left, 0), (right, 1)):
        with place:
            st.markdown(f"**{plain(names[side])}**")
            st.dataframe(
                pd.DataFrame(learned_entries(view.dataset, side)), hide_index=True, width="stretch", height=320
            )


def why(view: View[TextTokens]) -> None:
    """Document 002, 2.1 and 2.2, with this vocabulary's numbers."""
    ds = view.dataset
    words, numbers = st.columns(2)
    with words:
        st.markdown("Byte-pair encoding (document 002, 2.1) begins with 256 bytes, so no text is unknown. Then it")
        st.markdown("1. counts every pair of neighbours,\n2. makes a token of the most frequent one,\n3. begins again.")
        st.latex(r"(a, b)^* = \arg\max_{(a, b)} \; \mathrm{count}(a\,b)")
        st.latex(r"a\,b \to z, \qquad |V| \to |V| + 1")
        st.markdown(
            "A new text is encoded by the same merges in the same order. The way back is easy: each token is its bytes."
        )
    with numbers:
        for name, expression in zip(figures.names(ds), ds.attrs["expressions"], strict=True):
            st.markdown(f"{plain(name)} cuts with")
            st.code(expression or "(nothing)", language=None, wrap_lines=True)
        first, second = (measures.PIECES[side](ds) for side in measures.SIDES)
        left, right = (measures.OWN_TOKENS[side](ds) for side in measures.SIDES)
        st.markdown(
            f"Your text is {ds.sizes['place']:,} bytes. They cut it into {first:,.0f} and {second:,.0f} pieces; "
            f"after all merges it is {left:,.0f} and {right:,.0f} tokens."
        )
        st.caption(
            "The document's expressions lost a space and a question mark in print. Its table says that GPT-2 keeps "
            "“dog.” whole; both patterns cut before the full stop."
        )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    seconds=seconds,
    parts=(
        Part("compression", "How short does it get?", compression),
        Part("languages", "What of other languages?", fairness),
        Part("entries", "What was learned?", vocabulary),
    ),
)
