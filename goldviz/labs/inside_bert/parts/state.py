"""What the page *Inside BERT* is set to: links in and out, and the text and model that are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import streamlit as st
import xarray as xr

from goldviz.declare.settings import SettingsError
from goldviz.figures.spec import FigureSpec
from goldviz.labs.inside_bert import tasks
from goldviz.labs.inside_bert.costs import shares_seconds
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.parts import readings
from goldviz.labs.inside_bert.parts.readings import ReadText
from goldviz.labs.inside_bert.settings import LONGEST_TEXT, PLACES, InsideBert
from goldviz.models.text.model import TextModelError
from goldviz.runs.jobs.jobs import JobFailedError, Task, TooManyJobsError
from goldviz.ui import address, chrome, visitors_data
from goldviz.ui.panels import background, controls, parts, stories
from goldviz.ui.panels.live_figure import Place, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from goldviz.labs.inside_bert.reading import TextReading

Made = TypeVar("Made")

LINK_CHARACTERS = 2000
LINK_BYTES = 6000
"""A text in an address takes up to nine bytes for each letter that is not Latin; browsers and servers have limits."""
SHOWN = "shown-inside-bert"
BESIDE = "inside-bert-beside"
"""In the session state: whether a second text or model is asked for."""


def key_of(name: str) -> str:
    """The session-state key of one of the page's settings."""
    return controls.key_of(InsideBert, name)


@dataclass(frozen=True)
class Look:
    """One text read by one model, and the settings under which it is looked at."""

    settings: InsideBert
    read: ReadText
    reading: TextReading
    overview: xr.Dataset

    def now(self) -> InsideBert:
        """The settings with the place that the controls show at this moment."""
        return self.settings.changed(**{name: st.session_state[key_of(name)] for name in PLACES})

    def place(self) -> tuple[int, int, int]:
        """Layer, head and piece in view from 1, or the last that there are."""
        now = self.now()
        most = self.overview.attrs
        return min(now.layer, most["layers"]), min(now.head, most["heads"]), min(now.token, len(self.read.pieces))

    def shares(self) -> xr.Dataset | None:
        """How the query in view is shared out by five measures; None after saying why that cannot be known."""
        words = "Following the attention down to the input"
        return awaited(self.read.task(words, tasks.shares_of_query, *self.place(), cost=shares_seconds))

    def pieces(self) -> list[str]:
        """The pieces as controls name them."""
        return [short_piece(piece) for piece in self.read.pieces.tokens]

    def figure(
        self, spec: FigureSpec, ds: xr.Dataset, *about: object, key: str = "", ahead: str = "", **more: Any
    ) -> None:
        """Draw a figure; ``about`` is all that its numbers depend on besides text and model.

        The browser gets the draft: it breaks notes at the width that the figure has there. What it fetches under the
        page's name ``ahead`` is shown before the page's script comes to it.
        """
        name = key or spec.name
        text = readings.figure_text(self.read, spec, ds, theme_now(), *about, **more)
        subject = readings.subject_of(self.read, *about)
        place = Place(ahead, subject, name, 0) if ahead else None
        live_figure(text, key=f"{name}-inside-bert", subject=subject, description=spec.description, place=place)


def arrive(page_parts: Sequence[Part]) -> list[str]:
    """Take over a link's settings and its part of ``page_parts``, on the first run and on a later visit by a link; its
    faults, in sentences."""
    key = "arrived-inside-bert"
    first = st.session_state.get(chrome.BACK) or key not in st.session_state
    parameters = address.of_page()
    part = parameters.pop(parts.PARAMETER, "")
    complaints: list[str] = []
    if first or st.session_state.get(chrome.CHANGED):
        complaints += parts.arrive(InsideBert.name, page_parts, part)
    if first or (parameters and st.session_state.get(chrome.CHANGED)):
        st.session_state[key] = True
        settings, refusals = controls.from_link(InsideBert, parameters)
        complaints += refusals
        for name, value in settings.model_dump().items():
            st.session_state[key_of(name)] = value
        visitors_data.bring_named(InsideBert, settings, parameters)
        show_what_is_beside()
    step = stories.set_up(InsideBert)
    if step is not None:
        parts.open_part(InsideBert.name, parts.FIRST)
    controls.ensure(InsideBert)
    if step is not None:
        show_what_is_beside()
    visitors_data.take(InsideBert)
    return complaints


def show_what_is_beside() -> None:
    """Open the second text's box where there is a second text or model, and close it where there is none."""
    st.session_state[BESIDE] = bool(st.session_state[key_of("second_text")] or st.session_state[key_of("second_model")])


def asked_for() -> tuple[InsideBert | None, list[str]]:
    """The settings that the controls show; None, and why, where they are not allowed.

    A second text and model that were put aside are none of them: neither link nor report nor snippet names them.
    """
    complaint = text_complaint(str(st.session_state[key_of("text")]))
    if complaint:
        return None, [complaint]
    try:
        settings = controls.current(InsideBert)
        return (settings if st.session_state[BESIDE] else settings.changed(second_text="", second_model="")), []
    except SettingsError as error:
        return None, list(error.sentences.values())


def text_complaint(text: str) -> str:
    """Why a text cannot be read, in a sentence; nothing where it can."""
    if not text.strip():
        return "The text is empty; allowed is a text with at least one letter, digit or sign."
    if len(text) > LONGEST_TEXT:
        return (
            f"The text has {len(text):,} characters; allowed are up to {LONGEST_TEXT:,}. Cut it, or bring long "
            "documents to the page Policy documents."
        )
    return ""


def last_shown() -> InsideBert:
    """The last settings that could be shown, or the defaults."""
    settings = st.session_state.get(SHOWN)
    return InsideBert.checked_json(settings) if settings else InsideBert()


def link_of(settings: InsideBert) -> tuple[dict[str, str], list[str]]:
    """The settings as a link's parameters, and the names of the texts that are too long for one."""
    link = controls.to_link(settings)
    texts: tuple[str, ...] = ("text", "second_text")
    left_out = [name for name in texts if name in link and not _fits(link[name])]
    rest = {name: value for name, value in link.items() if name not in left_out}
    return {} if rest.keys() == {controls.VERSION} else rest, left_out


def _fits(text: str) -> bool:
    return len(text) <= LINK_CHARACTERS and len(quote(text, errors="replace")) <= LINK_BYTES


def leave_link(settings: InsideBert) -> None:
    """Keep the address in the browser a link to what is shown."""
    parameters = {**link_of(settings)[0], **parts.to_link(InsideBert.name)}
    address.leave(parameters)


def put(values: Mapping[str, Any]) -> None:
    """Set settings, in a callback or before their controls are drawn."""
    for name, value in values.items():
        st.session_state[key_of(name)] = value


def awaited(task: Task[Made]) -> Made | None:
    """The task's result; None after saying why there is none."""
    try:
        return background.awaited(task)
    except (TextModelError, JobFailedError, TooManyJobsError) as error:
        complain(str(error))
        return None


def complain(sentence: str) -> None:
    """Show a sentence as an error, whatever is in it."""
    st.error(plain(sentence), icon=":material/block:")
