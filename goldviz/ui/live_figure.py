"""A Plotly figure that is updated in place.

``st.plotly_chart`` builds its chart anew at every change of its data, which loses the zoom and leaves blank frames.
This component hands the new figure to ``Plotly.react``, which changes what differs.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import streamlit as st

from goldviz.ui.server import PLOTLY_PATH


def _asset(name: str) -> str:
    return (files("goldviz.ui") / "assets" / name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "goldviz_live_figure",
    html='<div class="goldviz-figure" role="img"></div>',
    css=_asset("live_figure.css"),
    js=_asset("live_figure.js"),
    isolate_styles=False,
)


@cache
def _plotly_address() -> str:
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}{PLOTLY_PATH}?v={version('plotly')}"


def live_figure(figure_json: str, *, key: str, subject: str, description: str) -> None:
    """Show a figure given as Plotly JSON.

    A zoom stays as long as ``subject``, what the figure is about, is the same; ``description`` is what a screen
    reader says.
    """
    data: dict[str, Any] = {
        "figure": figure_json,
        "subject": subject,
        "description": description,
        "plotly": _plotly_address(),
    }
    _component(data=data, key=key)
