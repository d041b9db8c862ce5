"""Figures that are updated in place, and what goes with those that follow a run: the timeline and the progress.

``st.plotly_chart`` builds its chart anew at every change of its data, which loses the zoom and leaves blank frames.
This component hands the new figure to ``Plotly.react``, which changes what differs. A figure of a run gets its frames
from the server by itself, so the page's script rests while the run grows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from goldviz.figures.theme import INKS
from goldviz.ui import frames
from goldviz.ui.frames_route import FRAMES_PATH
from goldviz.ui.server import PLOTLY_PATH, address
from goldviz.ui.theme import theme_now

PARTS = ("figure_fit", "figure_fill", "figure_draw", "frames_page")
"""The scripts that components share, in the order in which they build on one another."""

HEIGHT = 430
"""Pixels that are kept free for a figure that is still on its way."""


def _asset(name: str) -> str:
    return (files("goldviz.ui") / "assets" / name).read_text(encoding="utf-8")


def script(component: str) -> str:
    """A component's script: the shared ones as functions of its own, then its own."""
    shared = "\n".join(re.sub(r"^export ", "", _asset(f"{part}.js"), flags=re.MULTILINE) for part in PARTS)
    return f"{shared}\n{_asset(f'{component}.js')}"


_component = st.components.v2.component(
    "goldviz_live_figure",
    html='<div class="goldviz-figure" role="img"></div>',
    css=_asset("live_figure.css"),
    js=script("live_figure"),
    isolate_styles=False,
)
_timeline = st.components.v2.component(
    "goldviz_timeline",
    html='<div class="goldviz-timeline"><button type="button"></button><input type="range" min="1" value="1">'
    "<output></output></div>",
    js=script("timeline"),
    isolate_styles=False,
)
_progress = st.components.v2.component(
    "goldviz_progress",
    html='<div class="goldviz-progress" role="progressbar" aria-valuemin="0" aria-valuemax="100">'
    '<div class="goldviz-progress-words"></div><div class="goldviz-progress-room">'
    '<div class="goldviz-progress-done"></div></div></div>',
    js=script("progress"),
    isolate_styles=False,
)


@cache
def _plotly_address() -> str:
    return address(f"{PLOTLY_PATH}?v={version('plotly')}")


@dataclass(frozen=True)
class Source:
    """Where a page's figures get their frames from: its lanes under a token, and the name of its step in view."""

    offer: frames.Offer
    token: str

    @classmethod
    def of(cls, laboratory: str, lane_ids: list[str]) -> Source:
        """Offer these lanes to the visitor."""
        context = get_script_run_ctx(suppress_warning=True)
        offer = frames.Offer(laboratory, tuple(lane_ids), theme_now())
        return cls(offer, frames.boards.offer(context.session_id if context else "", offer))

    @property
    def address(self) -> str:
        """The address that the browser asks."""
        return address(f"{FRAMES_PATH}/{self.token}")


Moved = Callable[[int, float, float], None]
"""Told which of a figure's movable shapes was dragged, counted from 0, and where to."""


def _common(subject: str, description: str) -> dict[str, Any]:
    return {
        "subject": subject,
        "description": description,
        "plotly": _plotly_address(),
        "theme": theme_now(),
        "inks": {theme: asdict(ink) for theme, ink in INKS.items()},
    }


def live_figure(figure_json: str, *, key: str, subject: str, description: str, on_moved: Moved | None = None) -> None:
    """Show a figure given as Plotly JSON.

    A zoom stays as long as ``subject``, what the figure is about, is the same; ``description`` is what a screen
    reader says. With ``on_moved`` every shape can be dragged, and it hears of those that are
    anchored at a point.
    """
    data = {"figure": figure_json, "movable": on_moved is not None, **_common(subject, description)}
    if on_moved is None:
        _component(data=data, key=key)
        return

    def pass_on() -> None:
        moved = st.session_state[key].get("moved")
        if moved:
            on_moved(int(moved["index"]), float(moved["x"]), float(moved["y"]))

    _component(data=data, key=key, on_moved_change=pass_on)


def followed_figure(source: Source, lane_id: str, name: str, *, key: str, description: str) -> None:
    """Show one of a lane's figures, which follows the run and the step in view by itself."""
    where = {"address": source.address, "lane": lane_id, "name": name, "key": source.offer.laboratory}
    _component(data={"frames": where, "height": HEIGHT, **_common(lane_id, description)}, key=key)


def timeline(source: Source, noun: str, last: int, *, key: str) -> int | None:
    """The step in view of all lanes, up to ``last`` for now; None while it follows the run."""
    data = {
        "address": source.address, "lane": source.offer.lanes[0], "key": source.offer.laboratory, "noun": noun,
        "last": last, "step": st.session_state.get(key, {}).get("step"),
    }  # fmt: skip
    moved = _timeline(data=data, key=key, on_step_change=lambda: None)
    step: int | None = moved.step
    return step


def live_progress(source: Source, lane_id: str, share: float, words: str, sense: str) -> None:
    """How far a lane's run is; the page is drawn again where the run is no longer what ``sense`` says."""
    data = {"address": source.address, "lane": lane_id, "share": share, "words": words, "sense": sense}
    _progress(data=data, key=f"progress-{lane_id}", on_changed_change=lambda: None)
