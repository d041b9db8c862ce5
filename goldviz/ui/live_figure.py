"""A Plotly figure that is updated in place.

``st.plotly_chart`` builds its chart anew at every change of its data, which loses the zoom and leaves blank frames.
This component hands the new figure to ``Plotly.react``, which changes what differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import streamlit as st

from goldviz.figures.theme import INKS
from goldviz.ui.server import PLOTLY_PATH, address
from goldviz.ui.theme import theme_now


def _asset(name: str) -> str:
    return (files("goldviz.ui") / "assets" / name).read_text(encoding="utf-8")


def script() -> str:
    """The component's script: its parts, one after another."""
    return "\n".join(_asset(f"{part}.js") for part in ("figure_fit", "live_figure"))


_component = st.components.v2.component(
    "goldviz_live_figure",
    html='<div class="goldviz-figure" role="img"></div>',
    css=_asset("live_figure.css"),
    js=script(),
    isolate_styles=False,
)


@cache
def _plotly_address() -> str:
    return address(f"{PLOTLY_PATH}?v={version('plotly')}")


Moved = Callable[[int, float, float], None]
"""Told which of a figure's movable shapes was dragged, counted from 0, and where to."""


def live_figure(figure_json: str, *, key: str, subject: str, description: str, on_moved: Moved | None = None) -> None:
    """Show a figure given as Plotly JSON.

    A zoom stays as long as ``subject``, what the figure is about, is the same; ``description`` is what a screen
    reader says. With ``on_moved`` every shape can be dragged, and it hears of those that are
    anchored at a point.
    """
    data: dict[str, Any] = {
        "figure": figure_json,
        "subject": subject,
        "description": description,
        "plotly": _plotly_address(),
        "movable": on_moved is not None,
        "theme": theme_now(),
        "inks": {theme: asdict(ink) for theme, ink in INKS.items()},
    }
    if on_moved is None:
        _component(data=data, key=key)
        return

    def pass_on() -> None:
        moved = st.session_state[key].get("moved")
        if moved:
            on_moved(int(moved["index"]), float(moved["x"]), float(moved["y"]))

    _component(data=data, key=key, on_moved_change=pass_on)
