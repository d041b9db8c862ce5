"""The difference of two texts as HTML: escaped, what came underlined, what went struck through, each with a number."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

import streamlit as st

from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.documents.difference import Passage
from goldviz.ui.theme import in_both_themes, theme_now

CONTEXT = 160
"""Characters around a change; of a longer stretch without one the middle is left out."""
LONGEST_CHANGE = 1_500
"""Characters around the left-out middle of a change, on each side."""
MOST_CHARACTERS = 40_000
"""Characters that are drawn at most; the rest is said to be left out."""
LEFT_OUT = " … "
COLOURS = {
    "came": ("#e2f3e6", "#123a22"),
    "came_ink": ("#0b5a2b", "#a5e3bb"),
    "went": ("#ececea", "#2c2f34"),
    "went_ink": ("#5c5a54", "#b4b2a9"),
}
"""On light paper and on dark; neither red nor blue: on this page these are the two signs of the tone."""


def show_difference(before: str, after: str, passages: Sequence[Passage], numbers: Mapping[int, int]) -> None:
    """Draw the later text with what changed; ``numbers`` gives passages the number that tables call them by."""
    body, left = difference_html(before, after, passages, numbers)
    st.html(
        "<style>.goldviz-difference { line-height: 1.6; overflow-wrap: anywhere; white-space: pre-line;"
        " max-height: 36rem; overflow-y: auto; }"
        f"{marks('.goldviz-difference', theme_now())}"
        ".goldviz-difference sup { font-weight: 600; }</style>"
        '<div class="goldviz-difference" role="region" tabindex="0" aria-label="Difference to the document before">'
        f"{body}</div>"
    )
    if left:
        st.caption(f"{left:,} further passages are not drawn.")


def marks(place: str, theme: Theme) -> str:
    """Rules for what came and what went in a place of the page."""
    return in_both_themes(
        theme,
        lambda colour: (
            f"{place} ins {{ background: {colour(*COLOURS['came'])}; color: {colour(*COLOURS['came_ink'])}; }}"
            f"{place} del {{ background: {colour(*COLOURS['went'])}; color: {colour(*COLOURS['went_ink'])}; }}"
        ),
    )


def difference_html(
    before: str, after: str, passages: Sequence[Passage], numbers: Mapping[int, int]
) -> tuple[str, int]:
    """The HTML, everything in it escaped, and how many passages did not fit in.

    >>> from goldviz.labs.policy_documents.documents.difference import text_difference
    >>> old, new = "<b>Rates</b> rose", "<b>Rates</b> fell"
    >>> difference_html(old, new, text_difference(old, new, least_between=1), {1: 1})[0]
    '&lt;b&gt;Rates&lt;/b&gt; <sup>1</sup><del>rose</del> <ins>fell</ins>'
    """
    parts: list[str] = []
    characters = place = 0
    for number, part in enumerate(passages):
        if characters > MOST_CHARACTERS:
            return _closer("".join(parts)), len(passages) - number
        gap = after[place : part.after[0]]
        parts.append(html.escape(gap))
        place = part.after[1]
        new, old = after[slice(*part.after)], before[slice(*part.before)]
        if part.changed:
            changes = [f"<del>{html.escape(_without_middle(old, LONGEST_CHANGE))}</del>"] if old else []
            changes += [f"<ins>{html.escape(_without_middle(new, LONGEST_CHANGE))}</ins>"] if new else []
            mark = f"<sup>{numbers[number]}</sup>" if number in numbers else ""
            space = " " if not new and not gap else ""
            parts.append(f"{space}{mark}{' '.join(changes)}")
        else:
            parts.append(html.escape(_shortened(new, first=number == 0, last=number == len(passages) - 1)))
        characters += len(parts[-1])
    return _closer("".join([*parts, html.escape(after[place:])])), 0


def _closer(sentence: str) -> str:
    """At most one empty line in a row."""
    return re.sub(r"\n[ \t]*(?:\n[ \t]*){2,}", "\n\n", sentence)


def _shortened(text: str, *, first: bool, last: bool) -> str:
    """A stretch without changes: its beginning and its end, or the one that has a change beside it."""
    short = _without_middle(text, CONTEXT)
    if short == text:
        return text
    start, _, end = short.partition(LEFT_OUT)
    if first:
        return f"{LEFT_OUT.lstrip()}{end}"
    return f"{start}{LEFT_OUT.rstrip()}" if last else short


def _without_middle(text: str, each_side: int) -> str:
    """A text, or where it is longer its beginning and its end."""
    if len(text) <= 2 * each_side + 40:
        return text
    start, end = text[:each_side].rsplit(" ", 1)[0], text[-each_side:].split(" ", 1)[-1]
    return f"{start}{LEFT_OUT}{end}"
