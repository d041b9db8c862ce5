"""The explorer of *Inside BERT*, how the head in view got there, and what stands beside and around its weights.

One fragment: another head or piece draws this part again, and nothing else of the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from goldviz.labs.inside_bert import LAB, tasks
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.head import steps_table
from goldviz.labs.inside_bert.head import encoder_layer, without_special_pieces
from goldviz.labs.inside_bert.parts.evidence import words_that_matter
from goldviz.labs.inside_bert.parts.explorer import (
    AHEAD,
    STEPS,
    WEIGHT,
    Choice,
    attention_explorer,
    exhibit_token,
    steps_of,
    weight_by_hand,
)
from goldviz.labs.inside_bert.parts.state import Look, awaited, figure_text, key_of, leave_link, put, subject_of
from goldviz.labs.inside_bert.settings import CONVENTIONS
from goldviz.labs.inside_bert.tasks import layer_seconds
from goldviz.ui import whole_page
from goldviz.ui.components import component
from goldviz.ui.panels.live_figure import live_diagram
from goldviz.ui.theme import theme_now

PLACE = ("layer", "head", "token")
THREE_DIGITS = ("q·k", "q·k / √d_k", "‖v‖", "‖a v‖")

_weight = component("weight_by_hand", LAB.package)


@whole_page.drawn_alone
def show(look: Look) -> None:
    """The explorer, and how the head in view got to its weights."""
    put(dict(zip(PLACE, look.place(), strict=True)))
    layer, head, token = look.place()
    attention_explorer(
        exhibit_token(look.read, look.reading),
        Choice(layer - 1, head - 1, token - 1),
        key="attention-first",
        theme=theme_now(),
        on_choose=_choose,
        ahead=AHEAD,
        view="lines",
        by="word",
    )
    st.caption(
        "A weight says how much of a value is mixed in. It does not say that the piece mattered for the answer. "
        "Values may be short, and other heads and layers may undo this one's work. Evidence is measured otherwise "
        "(Jain and Wallace 2019; Wiegreffe and Pinter 2019)."
    )
    last_step = st.container(key="words-left-out")
    st.subheader("How that head got there", anchor=False)
    _pickers(look)
    _steps(look)
    _network(look)
    leave_link(look.now())
    with last_step:
        words_that_matter(look)


@whole_page.drawn_alone
def layer_and_beyond(look: Look) -> None:
    """What stands beside the raw weights of the head in view, and the whole layer around it."""
    put(dict(zip(PLACE, look.place(), strict=True)))
    _pickers(look)
    _beyond(look)
    _layer(look)
    leave_link(look.now())


def _choose(choice: Choice) -> None:
    put({"layer": choice.layer + 1, "head": choice.head + 1})
    if choice.token is not None:
        put({"token": choice.token + 1})


def _network(look: Look) -> None:
    """The diagram of the encoder with the head in view; choosing another one moves the page there.

    A head that the browser fetched ahead is in view before the page's script hears of it.
    """
    spec, theme = FIGURES["network"], theme_now()
    layer, head, _ = look.place()
    live_diagram(
        figure_text(look.read, spec, look.overview, theme),
        key="network-inside-bert",
        subject=str(look.read.key),
        description=spec.caption,
        choice={"layer": layer, "head": head},
        on_chosen=lambda place: _take_over(place, look.overview.attrs),
        ahead=AHEAD,
    )


def _take_over(place: Mapping[str, Any], most: Mapping[str, Any]) -> None:
    """A head that the model has; anything else that a browser may say is left alone."""
    choice = {name: place.get(name) for name in ("layer", "head")}
    if all(type(at) is int and 1 <= at <= most[f"{name}s"] for name, at in choice.items()):
        put(choice)


def _pickers(look: Look) -> None:
    """Layer, head and piece by keyboard: the same choice as in the explorer."""
    layer, head, token, convention = st.columns([1, 1, 2, 2])
    options: dict[str, Any] = {"persist_state": "session"}
    with layer:
        st.number_input("Layer", 1, look.overview.attrs["layers"], key=key_of("layer"), **options)
    with head:
        st.number_input("Head", 1, look.overview.attrs["heads"], key=key_of("head"), **options)
    with token:
        look.piece_box("Piece that asks", key_of("token"))
    with convention:
        st.selectbox(
            "Equations", list(CONVENTIONS), key=key_of("convention"), format_func=CONVENTIONS.__getitem__, **options
        )


def _steps(look: Look) -> None:
    place = look.place()
    ds = steps_of(look.read, look.reading, place)
    for column, spec in zip(st.columns(2), STEPS, strict=True):
        with column:
            look.figure(spec, ds, *place, ahead=AHEAD)
    equations, numbers = st.columns(2)
    with equations:
        _equations(look, st.session_state[key_of("convention")] == "rows")
    with numbers:
        # What the browser has fetched ahead for another subject takes the words' place.
        subject = subject_of(look.read, *place)
        data = {"words": weight_by_hand(ds), "page": AHEAD, "name": WEIGHT, "subject": subject}
        _weight(data=data, key="weight-by-hand")
    table = st.expander("All numbers of this query", icon=":material/table:", key="numbers-of-query", on_change="rerun")
    # What draws a table is a megabyte of script, which most visitors do not need.
    if table.open:
        table.dataframe(
            steps_table(ds),
            hide_index=True,
            height=320,
            column_config={
                "softmax a": st.column_config.NumberColumn(format="%.4f"),
                **{name: st.column_config.NumberColumn(format="%.3f") for name in THREE_DIGITS},
            },
        )


def _equations(look: Look, rows: bool) -> None:
    """Section 4.1.2 as code has it, or as document 001 has it."""
    width = look.overview.attrs["head_width"]
    root = rf"\sqrt{{d_k}} = \sqrt{{{width}}} = {math.sqrt(width):.2f}"
    if rows:
        st.markdown("A piece is a row, and so is a query's attention (document 001, section 4.1.2, transposed):")
        st.latex(r"Q_h = X^{(\ell-1)} W_{Q,h}^\top + b_{Q,h}, \quad K_h, V_h \text{ likewise}")
        st.latex(rf"S_h = \frac{{Q_h K_h^\top}}{{\sqrt{{d_k}}}}, \qquad {root}")
        st.latex(r"A_{h,ij} = \frac{e^{S_{h,ij}}}{\sum_m e^{S_{h,im}}}, \qquad \sum_j A_{h,ij} = 1")
        st.latex(r"Z_h = A_h V_h")
        st.latex(r"\mathrm{MHSA}(X) = [Z_1, \dots, Z_H]\, W_O^\top + b_O")
        return
    st.markdown("A piece is a column, and so is a query's attention (document 001, section 4.1.2):")
    st.latex(r"Q_h = W_{Q,h} X^{(\ell-1)}, \quad K_h = W_{K,h} X^{(\ell-1)}, \quad V_h = W_{V,h} X^{(\ell-1)}")
    st.latex(rf"S_h = \frac{{K_h^\top Q_h}}{{\sqrt{{d_k}}}}, \qquad {root}")
    st.latex(r"A_{h,ij} = \frac{e^{S_{h,ij}}}{\sum_m e^{S_{h,mj}}}, \qquad \sum_i A_{h,ij} = 1")
    st.latex(r"Z_h = V_h A_h")
    st.latex(r"\mathrm{MHSA}(X) = W_O\,\mathrm{Concat}(Z_1, \dots, Z_H)")
    st.caption(
        "The document prints S = QᵀK and normalises its columns. That would let each column share out over queries. "
        "Here S = KᵀQ, so that the sum V A weighs values by keys. It also leaves out the biases that BERT has."
    )


def _beyond(look: Look) -> None:
    """The query shared out by five measures, with or without special pieces."""
    st.toggle(
        "Hide special pieces",
        key=key_of("hide_special"),
        persist_state="session",
        help=("Leave [CLS], [SEP] and their like out, and scale the rest to sum to 1."),
    )
    place = look.place()
    ds = look.shares()
    if ds is None:
        return
    hidden = bool(st.session_state[key_of("hide_special")])
    pieces = without_special_pieces(ds) if hidden else ds
    look.figure(FIGURES["shares"], pieces, *place, hidden)
    st.caption(
        "Norms: the length of a f(x), weight times value through W_O (Kobayashi et al. 2020). A head may give half "
        "its weight to [SEP] and take next to nothing from it. Rollout and flow follow the heads' mean down through "
        "the layers. Half of each step goes through the residual path (Abnar and Zuidema 2020). All are scaled to "
        "sum to 1. All five ignore the feed-forward layers. The explorer draws the first, the second and the fourth "
        "as maps."
    )


def _layer(look: Look) -> None:
    """The diagram of the layer in view with its numbers, and what it does to every piece."""
    layer, _, token = look.place()
    st.subheader("The whole layer", anchor=False)
    words = "Following the pieces through the layer"
    ds = awaited(look.read.task(words, tasks.of_reading, encoder_layer, layer, token, cost=layer_seconds))
    if ds is None:
        return
    way, pieces = st.columns(2)
    with way:
        look.figure(FIGURES["layer"], ds, layer, token)
        look.figure(FIGURES["neurons"], ds, layer, token)
    with pieces:
        look.figure(FIGURES["layer_lengths"], ds, layer, token)
    st.caption(
        "A cosine near 0: the part writes something new. Above 0 it makes the state longer, below 0 shorter; the "
        "LayerNorm after it sets the length again. A neuron fires where its input is above 0 (document 001, sections "
        "4.1.2 and 4.1.3). The same feed-forward network reads every piece by itself: only attention carries anything "
        "from one to another."
    )
