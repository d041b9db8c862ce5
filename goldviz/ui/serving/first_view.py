"""What stands at a laboratory's address before Streamlit has started: the page as it opens, with its first figures.

Whoever comes to the bare address sees a recorded example, the same one for everybody. Its page's head, quiet outlines
of its controls and the numbers of its first figures travel with the address; ``assets/first_view.js`` draws the figures
where they will stand, and takes the view away when the page has drawn its own.
"""

from __future__ import annotations

import json
import logging
import re
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from threading import Lock

from goldviz.declare.registry import laboratories
from goldviz.figures.theme import INKS, inks
from goldviz.ui.serving.page_modules import FIRST_VIEW, module_path

AT_MOST_SECONDS = 0.1
"""How long an address waits for a view that is being made. Most are ready sooner once the server has drawn a page, and
without one nothing is on screen for a second."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Opening:
    """What a page opens with: its chapter's name and the ``rooms`` of that, if it has several, its ``title`` and
    ``question``, the ``preset`` in its menu, the words of its ``parts``, the first one open, the name of its ``lane``,
    the ``step`` in view in words, and its first ``figures``, each as Plotly's JSON with what it shows in words; without
    any the view is left to the page."""

    rooms: tuple[str, ...]
    title: str
    question: str
    preset: str
    parts: tuple[str, ...]
    lane: str
    step: str
    figures: tuple[tuple[str, str], ...]


class FirstViews:
    """The views of all laboratories. Each is made once, when its address is first asked for: all of them would take a
    server's start seconds, and memory for laboratories to which nobody comes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._views: dict[str, Future[str]] = {}
        self._making = ThreadPoolExecutor(1, "goldviz-first-views")

    def asked(self, name: str) -> Future[str]:
        """The view of the laboratory of this name, being made or ready."""
        with self._lock:
            if name not in self._views:
                self._views[name] = self._making.submit(_view, name)
            return self._views[name]

    def held(self, name: str) -> str:
        """The view, if it is ready soon; else nothing, and the next visitor gets it."""
        try:
            return self.asked(name).result(AT_MOST_SECONDS)
        except TimeoutError:
            return ""


views = FirstViews()
"""Those of this server."""


def _view(name: str) -> str:
    try:
        opens = getattr(laboratories()[name].part("page").PAGE, "opening", None)
        opening: Opening | None = opens() if opens else None
    except Exception:
        # Whatever keeps a page from being drawn, it says so itself.
        log.warning("The address of %s shows nothing before Streamlit has started.", name, exc_info=True)
        return ""
    return "" if opening is None or not opening.figures else view_of(opening)


def view_of(opening: Opening) -> str:
    """The view as HTML below a page's root: a template, which no script of the page finds anything in, and what opens
    it."""
    assets = files("goldviz.ui") / "assets"
    style = "\n".join((assets / f"{sheet}.css").read_text(encoding="utf-8") for sheet in ("live_figure", "first_view"))
    start = (assets / "first_view.html").read_text(encoding="utf-8")
    figures = [{"figure": json.loads(text), "description": description} for text, description in opening.figures]
    carried = {"figures": figures, "inks": inks()}
    return (
        '<div id="goldviz-first-view" aria-hidden="true" inert><template>'
        f"<style>{_colours()}{style}</style>{_body(opening)}"
        f'<script type="application/json">{_in_script(carried)}</script></template></div>\n{start}'
    )


@cache
def ahead(base: str) -> str:
    """What a page with a view names first: the script that draws it, and the letters."""
    letters = re.search(r'"(\./static/media/SourceSans[^"]*\.woff2)"', _index())
    face = (
        f'<style>@font-face {{ font-family: "Source Sans"; font-weight: 200 900; src: url("{letters[1]}") '
        'format("woff2"); }</style>\n'
        if letters
        else ""
    )
    address = f"{base}{module_path(FIRST_VIEW)}"
    return f'<link rel="modulepreload" fetchpriority="high" href="{address}">\n{face}'


def drawing(base: str) -> str:
    """The script that draws a view, where the view is known."""
    return f'<script type="module" async src="{base}{module_path(FIRST_VIEW)}"></script>'


def _index() -> str:
    return (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")


def _in_script(value: object) -> str:
    """JSON that ends no element it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")


def _colours() -> str:
    """The theme's colours under the names that figures know."""
    rules = []
    for theme, ink in INKS.items():
        colours = {
            "st-background-color": ink.background,
            "st-text-color": ink.text,
            "st-border-color": ink.grid,
            "st-primary-color": ink.text,
            "goldviz-gold": ink.accent,
            "surface": ink.surface,
            "muted": ink.muted,
        }
        said = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
        rules.append(f':host([data-theme="{theme}"]) {{ color-scheme: {theme}; {said} }}\n')
    return "".join(rules)


def _body(opening: Opening) -> str:
    def words(kind: str, text: str) -> str:
        return f'<div class="view-{kind}">{escape(text)}</div>'

    def box(kind: str, *inside: str) -> str:
        return f'<div class="view-{kind}">{"".join(inside)}</div>'

    start = box("start", "<span>Start from</span>", words("menu", opening.preset))
    strip = box("strip", box("parts", *(words("part", part) for part in opening.parts)), words("share", "Share"))
    timeline = box("timeline", box("play"), box("track"), words("step", opening.step))
    head = box("head", words("lane", opening.lane), words("state", "Recorded example"))
    figures = box("figures", *([box("column", '<div class="goldviz-figure"></div>')] * len(opening.figures)))
    looking = box("looking", strip, timeline, head, figures)
    rooms = box("rooms", *(words("room", room) for room in opening.rooms)) if opening.rooms else ""
    heading = box("heading", words("title", opening.title), words("question", opening.question), start)
    return box("scroll", box("page", rooms, heading, box("laboratory", box("panel"), looking)), box("bar"))
