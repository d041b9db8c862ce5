"""Pieces and embeddings on *Inside BERT*, the mathematics with this text's numbers, and what can be taken along."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from goldviz.export.report import report_html, told
from goldviz.labs.inside_bert import measures, tasks
from goldviz.labs.inside_bert.costs import everything_seconds, neighbour_seconds
from goldviz.labs.inside_bert.evidence import neighbours as nearest
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.text import LENGTHS, pieces_table
from goldviz.labs.inside_bert.overview import composition as composed
from goldviz.labs.inside_bert.parts.readings import answered, model_named, result_of
from goldviz.labs.inside_bert.parts.state import Look, awaited, key_of, leave_link, link_of
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.models.text.model import TextModelError
from goldviz.ui import whole_page
from goldviz.ui.panels.take_away import download

FINBERT_VOCABULARY = (
    "Document 001 gives V = 30,522, the vocabulary of bert-base. FinBERT by Yang et al. has its own, FinVocab, with "
    "30,873 pieces learned from financial texts."
)


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
    tokens = look.pieces()
    key = "neighbour-piece"
    if st.session_state.get(key, 0) not in range(1, len(tokens) + 1):
        st.session_state[key] = min(int(st.session_state[key_of("token")]), len(tokens))
    st.selectbox(
        "Piece",
        range(1, len(tokens) + 1),
        key=key,
        persist_state="session",
        format_func=lambda place: f"{place}: {tokens[place - 1]}",
    )
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
    place = (min(settings.layer, look.overview.attrs["layers"]), min(settings.head, look.overview.attrs["heads"]))
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
        place_name = f"{place[0]}.{place[1]}"
        table = f"goldviz-inside-bert-head-{place_name}.csv"
        download(f"Head {place_name} (CSV)", lambda: map_csv(look, *place), table, "csv-inside-bert")
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
