"""How many claims hold, by document: one bar each, of the verdicts in their colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import xarray as xr

from goldviz.declare.claims import DOCUMENTS, IDENTITY, NOT_TESTED, Claim
from goldviz.figures.chart import axis, bars, drawn_of, figure
from goldviz.figures.marks import Series
from goldviz.figures.spec import FigureSpec

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
