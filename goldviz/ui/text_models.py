"""What models made of texts, shared by all visitors: read once, kept while there is room.

A reading is known by the model's fingerprint and the text, so that the same weights never read the same text twice.
The models themselves are kept by :mod:`goldviz.experiments.procedures.text_models`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st
import xarray as xr

from goldviz.api import text_model_of_run
from goldviz.data.pieces import Pieces
from goldviz.diagnostics.text_reading import TextReading, read_text
from goldviz.experiments.procedures.cupboard import Cupboard
from goldviz.experiments.procedures.text_models import loaded_models, open_runs_with
from goldviz.models.text_model import TextModel, TextModelError
from goldviz.runs.schema import StoreError
from goldviz.ui import background, services
from goldviz.ui.words import duration, plain

READING_BYTES = 512 * 2**20
RESULT_BYTES = 128 * 2**20
WAYS_BYTES = 256 * 2**20
AT_ONCE_SECONDS = 0.3
"""Work that takes no longer is done while the page is drawn; what takes longer is a job with progress."""

Kept = TypeVar("Kept")


def _reading_bytes(reading: TextReading) -> int:
    tensors = (*reading.embeddings, reading.hidden)
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) + int(reading.tiles.nbytes)


readings: Cupboard[TextReading] = Cupboard(READING_BYTES, _reading_bytes)
readings.follow(loaded_models, lambda reading: reading.model)
ways: Cupboard[xr.Dataset] = Cupboard(WAYS_BYTES, lambda found: int(found.nbytes))
results: Cupboard[xr.Dataset] = Cupboard(RESULT_BYTES, lambda result: int(result.nbytes))


def model_of_run(run_id: str) -> TextModel:
    """The network of a kept run, as :func:`goldviz.api.text_model_of_run` finds it in the store that visitors share."""
    try:
        return text_model_of_run(services.store(), run_id)
    except StoreError as error:
        raise TextModelError(str(error)) from error


open_runs_with(model_of_run)


@dataclass(frozen=True)
class ReadText:
    """A text and the model that reads it, cut into chunks; ``key`` is the same wherever the numbers are."""

    model: TextModel
    text: str
    chunks: tuple[Pieces, ...]
    chunk: int

    @property
    def pieces(self) -> Pieces:
        """The chunk in view."""
        return self.chunks[self.chunk - 1]

    @property
    def key(self) -> tuple[str, str, int]:
        """Weights, text and chunk."""
        return self.model.fingerprint, hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest(), self.chunk

    def job(self, *what: object) -> str:
        """The name of a job about it."""
        return "-".join(["inside-bert", *map(str, what), *map(str, self.key)])


def reading_of(read: ReadText, report: background.Report | None = None) -> TextReading:
    """The forward pass over the chunk in view."""
    return readings.get(read.key, lambda: read_text(read.model, read.pieces, report))


def ways_of(read: ReadText, reading: TextReading) -> xr.Dataset:
    """What rollout and flow go by; large, so it has a cupboard of its own."""
    from goldviz.experiments.procedures.inside_bert_head import ways_down

    return ways.get(read.key, lambda: ways_down(reading))


def result_of(read: ReadText, what: tuple[object, ...], make: Callable[[], xr.Dataset]) -> xr.Dataset:
    """Numbers about the chunk in view, made once."""
    return results.get((*read.key, *what), make)


def in_the_background(
    job_key: str, kept: Callable[[], Kept | None], make: Callable[[background.Report], object], *,
    seconds: float, words: str,
) -> Kept | None:  # fmt: skip
    """What ``kept`` finds; else ``make`` is begun, and the page shows how far it is, until it is drawn again.

    What takes less than ``AT_ONCE_SECONDS`` is made now. ``make`` puts its result where ``kept`` looks. Not for
    fragments.
    """
    found = kept()
    if found is not None:
        return found
    job = background.job(job_key)
    if seconds <= AT_ONCE_SECONDS and (job is None or not job.unfinished):
        make(_nobody_stops)
        return kept()
    if job is not None and job.state == "done":
        # Its result was let go meanwhile.
        background.forget(job_key)
        job = None
    try:
        if job is None:
            background.start(job_key, _without_result(make), f"{words} (about {duration(seconds)})")
    except background.TooManyJobsError as error:
        st.error(plain(str(error)), icon=":material/hourglass_top:")
        return None
    shown = background.show(job_key)
    if shown is not None and shown.state in ("failed", "stopped"):
        st.button(
            "Try again", key=f"again-{job_key}", icon=":material/refresh:", on_click=background.forget, args=(job_key,)
        )
    return None


def _without_result(make: Callable[[background.Report], object]) -> Callable[[background.Report], None]:
    """The same work for a job, which would hold on to what it returns."""

    def work(report: background.Report) -> None:
        make(report)

    return work


def _nobody_stops(done: float, total: float) -> None:
    """The report of work that is not waited for."""
