"""The attention explorer: all heads at a glance, one head exactly, and lines between its tokens.

The browser fetches an exhibit's numbers from the server by HTTP (:mod:`goldviz.labs.inside_bert.queries`), draws them
on canvas, and tells the page only which layer, head and token were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import streamlit as st
from plotly.colors import sequential

from goldviz.figures.theme import INKS, SEQUENTIAL, Theme
from goldviz.labs.inside_bert import LAB
from goldviz.labs.inside_bert.queries import AttentionExhibit, By
from goldviz.ui.components import component
from goldviz.ui.serving.addresses import address
from goldviz.ui.serving.queries import EXHIBITS_PATH, shelf

View = Literal["lines", "map"]
"""One head as lines between words, or as a map with exact cells."""

_component = component("attention_explorer", LAB.package, isolated=True)


@dataclass(frozen=True)
class Choice:
    """A layer, a head and, where one was chosen, a piece of the text (a query); all counted from 0."""

    layer: int = 0
    head: int = 0
    token: int | None = None


class Sizes(NamedTuple):
    """How many layers, heads and pieces there are to choose from in an exhibit."""

    exhibit: str
    layers: int
    heads: int
    tokens: int


def attention_explorer(
    exhibit_token: str,
    *,
    key: str,
    layer: int = 0,
    head: int = 0,
    token: int | None = None,
    height: int = 560,
    theme: Theme = "light",
    on_choose: Callable[[Choice], None] | None = None,
    ahead: str = "",
    view: View = "map",
    by: By = "piece",
) -> Choice:
    """Show the exhibit that is kept under a token, and return what is chosen in it.

    ``layer``, ``head`` and ``token`` (a piece) are chosen until the visitor chooses, and again whenever they change;
    ``height`` is that of the drawings, in pixels. ``on_choose`` hears of a choice before the page runs again. An
    exhibit that the server has let go makes the page run once more, so that it can put the exhibit up again: look
    whether the token is in ``goldviz.ui.serving.queries.shelf`` ahead of this call. What hangs on the choice is
    fetched at once for the figures of the page ``ahead``, which stand below. ``view`` and ``by`` are what it begins
    with: the visitor's switches hold from then on.
    """
    choice = Choice(layer, head, token)
    data = {
        "address": address(f"{EXHIBITS_PATH}/{exhibit_token}"),
        "exhibit": exhibit_token,
        "choice": asdict(choice),
        "height": height,
        "theme": theme,
        "inks": {name: asdict(ink) for name, ink in INKS.items()},
        "ahead": ahead,
        "view": view,
        "by": by,
        "colours": getattr(sequential, SEQUENTIAL),
    }

    # A choice may reach an exhibit that was let go after it was shown: it is heard, and the next one begins with it.
    sizes = st.session_state[f"{key}-sizes"] = _sizes(exhibit_token) or st.session_state.get(f"{key}-sizes")

    def pass_on() -> None:
        choice = _chosen(st.session_state[key].get("choice"), exhibit_token, sizes)
        if choice is not None and on_choose is not None:
            on_choose(choice)

    result = _component(data=data, key=key, on_choice_change=pass_on, on_missing_change=_run_again)
    choice_sent: Any = result.get("choice")
    selection = _chosen(choice_sent, exhibit_token, sizes)
    # A page that passes a choice on asks for something else from then on; a choice made before does not count.
    return choice if selection is None or choice_sent.get("asked") != asdict(choice) else selection


def _run_again() -> None:
    """A callback makes the page run again."""


def _sizes(exhibit_token: str) -> Sizes | None:
    exhibit = shelf.get(exhibit_token)
    if not isinstance(exhibit, AttentionExhibit):
        return None
    return Sizes(exhibit_token, exhibit.layers, exhibit.heads, len(exhibit.tokens))


def _chosen(value: Any, exhibit_token: str, sizes: Sizes | None) -> Choice | None:
    """What the browser tells, as a choice in this exhibit; None for anything else, whoever wrote it."""
    if sizes is None or sizes.exhibit != exhibit_token:
        return None
    if not isinstance(value, Mapping) or value.get("exhibit") != exhibit_token:
        return None
    layer, head = _index(value.get("layer"), sizes.layers), _index(value.get("head"), sizes.heads)
    if layer is None or head is None:
        return None
    return Choice(layer, head, _index(value.get("token"), sizes.tokens))


def _index(value: Any, count: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count else None
