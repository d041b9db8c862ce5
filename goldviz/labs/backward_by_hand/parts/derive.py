"""A field for a gradient of one's own: its verdict, where it is wrong, and what it may name."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from goldviz.labs.backward_by_hand import figures
from goldviz.labs.backward_by_hand.formulas import LONGEST
from goldviz.labs.backward_by_hand.judging import AXES, Verdict, found_before, judge
from goldviz.labs.backward_by_hand.network import BACKWARD, Node, nodes
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.labs.backward_by_hand.shapes import FUNCTIONS
from goldviz.ui import services
from goldviz.ui.instant_page import View
from goldviz.ui.live_figure import live_figure
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

FIRST = "logits"
"""The gradient that a newcomer is asked for."""


@st.fragment
def derive(view: View[BackwardByHand]) -> None:
    """Ask for one gradient, and compare what is typed with autograd."""
    st.subheader("Derive one yourself", anchor=False)
    known = nodes(view.settings.divisor)
    choosing, typing = st.columns([1, 3], vertical_alignment="bottom")
    with choosing:
        asked = st.selectbox("Gradient", BACKWARD, index=BACKWARD.index(FIRST), key="backward-asked",
                             persist_state="session", format_func=lambda name: f"d{name}")  # fmt: skip
    with typing:
        text = st.text_input(
            f"d{asked} =", key=f"backward-formula-{asked}", persist_state="session", max_chars=LONGEST,
            placeholder="a formula, such as h.T @ dlogits or sum(dh * bnraw, 0)",
        )  # fmt: skip
    st.caption(
        f"Expected shape: {figures.shape_of(view.dataset, known[asked])} "
        f"({' × '.join(AXES[dim] for dim in known[asked].dims)}). You have every tensor of the forward pass, and "
        f"{plain(', '.join(found_before(asked)[:4]) or 'no gradient yet')}"
        f"{' and the gradients before' if len(found_before(asked)) > 4 else ''}."
    )
    if text.strip():
        _say(view, asked, text, judge(view.settings, asked, text))
    _vocabulary(view, known[asked])


def _say(view: View[BackwardByHand], asked: str, text: str, verdict: Verdict) -> None:
    words = plain(verdict.words)
    match verdict.kind:
        case "equal":
            st.success(words, icon=":material/check:")
        case "unread":
            st.error(words, icon=":material/block:")
        case _:
            st.warning(words, icon=":material/difference:")
    if verdict.kind == "differs" and verdict.difference is not None:
        theme, values = theme_now(), verdict.difference.numpy()
        key = (view.settings.name, view.subject, asked, text, theme)
        drawn = services.figure_json(key, lambda: figures.difference_map(view.dataset, asked, values, theme=theme))
        live_figure(drawn, key=f"difference-{view.settings.name}", subject=f"{view.subject} {asked}",
                    description="Where your gradient differs from autograd's.")  # fmt: skip


def _vocabulary(view: View[BackwardByHand], node: Node) -> None:
    left, right = st.columns(2)
    with left, st.expander("What you can write", icon=":material/abc:"):
        ds = view.dataset
        sizes = ", ".join(f"{name} = {size}" for name, size in ds.attrs["sizes"].items())
        st.markdown(
            f"`+ - * /` entry by entry, `**` powers, `@` matrix product, `a.T`, brackets and numbers. Sizes: {sizes}; "
            "`eps` is 1e-5. `X` and `Y` hold places in the alphabet."
        )
        rows = [{"Function": known.usage, "Meaning": known.meaning} for known in FUNCTIONS.values()]
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        tensors = [
            {"Tensor": one.name, "Shape": figures.shape_of(ds, one)} for one in nodes(view.settings.divisor).values()
        ]
        st.dataframe(pd.DataFrame(tensors), hide_index=True, width="stretch")
    with right, st.expander("Show the formula", icon=":material/visibility:"):
        st.code(f"d{node.name} = {node.gradient}", language=None)
