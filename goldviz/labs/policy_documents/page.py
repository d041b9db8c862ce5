"""Policy documents: what changed between statements, and when a market could have known."""

from __future__ import annotations

import streamlit as st

from goldviz.figures.spec import FigureSpec
from goldviz.labs.policy_documents import LAB
from goldviz.labs.policy_documents.figures import FIGURES
from goldviz.labs.policy_documents.figures.reading import in_view
from goldviz.labs.policy_documents.figures.table import documents_table, nearest_table
from goldviz.labs.policy_documents.measures import DocumentRead, any_tone
from goldviz.labs.policy_documents.parts import change, market, panel, words
from goldviz.labs.policy_documents.parts.tables import TONE_MEANS, show_tones
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.plurals import how_many
from goldviz.ui.pages.instant import InstantPage, View
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain

DOCUMENT = st.column_config.TextColumn(pinned=True)
TONE = st.column_config.NumberColumn(format="%+.2f", help=f"P(positive) − P(negative). {TONE_MEANS}")
CHANGE = st.column_config.NumberColumn(format="%.4f", help="1 − cos with the one before.")
COSINE = st.column_config.NumberColumn(format="%.4f")
PIECES = st.column_config.NumberColumn(help="Each once, without special ones: those that the mean is over.")


def look(view: View[PolicyDocuments]) -> None:
    """The words that changed, statement by statement; tone and change over time; and the map."""
    settings = view.settings
    words.show_words(settings, view.dataset)
    left, right = st.columns(2)
    with left:
        view.explain(FIGURES["timeline"])
        if any_tone(view.dataset):
            st.caption(TONE_MEANS)
    with right:
        view.explain(FIGURES["map"], colour=settings.colour, map_kinds=settings.map_kinds)


def channels(view: View[PolicyDocuments]) -> None:
    """What can become a channel of the visitor's market."""
    with st.container(key="channels"):
        market.show(view.settings, view.dataset)


def nearest(view: View[PolicyDocuments]) -> None:
    """The tables of the documents nearest to the one in view, and of all."""
    settings = view.settings
    place = in_view(view.dataset, settings.document)
    st.markdown(f"**Which documents are nearest to {plain(DocumentRead.at(view.dataset, place).title)}?**")
    show_tones(nearest_table(view.dataset, settings.document), {"Document": DOCUMENT, "Tone": TONE, "Cosine": COSINE})
    st.caption(
        "Cosine of the angle between vectors: 1 is the same direction. Not shown here: that a model without training "
        "on likeness finds all policy texts alike; the order says more than the size."
    )
    st.markdown("**All documents**")
    show_tones(documents_table(view.dataset), {"Document": DOCUMENT, "Tone": TONE, "Change": CHANGE, "Pieces": PIECES})


def in_report(view: View[PolicyDocuments]) -> list[FigureSpec]:
    """Tone and change over time, and the map."""
    settings = view.settings
    map_as_seen = view.as_seen(FIGURES["map"], colour=settings.colour, map_kinds=settings.map_kinds)
    return [view.as_seen(FIGURES["timeline"]), map_as_seen]


def why(view: View[PolicyDocuments]) -> None:
    """Vectors of documents, their tone, change and map (document 001, section 4.2)."""
    ds = view.dataset
    place = in_view(ds, view.settings.document)
    formulas, numbers = st.columns(2)
    with formulas:
        st.markdown("A text of N pieces leaves the encoder as X of L, a vector for each piece (document 001, 4.1.1):")
        st.latex(
            r"\mathbf{v} = \frac{1}{N} \sum_{j=1}^{N} \mathbf{x}_j^{(L)} \quad\text{or}\quad "
            r"\mathbf{v} = \mathbf{x}_{[CLS]}^{(L)}"
        )
        st.markdown("The change from the document before of its kind, and the tone:")
        st.latex(r"c_k = 1 - \frac{\mathbf{v}_k \cdot \mathbf{v}_{k-1}}{\|\mathbf{v}_k\| \|\mathbf{v}_{k-1}\|}")
        st.latex(r"s_k = p_k(\text{pos}) - p_k(\text{neg})")
        st.caption(TONE_MEANS)
        st.markdown("The map: the directions U of largest variance of the fitted documents, with their mean m:")
        st.latex(r"\mathbf{z}_k = \mathbf{U}^\top (\mathbf{v}_k - \mathbf{m})")
    with numbers:
        document = DocumentRead.at(ds, place)
        st.markdown(
            plain(
                f"{document.title}: {document.words:,} words, N = {document.pieces:,} pieces without special ones, in "
                f"{how_many(document.chunks, 'chunk')}, a vector of D = "
                f"{ds.sizes['dimension']} numbers."
            )
        )
        st.markdown(
            "A long text is read in chunks that overlap. Each piece counts once, in the chunk in which it has "
            "context on both sides. Tone and [CLS] are means over the chunks, weighted by pieces."
        )
        st.markdown(
            plain(
                f"It was out on {document.released} UTC. A forecast made before that moment does not see it. "
                "What is known, in document 001's partial observations, holds texts as it holds prices."
            )
        )
        st.caption(
            "Neither document says how a text's pieces become one vector; mean and [CLS] are the two usual ways. The "
            "hour of release is this laboratory's addition."
        )


PAGE = InstantPage(
    LAB,
    look,
    why=why,
    source=panel.show,
    report=in_report,
    parts=(
        Part("changed", "Which words changed?", lambda view: change.show(view.settings, view.dataset)),
        Part("nearest", "Which are alike?", nearest),
        Part("channels", "Could a market have known?", channels),
    ),
    words_of_position=PolicyDocuments.document_in_words,
    seconds=panel.seconds_to_compute,
)
