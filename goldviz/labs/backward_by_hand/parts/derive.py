"""A field for a gradient of one's own, judged while it is typed, and what a formula may be made of."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from goldviz.labs.backward_by_hand import LAB, figures
from goldviz.labs.backward_by_hand.evaluation import FUNCTIONS
from goldviz.labs.backward_by_hand.formulas import LONGEST
from goldviz.labs.backward_by_hand.graph import shape_of
from goldviz.labs.backward_by_hand.judging import AXES, found_before
from goldviz.labs.backward_by_hand.network import BACKWARD, Node, nodes
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.ui.components import component
from goldviz.ui.pages.instant import View
from goldviz.ui.serving.addresses import address
from goldviz.ui.serving.queries import QUERIES_PATH

KEY = "formula-field"
FIRST = "logits"
"""The gradient that a newcomer is asked for."""
NAMED = 4
"""Gradients found before that a hint names."""


_field = component("formula_field", LAB.package)


def derive(view: View[BackwardByHand]) -> None:
    """Ask for a gradient; the field's script asks the server how it compares with autograd's."""
    _field(data=field_data(view), key=KEY)
    _vocabulary(view)


def field_data(view: View[BackwardByHand]) -> dict[str, Any]:
    """What the field's script needs: where to ask, about which settings, and what can be asked for."""
    graph_nodes = nodes(view.settings.divisor)
    axes = sorted({dim for node in graph_nodes.values() for dim in node.dims})
    return {
        "address": address(f"{QUERIES_PATH}/{view.settings.name}"),
        "settings": view.subject,
        "longest": LONGEST,
        "first": FIRST,
        "labels": {dim: figures.plain_labels(view.dataset, dim) for dim in axes},
        "gradients": [
            {
                "name": name,
                "dims": graph_nodes[name].dims,
                "formula": graph_nodes[name].gradient,
                "hint": _hint(view, graph_nodes[name]),
            }
            for name in BACKWARD
        ],
    }


def _hint(view: View[BackwardByHand], node: Node) -> str:
    axes = " × ".join(AXES[dim] for dim in node.dims)
    before = found_before(node.name)
    names = f", {', '.join(before[:NAMED])}" if before else ""
    more = " and the gradients before" if len(before) > NAMED else ""
    shape = shape_of(view.dataset, node)
    return f"Expected shape: {shape} ({axes}). You have every tensor of the forward pass{names}{more}."


def _vocabulary(view: View[BackwardByHand]) -> None:
    with st.expander("What you can write", icon=":material/abc:"):
        ds = view.dataset
        sizes = ", ".join(f"{name} = {size}" for name, size in ds.attrs["sizes"].items())
        st.markdown(
            f"`+ - * /` entry by entry, `**` powers, `@` matrix product, `a.T`, brackets and numbers. Sizes: {sizes}; "
            "`eps` is 1e-5. `X` and `Y` hold places in the alphabet."
        )
        functions = [{"Function": function.usage, "Meaning": function.meaning} for function in FUNCTIONS.values()]
        tensors = [{"Tensor": one.name, "Shape": shape_of(ds, one)} for one in nodes(view.settings.divisor).values()]
        for place, rows in zip(st.columns([3, 2]), (functions, tensors), strict=True):
            place.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
