"""Figures that are updated in place, and what goes with those that follow a run or a position: timeline and progress.

``st.plotly_chart`` builds its chart anew at every change of its data, which loses the zoom and leaves blank frames.
This component hands the new figure to ``Plotly.react``, which changes what differs. A figure of a run gets its frames
from the server by itself, so the page's script rests while the run grows. A figure of an instant page gets what it
shows at all positions along with the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast
from urllib.parse import quote

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import inks
from goldviz.ui.components import component
from goldviz.ui.panels import lanes
from goldviz.ui.serving import frames, services
from goldviz.ui.serving.addresses import address, plotly_address
from goldviz.ui.serving.frames_route import FRAMES_PATH
from goldviz.ui.serving.queries import QUERIES_PATH
from goldviz.ui.theme import theme_now

HEIGHT = 430
"""Pixels that are kept free for a figure that is still on its way."""

_HEARD = "heard"


_SLIDER = '<button type="button"></button><input type="range" min="1" value="1"><output></output>'


_component = component("live_figure", html='<div class="goldviz-figure" role="figure"></div>')
_diagram = component("diagram", html='<div class="goldviz-diagram" role="figure"></div>')
_timeline = component("timeline", html=f'<div class="goldviz-timeline">{_SLIDER}</div>')
_position_slider = component(
    "position_slider",
    script="timeline",
    html=f'<div class="goldviz-position"></div><div class="goldviz-timeline">{_SLIDER}</div>',
)
_positions = component("positions")
_ahead = component("ahead")
_progress = component(
    "progress",
    html='<div class="goldviz-progress" role="progressbar" aria-valuemin="0" aria-valuemax="100">'
    '<div class="goldviz-progress-words"></div><div class="goldviz-progress-room">'
    '<div class="goldviz-progress-done"></div></div></div>',
)


@dataclass(frozen=True)
class Source:
    """Where a page's figures get their frames from: its lanes under a token, and the name of its step in view."""

    offer: frames.Offer
    token: str

    @classmethod
    def of(cls, laboratory: str, lane_ids: list[str], *, asked: str = "") -> Source:
        """Offer these lanes to the visitor, with figures of the layers that were ``asked`` for."""
        context = get_script_run_ctx(suppress_warning=True)
        offer = frames.Offer(laboratory, tuple(lane_ids), theme_now(), lanes.keys_of(lane_ids), asked)
        return cls(offer, frames.boards.offer(context.session_id if context else "", offer))

    @property
    def address(self) -> str:
        """The address that the browser asks."""
        return address(f"{FRAMES_PATH}/{self.token}")

    def about(self, lane_id: str) -> str:
        """Where questions about one of the lanes are answered: :func:`goldviz.ui.serving.frames.answer_about`."""
        return f"{self.address}/{quote(lane_id, safe='')}"


@dataclass(frozen=True)
class Place:
    """Where on an instant page a figure stands: the page, what its figures are of, its name, and the position drawn.

    ``state`` says what was drawn, where a zoom outlasts it.
    """

    page: str
    lane: str
    name: str
    position: int
    state: str | None = None


@dataclass(frozen=True)
class Sketch:
    """A line of a figure that the visitor may draw while it is hidden: the guess's name, the line's, and who hears of
    what was drawn, as ``{"points": [[x, y], ...]}``; it comes from a browser and may be anything."""

    guess: str
    line: str
    open: bool
    on_drawn: Callable[[Any], None]


@dataclass(frozen=True)
class Asks:
    """What a figure asks when a shape was moved: where, and about what; it adds the moves themselves."""

    address: str
    about: Mapping[str, Any]


Moved = Callable[[int, float, float], None]
"""Told which of a figure's movable shapes was dragged, counted from 0, and where to."""


@dataclass(frozen=True)
class Hand:
    """A hand that drags shapes: who hears where to, what it asks meanwhile, and shapes where the figure has none."""

    on_moved: Moved
    asks: Asks | None = None
    handles: Sequence[Mapping[str, Any]] = ()


def _common(subject: str, description: str) -> dict[str, Any]:
    return {
        "subject": subject,
        "description": description,
        "plotly": plotly_address(),
        "theme": theme_now(),
        "inks": inks(),
    }


