"""The attention explorer: all heads at a glance, one head exactly, and lines between its tokens.

The browser fetches an exhibit's numbers from the server by HTTP (:mod:`goldviz.labs.inside_bert.queries`), draws them
on canvas, and tells the page only which layer, head and token were chosen.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st
import xarray as xr
from numpy import asarray, float32, ndarray, stack

from goldviz.figures.theme import INKS, Theme
from goldviz.labs.inside_bert import LAB, tasks
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.head import head_norms, head_steps, head_word_norms, ways_down
from goldviz.labs.inside_bert.maps import PLACES, word_texts
from goldviz.labs.inside_bert.measures import largest_weight
from goldviz.labs.inside_bert.parts.state import ReadText, answered, figure_text, result_of, subject_of
from goldviz.labs.inside_bert.queries import AttentionExhibit, By, Measure
from goldviz.ui.components import component
from goldviz.ui.serving.addresses import address
from goldviz.ui.serving.queries import EXHIBITS_PATH, shelf

if TYPE_CHECKING:
    from goldviz.labs.inside_bert.reading import TextReading

View = Literal["lines", "map"]
"""One head as lines between words, or as a map with exact cells."""

OVERLAY = ("#0e7ac0", "#d55e00", "#009e73", "#c46a9c", "#a77b1c", "#7a78d2")
"""Colours of heads that lie over one another."""
HEIGHT = 560
"""Of the drawings, in pixels."""
AHEAD = "inside-bert"
"""The page under whose name the browser keeps what it fetched ahead."""
WEIGHT = "weight"
"""The largest weight worked out, among what is fetched."""
STEPS = (FIGURES["scores"], FIGURES["mixing"])
Place = tuple[int, int, int]
"""Layer, head and piece, from 1."""

_component = component("attention_explorer", LAB.package, isolated=True)
_tokens: OrderedDict[tuple[str, str, int], str] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Choice:
    """A layer, a head and, where one was chosen, a piece of the text (a query); all counted from 0."""

    layer: int = 0
    head: int = 0
    token: int | None = None


def attention_explorer(
    exhibit_token: str,
    choice: Choice,
    *,
    key: str,
    theme: Theme = "light",
    on_choose: Callable[[Choice], None] = lambda choice: None,
    ahead: str = "",
    view: View = "map",
    by: By = "piece",
) -> None:
    """Show the exhibit that is kept under a token.

    ``choice`` holds until the visitor chooses, and again whenever it changes. ``on_choose`` hears of a choice before
    the page runs again. An exhibit that the server has let go makes the page run once more, so that it can put the
    exhibit up again: look whether the token is in ``goldviz.ui.serving.queries.shelf`` ahead of this call. What hangs
    on the choice is fetched at once for the figures of the page ``ahead``, which stand below. ``view`` and ``by`` are
    what it begins with: the visitor's switches hold from then on.
    """
    data = {
        "address": address(f"{EXHIBITS_PATH}/{exhibit_token}"),
        "exhibit": exhibit_token,
        "choice": asdict(choice),
        "height": HEIGHT,
        "theme": theme,
        "inks": {name: asdict(ink) for name, ink in INKS.items()},
        "ahead": ahead,
        "view": view,
        "by": by,
        "overlay": OVERLAY,
    }

    # A choice may reach an exhibit that was let go after it was shown: it is heard, and the next one begins with it.
    sizes = st.session_state[f"{key}-sizes"] = _sizes(exhibit_token) or st.session_state.get(f"{key}-sizes")

    def pass_on() -> None:
        choice = _chosen(st.session_state[key].get("choice"), exhibit_token, sizes)
        if choice is not None:
            on_choose(choice)

    # That there is a callback makes the page run again.
    _component(data=data, key=key, on_choice_change=pass_on, on_missing_change=lambda: None)


def _sizes(exhibit_token: str) -> tuple[str, int, int, int] | None:
    """The exhibit's token, and how many layers, heads and pieces there are to choose from."""
    exhibit = shelf.get(exhibit_token)
    if not isinstance(exhibit, AttentionExhibit):
        return None
    return exhibit_token, exhibit.layers, exhibit.heads, len(exhibit.tokens)


