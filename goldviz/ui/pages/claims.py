"""The page *Claims*: what the documents claim and what came of it, one line each, with a filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import streamlit as st
import xarray as xr

from goldviz.declare.claims import DOCUMENTS, IDENTITY, NOT_TESTED, Claim, claims
from goldviz.diagnostics.verdicts import WORDS
from goldviz.figures.chart import axis, bars, drawn_of, figure
from goldviz.figures.marks import Series
from goldviz.figures.spec import FigureSpec
from goldviz.ui import chrome
from goldviz.ui.panels import filters
from goldviz.ui.panels.claims import PARAMETER, badge
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.words import plain

BADGE_PX = 118
"""Wide enough for the longest verdict, so that all claims begin at one line."""

OWN = "our own questions"
LOOKS = (
    Series("holds", "holds", "#1a7f5a"),
    Series(IDENTITY, "holds by mathematics alone", "#8fb8a8"),
    Series("holds in part", "holds in part", "#c9822b", pattern="/"),
    Series("undecided", "undecided", "gap"),
    Series("does not hold", "does not hold", "#b3364b", pattern="x"),
    Series(NOT_TESTED, "not tested", "muted"),
)
"""From the best verdict to the worst; patterns tell them apart without colours."""


def show() -> None:
    """Draw the page."""
    st.title("Claims")
    st.markdown("##### What do the documents claim, and what came of it here?")
    numbers = counts(claims().values())
    drawn_figure(chart_of(numbers), numbers, key="claims-chart", subject="claims")
    filters, switch = st.columns([4, 1], vertical_alignment="bottom")
    with filters:
        matches = _filtered(list(claims().values()))
    with_numbers = switch.toggle("Show the numbers", key="claims-numbers")
    for claim in matches:
        if claim.kind != "question":
            _line(claim, with_numbers)
    questions = [claim for claim in matches if claim.kind == "question"]
    if questions:
        st.markdown("##### Questions of our own")
    for claim in questions:
        _line(claim, with_numbers)
    if not matches:
        st.caption("No claim is like that.")
    st.caption(
        "Nobody writes a verdict. A claim declares its settings, what is measured and where the line is. At least five "
        "seeds, markets or texts are measured, and the 95 % interval decides, with most of them on its side. What "
        "mathematics leaves no choice is called an identity. A link opens the laboratory, set up for the claim."
    )


def _filtered(all_claims: Sequence[Claim]) -> list[Claim]:
    word = filters.one_word(
        "Verdict", [claim.word for claim in all_claims], (*WORDS, IDENTITY, NOT_TESTED), key="claims-verdict"
    )
    left, right = st.columns(2)
    titles = {claim.lab.name: claim.lab.declared.title for claim in all_claims}
    documents = sorted({claim.document for claim in all_claims})
    names = {number: f"{number} · {DOCUMENTS[number]}" for number in documents}
    document = filters.one_or_all(
        left, "Document", documents, key="claims-document", words=lambda number: names.get(number, number)
    )
    lab = filters.one_or_all(
        right, "Laboratory", titles, key="claims-laboratory", words=lambda name: titles.get(name, name)
    )
    return [
        claim for claim in all_claims if word in (None, claim.word) and document(claim.document) and lab(claim.lab.name)
    ]


def _line(claim: Claim, numbers: bool) -> None:
    with st.container(key=f"claim-line-{claim.number}", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(badge(claim.word), width=BADGE_PX)
        st.page_link(
            chrome.page_file(claim.lab),
            label=f"**{claim.number}** {plain(claim.sentence)}",
            query_params={PARAMETER: claim.number},
        )
        st.caption(plain(claim.place), width="content")
    if numbers and claim.verdict:
        st.caption(plain(claim.verdict.numbers))


def counts(claims: Iterable[Claim]) -> xr.Dataset:
    """How many claims of each document (of our own questions, last) have each verdict, as ``claims``."""
    counted = Counter((_row(claim), claim.word) for claim in claims)
    rows = [row for row in (*map("document {}".format, DOCUMENTS), OWN) if any(row == one for one, _ in counted)]
    words = [look.entry for look in LOOKS]
    return xr.Dataset(
        {"claims": (("document", "verdict"), [[counted[row, word] for word in words] for row in rows])},
        coords={"document": rows, "verdict": words},
    )


def chart_of(numbers: xr.Dataset) -> FigureSpec:
    """The figure of :func:`counts`, with the verdicts that occur."""
    looks = tuple(look for look in LOOKS if int(numbers["claims"].sel(verdict=look.entry).sum()))
    return drawn_of(
        numbers,
        figure(
            "claims_by_document",
            "How many claims hold?",
            bars("claims", rows="document", by="verdict", looks=looks),
            x=axis("claims"),
            legend="above",
            layout={"barmode": "stack", "legend_traceorder": "normal"},
            height=120 + 34 * numbers.sizes["document"],
        ),
    )


def _row(claim: Claim) -> str:
    return OWN if claim.kind == "question" else f"document {claim.document}"