def live_figure(
    figure_json: str,
    *,
    key: str,
    subject: str,
    description: str,
    on_moved: Moved | None = None,
    place: Place | None = None,
    asks: Asks | None = None,
) -> None:
    """Show a figure given as Plotly JSON.

    A zoom stays as long as ``subject``, what the figure is about, is the same; ``description`` is what a screen
    reader says. With ``on_moved`` every shape can be dragged, and it hears of those that are
    anchored at a point. With a ``place`` it follows the page's position as soon as :func:`send_positions` has sent it,
    and shows what came ahead of the page's script; with ``asks`` it asks for that when a shape was moved.
    """
    data = {"figure": figure_json, **_common(subject, description)}
    _show_to_hand(data, key, place, None if on_moved is None else Hand(on_moved, asks))


def _show_to_hand(data: dict[str, Any], key: str, place: Place | None, hand: Hand | None) -> None:
    data |= {
        "movable": hand is not None,
        "place": place and asdict(place),
        "asks": hand and hand.asks and asdict(hand.asks),
    }
    if hand is None:
        _component(data=data, key=key)
        return

    def pass_on() -> None:
        step = st.session_state[key].get("moved")
        if step:
            hand.on_moved(int(step["index"]), float(step["x"]), float(step["y"]))

    _component(data=data | {"handles": list(hand.handles)}, key=key, on_moved_change=pass_on)


def drawn_figure(spec: FigureSpec, *what: Any, key: str, subject: str, version: object = "", **view: Any) -> None:
    """Show a figure that follows nothing by itself, drawn of ``what`` in this ``view``.

    It is drawn once for everybody who asks with the same key, ``subject`` and view; a ``version`` tells apart what was
    drawn of the subject before.
    """
    theme = theme_now()
    figure = services.figure_json(
        (key, subject, str(version), str(view), theme), lambda: spec.draw(*what, theme=theme, **view)
    )
    live_figure(figure, key=key, subject=subject, description=spec.description)


def followed_figure(
    source: Source,
    lane_id: str,
    name: str,
    *,
    key: str,
    description: str,
    veiled: bool = False,
    sketch: Sketch | None = None,
    hand: Hand | None = None,
    place: Place | None = None,
) -> None:
    """Show one of a lane's figures, which follows the run and the step in view by itself, and what a ``hand`` asks for
    at its ``place``.

    A ``veiled`` one tells nobody what it shows; with a ``sketch`` a line may be drawn over it meanwhile.
    """
    where = {"address": source.address, "lane": lane_id, "name": name, "key": source.offer.laboratory}
    data = {"frames": where, "height": HEIGHT, "veiled": veiled, **_common(lane_id, description)}
    if sketch is None:
        _show_to_hand(data, key, place, hand)
        return

    def pass_on() -> None:
        if drawing := st.session_state[key].get("drawn"):
            sketch.on_drawn(drawing)

    data["sketch"] = {"guess": sketch.guess, "line": sketch.line, "open": sketch.open}
    _component(data=data, key=key, on_drawn_change=pass_on)


def followed_diagram(
    source: Source,
    lane_id: str,
    name: str,
    *,
    key: str,
    description: str,
    on_chosen: Callable[[Mapping[str, Any]], None] | None = None,
) -> None:
    """Show a lane's network, coloured by what the run recorded of it at the step in view; ``on_chosen`` hears what is
    chosen of it."""
    where = {"address": source.address, "lane": lane_id, "name": name, "key": source.offer.laboratory}
    data = {"frames": where, "chooses": on_chosen is not None, **_common(lane_id, description)}
    if on_chosen is None:
        _diagram(data=data, key=key)
    else:
        _diagram(data=data, key=key, on_chosen_change=_chosen(key, on_chosen))


def _chosen(key: str, on_chosen: Callable[[Mapping[str, Any]], None]) -> Callable[[], None]:
    def pass_on() -> None:
        choice_made = st.session_state[key].get("chosen")
        if isinstance(choice_made, Mapping):
            on_chosen(choice_made)

    return pass_on


