"""Pieces, embeddings, order and context on *Inside BERT*, the mathematics with numbers, and what can be taken along."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from goldviz.data.texts.pieces import TextError
from goldviz.diagnostics.findings import times
from goldviz.export.report import report_html, told
from goldviz.labs.inside_bert import measures, tasks
from goldviz.labs.inside_bert.evidence import neighbours as nearest
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.embeddings import LENGTHS, pieces_table
from goldviz.labs.inside_bert.overview import composition as composed
from goldviz.labs.inside_bert.parts.state import (
    Look,
    ReadText,
    answered,
    awaited,
    complain,
    key_of,
    leave_link,
    link_of,
    model_named,
    reading_of,
    result_of,
    text_complaint,
)
from goldviz.labs.inside_bert.samples import OTHER_SENSES
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.labs.inside_bert.tasks import everything_seconds, neighbour_seconds, order_seconds
from goldviz.labs.inside_bert.word_order import order_and_pair, position_similarity, same_word, words_of_both
from goldviz.models.text.model import TextModelError
from goldviz.ui import whole_page
from goldviz.ui.panels.take_away import download
from goldviz.ui.words import plain

if TYPE_CHECKING:
    import xarray as xr

FINBERT_VOCABULARY = (
    "Document 001 gives V = 30,522, the vocabulary of bert-base. FinBERT by Yang et al. has its own, FinVocab, with "
    "30,873 pieces learned from financial texts."
)
LEAST_CHANGE = 0.01
SECOND, WORD = "context-sentence", "context-word"


def pieces_part(look: Look) -> None:
    """Pieces with their places in the text, embeddings, neighbours."""
    figure, near = st.columns([3, 2])
    with figure:
        look.figure(FIGURES["embeddings"], look.overview)
    with near:
        _near(look)
    table = st.expander("All pieces as a table", icon=":material/table:", key="table-of-pieces", on_change="rerun")
    if table.open:
        table.dataframe(
            pieces_table(look.overview, look.read.text),
            hide_index=True,
            height=360,
            column_config=dict.fromkeys(LENGTHS.values(), st.column_config.NumberColumn(format="%.3f")),
        )


@whole_page.drawn_alone
def _near(look: Look) -> None:
    """What is added up for one piece, and the vocabulary around it."""
    key, count = "neighbour-piece", len(look.read.pieces)
    if st.session_state.get(key, 0) not in range(1, count + 1):
        st.session_state[key] = min(int(st.session_state[key_of("token")]), count)
    look.piece_box("Piece", key)
    place = int(st.session_state[key])
    parts = result_of(look.read, ("composition", place), lambda: composed(look.reading, place))
    look.figure(FIGURES["composition"], parts, place)
    words = "Comparing the pieces of the vocabulary"
    ds = awaited(look.read.task(words, tasks.of_reading, nearest, place, cost=neighbour_seconds))
    if ds is None:
        return
    look.figure(FIGURES["neighbours"], ds, place)
    st.caption("Before any context: the same piece has the same neighbours in every text.")


def why(look: Look) -> None:
    """Document 001, section 4, with what it comes to here."""
    facts = look.overview.attrs
    width, inner, heads, layers = facts["width"], facts["inner"], facts["heads"], facts["layers"]
    count, vocabulary = len(look.read.pieces), facts["vocabulary"]
    words, numbers = st.columns(2)
    with words:
        st.markdown("Three embeddings are added and normalised (document 001, section 4.2.1):")
        st.latex(r"e_j^{(0)} = e_j^{tok} + e_j^{seg} + e_j^{pos}, \qquad X^{(0)} = \mathrm{LayerNorm}(E^{(0)})")
        st.markdown("Every layer lets pieces look at one another, then works on each alone (4.1.2, 4.1.3):")
        st.latex(r"\tilde X^{(\ell)} = \mathrm{LayerNorm}\big(X^{(\ell-1)} + \mathrm{MHSA}(X^{(\ell-1)})\big)")
        st.latex(r"X^{(\ell)} = \mathrm{LayerNorm}\big(\tilde X^{(\ell)} + \mathrm{FFN}(\tilde X^{(\ell)})\big)")
        st.markdown("A hidden word is guessed from both sides of it (4.2.2):")
        st.latex(r"P(t_j \mid \text{the other pieces}) = \mathrm{softmax}(W_{tok}^\top\, g(x_j^{(L)}) + b)")
    with numbers:
        block = 4 * width**2 + 2 * width * inner + 9 * width + inner
        tables = facts["encoder_parameters"] - layers * block
        st.markdown(
            f"N = {count} pieces, D = {width}, H = {heads} heads of d_k = {facts['head_width']}, L = {layers}. "
            f"A head's map has N² = {count**2:,} weights, all heads together {layers * heads * count**2:,}."
        )
        st.markdown(
            f"One layer has 4D² + 2DD_ff + 9D + D_ff = {block:,} parameters, of which attention takes "
            f"{4 * width**2 + 4 * width:,}; {layers} layers have {layers * block:,}. Embeddings have {tables:,}, "
            f"nearly all of them in the table of V = {vocabulary:,} pieces."
        )
        largest = measures.longest_state(look.overview)
        st.markdown(
            f"Scores are divided by √d_k = {facts['head_width'] ** 0.5:.2f}: two vectors with entries of variance 1 "
            "have a product of variance d_k. A softmax of such numbers would be nearly all or nothing. The longest "
            f"state here, over all layers, has length {largest:.1f}."
        )
        st.caption(
            f"{FINBERT_VOCABULARY} Section 4.2 says that the original encoder is not bidirectional; it is: Vaswani et "
            "al. 2017 mask the future in the decoder alone. What BERT adds is its training by hidden words. Section "
            "4.1.2 prints S = QᵀK with a softmax over columns; see “How that head got there”."
        )


@whole_page.drawn_alone
def take_along(look: Look) -> None:
    """The link, the head's map as CSV, one HTML file, and the lines that repeat it."""
    settings = look.now()
    layer, head, _ = look.place()
    _, left_out = link_of(settings)
    if left_out:
        names = " and ".join(name.replace("_", " ") for name in left_out)
        st.caption(
            f":material/link_off: The {names} is too long for a link: the address opens this page with the settings, "
            "but not with that text."
        )
    else:
        st.caption("The address in your browser is a link to this text, these models and this place in them.")
    with st.container(horizontal=True, gap="small"):
        table = f"goldviz-inside-bert-head-{layer}.{head}.csv"
        download(f"Head {layer}.{head} (CSV)", lambda: map_csv(look, layer, head), table, "csv-inside-bert")
        download("Report (HTML)", lambda: report(look, settings), "goldviz-inside-bert.html", "html-inside-bert")
    st.code(snippet(settings), language="python", wrap_lines=True)
    leave_link(settings)