def _chosen(value: Any, exhibit_token: str, sizes: tuple[str, int, int, int] | None) -> Choice | None:
    """What the browser tells, as a choice in this exhibit; None for anything else, whoever wrote it."""
    if sizes is None or not isinstance(value, Mapping) or not value.get("exhibit") == exhibit_token == sizes[0]:
        return None
    _, layers, heads, tokens = sizes
    layer, head = _index(value.get("layer"), layers), _index(value.get("head"), heads)
    if layer is None or head is None:
        return None
    return Choice(layer, head, _index(value.get("token"), tokens))


def _index(value: Any, count: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count else None


def steps_of(read: ReadText, reading: TextReading, place: Place) -> xr.Dataset:
    """The steps of one head for one query; see :func:`goldviz.labs.inside_bert.head.head_steps`."""
    return result_of(read, ("steps", *place), lambda: head_steps(reading, *place))


def weight_by_hand(ds: xr.Dataset) -> dict[str, str]:
    """The largest weight of a query with all numbers that lead to it, each in words."""
    query, key, numbers = largest_weight(ds)
    words = {"asked": short_piece(query), "key": short_piece(key)}
    counts = {"width": str(ds.sizes["dimension"]), "keys": str(ds.sizes["piece"])}
    digits = {"weight": 4, "sum": 6}
    written = {name: f"{value:.{digits.get(name, 3)}f}".replace("-", "−") for name, value in numbers.items()}
    return words | counts | written


def ahead(read: ReadText, reading: TextReading, place: Place, theme: Theme) -> dict[str, Any]:
    """What hangs on the head in view, as the page's script would draw it: figures in JSON by name, and of whom."""
    ds = steps_of(read, reading, place)
    figures = {spec.name: figure_text(read, spec, ds, theme, *place) for spec in STEPS}
    layer, head, _ = place
    values = {WEIGHT: weight_by_hand(ds), "network": {"layer": layer, "head": head}}
    return {
        "subject": subject_of(read, *place),
        "figures": {**figures, **{name: json.dumps(words) for name, words in values.items()}},
    }


def exhibit_token(read: ReadText, reading: TextReading) -> str:
    """The secret token under which the browser fetches this reading; the same for everybody while it is kept."""
    with _lock:
        token = _tokens.get(read.key)
        if token is None or token not in shelf:
            token = _tokens[read.key] = shelf.put(exhibit(read, reading))
        for key in [key for key, old in _tokens.items() if old not in shelf]:
            del _tokens[key]
        return token


def exhibit(read: ReadText, reading: TextReading) -> AttentionExhibit:
    """The reading with its maps: raw weights, lengths of the weighted values (Kobayashi et al. 2020), and rollout."""
    pieces = reading.pieces

    def head(layer: int, number: int, measure: Measure) -> ndarray:
        if measure == "norms":
            return head_norms(reading, layer, number).astype(float32)
        if measure == "rollout":
            ways = read.task("Rolling the attention out", tasks.of_reading, ways_down)
            return asarray(answered(ways)["rolled"].values[layer], float32)
        return reading.head(layer, number).weights

    def word_norms(layer: int, number: int) -> ndarray:
        task = read.task("Summing the values of words", tasks.of_reading, head_word_norms, layer, number)
        return asarray(answered(task), float32)

    return AttentionExhibit(
        tokens=pieces.tokens,
        words=pieces.words,
        tiles=reading.tiles,
        summaries={name: reading.summaries[name] for name in ("entropy", "distance", "special", *PLACES)},
        head=head,
        word_norms=word_norms,
        word_texts=word_texts(read.text, pieces.words, pieces.offsets),
        ahead=lambda layer, number, token, theme: ahead(read, reading, (layer + 1, number + 1, token + 1), theme),
        vectors=lambda layer, number: stack(reading.head(layer, number)[:2]),
        ids=tuple(pieces.ids.tolist()),
        segments=pieces.segments,
        held_bytes=int(reading.hidden.numel() * 4 + 4 * len(reading.hidden) * len(pieces) ** 2),
    )