def live_diagram(
    figure_json: str,
    *,
    key: str,
    subject: str,
    description: str,
    choice: Mapping[str, Any],
    on_chosen: Callable[[Mapping[str, Any]], None],
    ahead: str = "",
) -> None:
    """Show a network given as JSON, with what is ``chosen`` of it; ``on_chosen`` hears where else a person looks.

    What it hears comes from a browser: it may be anything. What the browser fetched for the page ``ahead`` under the
    name "network" is chosen before the page's script says so.
    """

    data = {"figure": figure_json, "chosen": dict(choice), "chooses": True, "ahead": ahead}
    _diagram(data=data | _common(subject, description), key=key, on_chosen_change=_chosen(key, on_chosen))


def timeline(source: Source, noun: str, last: int, *, key: str) -> int | None:
    """The step in view of all lanes, up to ``last`` for now; None while it follows the run.

    A step that :func:`go_to_step` was told counts as soon as the page is drawn.
    """
    state = st.session_state
    count, target, before = state.get(_sent_key(key), (0, None, _HEARD))
    data = {
        "address": source.address,
        "lane": source.offer.lanes[0],
        "key": source.offer.laboratory,
        "noun": noun,
        "last": last,
        "step": state.get(key, {}).get("step"),
        "sent": [count, target],
    }
    # Streamlit gives a component's value where a callback is named for it alone, be it an empty one.
    event = _timeline(data=data, key=key, on_step_change=lambda: None)
    step: int | None = event.step
    # Until the browser has heard where it was sent, that is where it goes.
    if step == before:
        return cast("int | None", target)
    state[_sent_key(key)] = (count, target, _HEARD)
    return step


def go_to_step(key: str, step: int | None) -> None:
    """Bring a step into view, or follow the run, where a timeline stands or will: by a link, or by Back."""
    state = st.session_state
    count, *_ = state.get(_sent_key(key), (0,))
    state[_sent_key(key)] = (count + 1, step, state.get(key, {}).get("step"))


def _sent_key(key: str) -> str:
    return f"sent-{key}"


def position_slider(
    page: str,
    first: int,
    words: list[str],
    position: int,
    meaning: str,
    on_moved: Callable[[int], None],
    *,
    plays: bool = True,
) -> None:
    """The position in view on an instant page, counted from ``first``, with the words of each one over the slider.

    ``on_moved`` hears of it when the slider comes to rest; a ``position`` that it did not say moves the slider. Where
    no figure follows the slider by itself, there is nothing to play.
    """
    key = f"{page}-position"

    def pass_on() -> None:
        position = st.session_state[key].get("moved")
        if position:
            on_moved(int(position["to"]))

    same = len(set(words)) == 1
    data = {
        "key": page,
        "first": first,
        "last": first + len(words) - 1,
        "words": words[:1] if same else words,
        "step": position,
        "meaning": meaning,
        "plays": plays,
    }
    _position_slider(data=data, key=key, on_moved_change=pass_on)


def send_positions(page: str, lane: str, figures: Mapping[str, str]) -> None:
    """Hand an instant page's figures what they show at all positions; see :func:`goldviz.figures.maps.at_positions`."""
    _positions(data={"page": page, "lane": lane, "figures": dict(figures)}, key=f"{page}-positions")


def answer_ahead(page: str, settings: str, position: str, knobs: Mapping[str, Any], figures: Sequence[str]) -> None:
    """Let an instant page's figures follow its knobs while they are moved, by :mod:`goldviz.ui.serving.queries`.

    ``settings`` are those in view, as JSON without the ``position``; of the knobs that choose among few,
    ``knobs`` has what their words mean.
    """
    data = {
        "page": page,
        "address": address(f"{QUERIES_PATH}/{page}"),
        "settings": settings,
        "position": position,
        "knobs": dict(knobs),
        "figures": list(figures),
        "theme": theme_now(),
    }
    _ahead(data=data, key=f"{page}-ahead")


def live_progress(
    source: Source, lane_id: str, share: float | None, words: str, sense: str, *, sought: bool = False
) -> None:
    """How far a lane's run is, None where nobody knows; the page is drawn again where the run is no longer what
    ``sense`` says.

    A lane that is ``sought`` comes into view.
    """
    data = {
        "address": source.address,
        "lane": lane_id,
        "share": share,
        "words": words,
        "sense": sense,
        "sought": sought,
    }
    _progress(data=data, key=f"progress-{lane_id}", on_changed_change=lambda: None)