def snippet(settings: InsideBert) -> str:
    """The lines that give the page's numbers in a notebook."""
    keywords = "".join(f",\n    {name}={value!r}" for name, value in settings.differences().items())
    return (
        f'import goldviz\n\nds = goldviz.compute(\n    "{settings.name}"{keywords},\n)\n'
        'ds.attention.sum("key")  # every query\'s weights sum to 1'
    )


def map_csv(look: Look, layer: int, head: int) -> str:
    """One head's weights as a table: a row for each query, a column for each key; pieces as they are."""
    # A cell begins with a number, so that no spreadsheet takes it for a formula.
    cells = [f"{place} {' '.join(token.split()) or '·'}" for place, token in enumerate(look.read.pieces.tokens, 1)]
    weights = look.reading.head(layer - 1, head - 1).weights
    table = pd.DataFrame(weights, index=pd.Index(cells, name="query"), columns=cells)
    return table.to_csv(float_format="%.7g", lineterminator="\n")


def report(look: Look, settings: InsideBert) -> str:
    """One HTML file of what is shown, without a connection to anywhere."""
    cost = partial(everything_seconds, steps=settings.steps)
    ds = answered(look.read.task("Writing the report", tasks.everything, settings.model_dump_json(), cost=cost))
    figures = [(spec, spec(ds, theme="light")) for spec in FIGURES.values() if spec.drawable(ds)]
    notes = [
        "Rows of every map are queries and sum to 1; document 001, section 4.1.2, writes queries as columns.",
        "Attention is not an explanation (Jain and Wallace 2019): compare it with the evidence.",
        *dict(look.read.model.notes).values(),
    ]
    titles = {"model": look.read.model.name}
    if settings.second_model:
        with suppress(TextModelError):
            titles["second_model"] = model_named(settings.second_model).name
    return report_html(f"Inside {look.read.model.name}", told(settings, titles), figures, notes)


def order_part(look: Look) -> None:
    """The map of positions, the same pieces in another order, and a pair of sentences where the text is one."""
    ds = awaited(look.read.task("Reading the pieces backwards", tasks.of_reading, order_and_pair, cost=order_seconds))
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
        "Add sentence B, or write [SEP] before it, to read two sentences as a pair. What follows is segment B, and "
        "this part shows what passes between the two."
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
