"""What the page *Inside BERT* is set to, and a text as a model reads it: links in and out, and what workers are asked.

What comes out is shared by all visitors, known by the model's fingerprint and the text, so that the same weights never
read a text twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Concatenate, TypeVar, cast
from urllib.parse import quote

import streamlit as st
import xarray as xr

from goldviz.data.texts.pieces import Pieces, as_read
from goldviz.declare.settings import SettingsError
from goldviz.declare.text_models import FOLDER_PREFIX
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert import models, tasks
from goldviz.labs.inside_bert.compute import chunks_of
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.reading import TextReading
from goldviz.labs.inside_bert.settings import LONGEST_TEXT, PLACES, InsideBert
from goldviz.labs.inside_bert.tasks import Chunk, reading_seconds, readings, shares_seconds
from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.runs.execution.scratch import scratch_folder
from goldviz.runs.jobs.jobs import JobFailedError, Report, Task, TooManyJobsError
from goldviz.text_models import MINILM, first_model, loaded_models, text_model
from goldviz.training.threads import one_thread
from goldviz.ui import address, chrome, visitors_data
from goldviz.ui.panels import background, controls, parts, stories
from goldviz.ui.panels.live_figure import Place, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

Made = TypeVar("Made")

LINK_CHARACTERS = 2000
LINK_BYTES = 6000
"""A text in an address takes up to nine bytes for each letter that is not Latin; browsers and servers have limits."""
SHOWN = "shown-inside-bert"
BESIDE = "inside-bert-beside"
"""In the session state: whether a second text or model is asked for."""
PAIRED = "inside-bert-paired"
"""Whether there is a box for sentence B."""


def model_named(name: str) -> TextModel:
    """The model of this name, for the page; a worker reads what takes longer than a page may.

    Raises :class:`goldviz.models.text.model.TextModelError`.
    """
    model = models.named(name)
    if model.seconds <= background.AT_ONCE_SECONDS:
        with one_thread():
            return text_model(name)
    # What a worker has handed over to this process is held while there is room.
    return loaded_models.held(model) or _handed_over(model)


def _handed_over(name: models.Named) -> TextModel:
    where = (name.name, str(_handing_place()))
    task = Task(f"inside-bert-model-{name}", models.hand_over, where, "Loading the model", name.seconds)
    try:
        model = models.take_over(name, background.awaited(task))
    except (JobFailedError, TooManyJobsError) as error:
        # Of several visitors who wait for it the first one takes it, for all.
        copy = loaded_models.held(name)
        if copy is None:
            raise TextModelError(str(error), "gone") from error
        return copy
    finally:
        services.jobs().results.forget(task.key)
    return model


def _handing_place() -> Path:
    """Where workers lay models for this process; what nobody took goes with it, also where it is killed."""
    place = scratch_folder() / "models"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


@dataclass(frozen=True)
class ReadText:
    """A text and the model of the name ``name`` that reads it, cut into chunks, of which number ``chunk`` is in view.

    ``key`` is the same wherever the numbers are.
    """

    named: str
    model: TextModel
    text: str
    chunks: tuple[Pieces, ...]
    chunk: int

    @classmethod
    def cut(cls, name: str, text: str, chunk: int = 1, sentence_b: str = "") -> ReadText:
        """The text, a pair where there is a sentence B, in the pieces of a model, with the chunk that is asked for or
        the last one.

        Raises :class:`goldviz.models.text.model.TextModelError` and :class:`goldviz.data.texts.pieces.TextError`.
        """
        model = model_named(name)
        text = as_read(model.tokeniser, text, sentence_b)
        chunks = tuple(chunks_of(model, text))
        return cls(name, model, text, chunks, min(chunk, len(chunks)))

    @property
    def pieces(self) -> Pieces:
        """The chunk in view."""
        return self.chunks[self.chunk - 1]

    @cached_property
    def key(self) -> tuple[str, str, int]:
        """Weights, text and chunk."""
        return self.model.fingerprint, hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest(), self.chunk

    @property
    def where(self) -> Chunk:
        """The chunk in view in plain words, for another process."""
        return Chunk(self.named, self.model.fingerprint, self.text, self.chunk)

    def task(
        self,
        words: str,
        function: Callable[Concatenate[Report, Chunk, ...], Made],
        *what: object,
        cost: Callable[[EncoderShape, int], float] = reading_seconds,
    ) -> Task[Made]:
        """One of :mod:`goldviz.labs.inside_bert.tasks` about the chunk in view, which takes about as long as ``cost``
        says."""
        seconds = cost(self.model.encoder.shape, len(self.pieces))
        names = [getattr(one, "__name__", str(one)) for one in (function, *what)]
        key = "-".join(["inside-bert", *names, *map(str, self.key)])
        return Task(key, function, (self.where, *what), words, seconds)


def reading_of(read: ReadText, words: str = "Reading the text") -> TextReading | None:
    """The forward pass over the chunk in view; None while it is made, which the page then shows."""
    reading = readings.held(read.where)
    if reading is not None:
        return reading
    arrays = background.made(read.task(words, tasks.read_chunk))
    if arrays is None:
        return None
    return readings.get(read.where, lambda: arrays.reading(read.model, read.pieces))


def answered(task: Task[Made]) -> Made:
    """What the browser fetches: made at once where that is quick, else waited for without a word on the page."""
    jobs = services.jobs()
    return jobs.here(task) if task.seconds <= background.AT_ONCE_SECONDS else jobs.wait(task)


def subject_of(read: ReadText, *about: object) -> str:
    """What a figure is of: the chunk in view, and all else that its numbers depend on."""
    return str((*read.key, *about))


def figure_text(read: ReadText, spec: FigureSpec, ds: xr.Dataset, theme: Theme, *about: object, **more: Any) -> str:
    """A figure as JSON, drawn once for everybody; ``about`` as in :func:`subject_of`."""
    key = ("inside-bert", spec.name, theme, *read.key, *about, str(more))
    return services.figure_json(key, lambda: spec.draw(ds, theme=theme, **more))


def result_of(read: ReadText, what: tuple[object, ...], make: Callable[[], xr.Dataset]) -> xr.Dataset:
    """Numbers about the chunk in view that are made in no time, made once for everybody."""
    return cast("xr.Dataset", services.jobs().results.get((*read.key, *what), make))


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

    def piece_box(self, words: str, key: str) -> None:
        """A box to choose a piece by its number."""
        tokens = self.pieces()
        st.selectbox(
            words,
            range(1, len(tokens) + 1),
            key=key,
            persist_state="session",
            format_func=lambda place: f"{place}: {tokens[place - 1]}",
        )

    def figure(
        self, spec: FigureSpec, ds: xr.Dataset, *about: object, key: str = "", ahead: str = "", **more: Any
    ) -> None:
        """Draw a figure; ``about`` is all that its numbers depend on besides text and model.

        The browser gets the draft: it breaks notes at the width that the figure has there. What it fetches under the
        page's name ``ahead`` is shown before the page's script comes to it.
        """
        name = key or spec.name
        text = figure_text(self.read, spec, ds, theme_now(), *about, **more)
        subject = subject_of(self.read, *about)
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
        if not address.of_page():
            try:
                settings = settings.changed(**at_first_sight())
            except SettingsError as error:
                complaints.append(str(error))
        for name, value in settings.model_dump().items():
            st.session_state[key_of(name)] = value
        visitors_data.bring_named(InsideBert, settings, parameters)
        show_what_is_beside()
    step = stories.set_up(InsideBert)
    if step is not None:
        parts.open_part(InsideBert.name, parts.FIRST)
        # What a story says of a model is said of goldviz's own, and of the head that the page begins with; a model that
        # a person chose stays.
        first = at_first_sight()
        if st.session_state.get(key_of("model")) == first["model"]:
            st.session_state.update({key_of(name): getattr(InsideBert(), name) for name in first})
    controls.ensure(InsideBert)
    if step is not None:
        show_what_is_beside()
    visitors_data.take(InsideBert)
    return complaints


def at_first_sight() -> dict[str, Any]:
    """What a page shows to whoever comes without a link: the first model, and of MiniLM a head that can be told."""
    model = first_model()
    return {"model": model} | ({"layer": 1, "head": 3} if model == f"{FOLDER_PREFIX}{MINILM}" else {})


def show_what_is_beside() -> None:
    """Open the boxes of sentence B and of the second text where there are such, and close them where there are none."""
    st.session_state[PAIRED] = bool(st.session_state[key_of("sentence_b")])
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


def link_of(settings: InsideBert) -> tuple[dict[str, str], list[str]]:
    """The settings as a link's parameters, and the names of the texts that are too long for one."""
    link = controls.to_link(settings)
    texts: tuple[str, ...] = ("text", "sentence_b", "second_text")
    sizes = {name: (len(link[name]), len(quote(link[name], errors="replace"))) for name in texts if name in link}
    left_out = [name for name, (signs, size) in sizes.items() if signs > LINK_CHARACTERS or size > LINK_BYTES]
    rest = {name: value for name, value in link.items() if name not in left_out}
    return {} if rest.keys() == {controls.VERSION} else rest, left_out


def leave_link(settings: InsideBert) -> None:
    """Keep the address in the browser a link to what is shown."""
    address.leave({**link_of(settings)[0], **parts.to_link(InsideBert.name)})


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
