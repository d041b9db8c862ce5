"""The words that changed, statement by statement: a row a document, with its tone and how sure the model is."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.policy_documents import compute
from goldviz.labs.policy_documents.figures.reading import in_view, tone_ink
from goldviz.labs.policy_documents.measures import DocumentRead
from goldviz.labs.policy_documents.parts.difference import marks
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.ui.theme import in_both_themes, theme_now

ROWS = 5
"""Documents of one kind up to the one in view."""
PASSAGES = 2
"""Changed passages of a document that are written out: those with most words."""
LONGEST = 64
"""Characters of a passage on each side of the change."""


@dataclass(frozen=True)
class Row:
    """A document of the timeline; ``changes`` are (what went, what came), and ``more`` counts those left out."""

    title: str
    day: str
    tone: float
    certainty: float
    changes: tuple[tuple[str, str], ...]
    more: int
    first: bool


def show_words(settings: PolicyDocuments, ds: Run) -> None:
    """What changed in the last statements of the kind in view, the latest on top."""
    rows = list(rows_of(settings, ds))
    st.markdown("**Which words changed?**")
    st.html(timeline_html(rows, theme_now()))
    st.caption(
        "Green: new words. Struck through: gone. Dot: the tone, red above 0 and blue below; fainter where the model is "
        "less sure."
    )


def rows_of(settings: PolicyDocuments, ds: Run) -> Iterator[Row]:
    """The document in view and those before it of its kind."""
    documents = settings.texts()
    place: int | None = in_view(ds, settings.document)
    for _ in range(ROWS):
        if place is None:
            return
        text, before = documents.texts[place], documents.previous(place)
        passages = [] if before is None else compute.passages_between(documents.texts[before].text, text.text)
        changes = [part for part in passages if part.changed]
        longest = sorted(changes, key=lambda part: -part.words)[:PASSAGES]
        old = "" if before is None else documents.texts[before].text
        read = DocumentRead.at(ds, place)
        yield Row(
            read.title,
            read.released.split()[0],
            read.tones[1],
            read.certainty,
            tuple(
                (_cut(old[slice(*part.before)]), _cut(text.text[slice(*part.after)]))
                for part in changes
                if part in longest
            ),
            len([part for part in changes if part not in longest]),
            before is None,
        )
        place = before


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rsplit(' ', 1)[0]} …"


def timeline_html(rows: list[Row], theme: Theme) -> str:
    """The rows as HTML, all text escaped; the first one is the document in view.

    >>> row = Row("<b>S</b>", "2024-01-03", 0.4, 0.9, (("rose", "fell"),), 2, False)
    >>> page = timeline_html([row], "light")
    >>> "<del>rose</del> <ins>fell</ins>" in page, "and 2 more" in page, "<b>" in page
    (True, True, False)
    """
    light, dark = INKS["light"], INKS["dark"]
    style = (
        ".goldviz-words { line-height: 1.5; }"
        ".goldviz-words i { display: inline-block; width: 11px; height: 11px; border-radius: 50%; }"
        ".goldviz-words p { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0 0.8rem; margin: 0;"
        " padding: 0.35rem 0.6rem; }"
        ".goldviz-words p { border-left: 3px solid; overflow-wrap: anywhere; }"
        ".goldviz-words ins { text-decoration: none; }"
        "@media (max-width: 640px) { .goldviz-words p { grid-template-columns: 1fr; } }"
    )
    rows_by_theme = in_both_themes(
        theme,
        lambda colour: (
            f".goldviz-words p {{ border-left-color: {colour(light.grid, dark.grid)}; }}"
            f".goldviz-words p:first-child {{ border-left-color: {colour(light.accent, dark.accent)};"
            f" background: {colour(light.surface, dark.surface)}; }}"
        ),
    )
    style += rows_by_theme + marks(".goldviz-words", theme)
    items = "".join(_item(row, theme) for row in rows)
    return f'<style>{style}</style><div class="goldviz-words">{items}</div>'


def _item(row: Row, theme: Theme) -> str:
    facts = [
        " ".join(f"<{mark}>{html.escape(text)}</{mark}>" for mark, text in (("del", went), ("ins", came)) if text)
        for went, came in row.changes
    ]
    if row.more:
        facts.append(f"and {row.more} more")
    nothing = "The first of its kind." if row.first else "Not a word."
    return (
        f'<p title="{html.escape(row.title, quote=True)}"><span>{_dot(row, theme)}{row.day}</span>'
        f"<span>{' · '.join(facts) or nothing}</span></p>"
    )


def _dot(row: Row, theme: Theme) -> str:
    if not isfinite(row.tone):
        return ""
    words = f"tone {row.tone:+.2f}, {row.certainty:.0%} sure".replace("-", "−")
    ink = tone_ink(row.tone, theme) or INKS[theme].muted
    style = f"background: {ink}; opacity: {row.certainty:.2f}"
    return f'<i role="img" aria-label="{words}" title="{words}" style="{style}"></i> '
