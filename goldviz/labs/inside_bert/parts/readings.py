"""A text as a model reads it, and what is asked of worker processes about it; shared by all visitors.

What comes out is known by the model's fingerprint and the text, so that the same weights never read a text twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Concatenate, TypeVar, cast

import xarray as xr

from goldviz.data.texts.pieces import Pieces
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert import models, tasks
from goldviz.labs.inside_bert.compute import chunks_of
from goldviz.labs.inside_bert.costs import reading_seconds
from goldviz.labs.inside_bert.reading import TextReading
from goldviz.labs.inside_bert.tasks import Chunk, readings
from goldviz.models.text.encoder import EncoderShape
from goldviz.models.text.model import TextModel, TextModelError
from goldviz.runs.execution.scratch import scratch_folder
from goldviz.runs.jobs.jobs import JobFailedError, Report, Task, TooManyJobsError
from goldviz.text_models import text_model
from goldviz.training.threads import one_thread
from goldviz.ui.panels import background
from goldviz.ui.serving import services

Made = TypeVar("Made")


def model_named(name: str) -> TextModel:
    """The model of this name, for the page; a worker reads what takes longer than a page may.

    Raises :class:`goldviz.models.text.model.TextModelError`.
    """
    model = models.named(name)
    if model.seconds <= background.AT_ONCE_SECONDS:
        with one_thread():
            return text_model(name)
    return models.taken_over(model) or _handed_over(model)


def _handed_over(name: models.Named) -> TextModel:
    where = (name.name, str(_handing_place()))
    task = Task(f"inside-bert-model-{name}", models.hand_over, where, "Loading the model", name.seconds)
    try:
        model = models.take_over(name, background.awaited(task))
    except (JobFailedError, TooManyJobsError) as error:
        # Of several visitors who wait for it the first one takes it, for all.
        copy = models.taken_over(name)
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
    def cut(cls, name: str, text: str, chunk: int = 1) -> ReadText:
        """The text in the pieces of a model, with the chunk that is asked for or the last one.

        Raises :class:`goldviz.models.text.model.TextModelError` and :class:`goldviz.data.texts.pieces.TextError`.
        """
        model = model_named(name)
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
