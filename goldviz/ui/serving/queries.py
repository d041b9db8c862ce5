"""What a page asks while a person types, moves a knob or drags, answered without the page's own script.

A laboratory says in its file ``queries.py`` what it answers, by these functions, of which it has those that it needs:

* ``answer(settings, question)``: JSON in, JSON out, in a few milliseconds, of an instant page.
* ``answer_about_run(lane, question, theme)``: the same of a run in view (:mod:`goldviz.ui.serving.frames`).
* ``prefetch(report, settings in JSON)``, which a worker process calls for the numbers of the page's figures where they
  take longer, and ``PREFETCH_SECONDS``, about how long. They may be fewer than the page's own: a figure that needs
  others is left to the page's script. ``warm_up(report, settings in JSON)`` makes an idle worker remember what takes
  longest of it, in about ``WARM_UP_SECONDS``; it depends on the settings ``likely(settings)``.

They raise ``ValueError`` with a sentence for what is no question of their page. Figures are of the settings and the
position alone, and are answered with here.

What is too large for Streamlit's web socket is an :class:`Exhibit`: it is kept here under a secret token, and the
browser fetches its parts.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Protocol

import xarray as xr

from goldviz.cache import Cache
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Settings
from goldviz.figures.theme import INKS
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels.instant_figures import figure_text, subject_of, task_of
from goldviz.ui.serving import services
from goldviz.ui.serving.answers import Answer, answered, as_json

QUERIES_PATH = "/goldviz/queries"
EXHIBITS_PATH = "/goldviz/exhibits"
LONGEST = 8_000
"""Bytes of a question."""
AT_ONCE = 2
"""Questions that are answered at the same time; others wait for their turn."""
WAITING_AT_ONCE = 4
"""Questions that wait for a worker at the same time; they keep no others waiting."""
EXHIBITS_IN_MEMORY = 48
BYTES_IN_MEMORY = 512 * 2**20


class QueryError(ValueError):
    """A request for something that there is not; ``status`` is the HTTP status that says so."""

    for_a_person = True

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class Exhibit(Protocol):
    """Numbers that a page shows and the browser fetches part by part."""

    @property
    def nbytes(self) -> int:
        """What it keeps in memory."""

    def part(self, name: str, query: Mapping[str, str]) -> tuple[bytes, str]:
        """A part and its media type; raises :class:`QueryError` for one that there is not."""


class Shelf:
    """Exhibits in memory, at most ``count`` of them and ``size`` bytes; those asked for least recently are let go."""

    def __init__(self, count: int = EXHIBITS_IN_MEMORY, size: int = BYTES_IN_MEMORY) -> None:
        self._held: Cache[Exhibit] = Cache(size, lambda exhibit: max(exhibit.nbytes, size // count))

    def put(self, exhibit: Exhibit) -> str:
        """Keep an exhibit and return its secret token; the newest stays even where it is over the budget alone."""
        token = secrets.token_urlsafe(24)
        self._held.put(token, exhibit)
        return token

    def __contains__(self, token: str) -> bool:
        """Whether an exhibit is still there; asking so does not count as a use of it."""
        return token in self._held

    def get(self, token: str) -> Exhibit | None:
        """The exhibit under a token, or None where it is unknown or was let go."""
        return self._held.held(token)

    def drop(self, token: str) -> None:
        """Let an exhibit go; an unknown token is no fault."""
        self._held.forget(token)


shelf = Shelf()
"""The exhibits of all visitors."""


def part_of_exhibit(token: str, name: str, query: Mapping[str, str]) -> Answer:
    """The answer to a request for a part of an exhibit, faults included."""
    exhibit = shelf.get(token)
    if exhibit is None:
        return Answer.refused(404, "This text is no longer in the server's memory.")
    return answered(lambda: exhibit.part(name, query), lambda part: Answer(200, *part))


def answer(laboratory: str, body: bytes) -> Answer:
    """What a laboratory answers to ``{"settings": {...}, "question": {...}}``, or a sentence about why it does not."""
    lab = laboratories().get(laboratory)
    if lab is None or not come_ahead(lab):
        return Answer.refused(404, "There is nobody to answer here.")
    if len(body) > LONGEST:
        return Answer.refused(413, f"The question is longer than {LONGEST} bytes.")

    def reply() -> object:
        settings, question = _read(body)
        return _found(lab, lab.declared.checked(settings), question)

    return answered(reply, as_json)


def come_ahead(lab: Laboratory) -> bool:
    """Whether a laboratory's answers come ahead of its page's script."""
    return any(lab.hook("queries", name) for name in ("answer", "prefetch"))


def preparation(lab: Laboratory, settings: Instant) -> Task[bool] | None:
    """What an idle worker does so that later answers come sooner; None where a laboratory asks for nothing of that."""
    warm_up = lab.hook("queries", "warm_up")
    if warm_up is None:
        return None
    own = lab.part("queries")
    text = own.likely(settings).model_dump_json()
    return Task(f"likely-{settings.name}-{text}", warm_up, (text,), "Preparing", own.WARM_UP_SECONDS)


def by_a_worker(laboratory: str) -> bool:
    """Whether a laboratory's figures wait for a worker process."""
    lab = laboratories().get(laboratory)
    return lab is not None and lab.hook("queries", "prefetch") is not None


def _found(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> object:
    if "figures" in question:
        return _figures(lab, settings, question)
    answer_of_lab = lab.hook("queries", "answer")
    if answer_of_lab is None:
        raise ValueError("This page asks for figures alone.")
    return answer_of_lab(settings, question)


def _figures(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> dict[str, object]:
    """The figures that are asked for by name in a theme, as a page shows them, and what they are of."""
    figures, names, theme = lab.figures().FIGURES, question["figures"], question.get("theme")
    if not isinstance(names, list) or not all(name in figures for name in map(str, names)) or theme not in list(INKS):
        raise ValueError(f"The question names no figures of this page, or no theme; there are {', '.join(figures)}.")
    assert isinstance(settings, Instant)
    dataset = _numbers(lab, settings)
    specs = [figures[name] for name in map(str, names) if all(need in dataset for need in figures[name].needs)]
    drawings = {spec.name: figure_text(settings, dataset, spec, theme) for spec in specs}
    return {"subject": subject_of(settings), "figures": drawings}


def _numbers(lab: Laboratory, settings: Instant) -> xr.Dataset:
    """The page's own numbers where they are there or made at once, else those that come ahead of them."""
    jobs, whole, prefetch = services.jobs(), task_of(settings), lab.hook("queries", "prefetch")
    if prefetch is None:
        return jobs.here(whole)
    dataset = jobs.held(whole)
    if dataset is not None:
        return dataset
    text, seconds = settings.model_dump_json(), lab.part("queries").PREFETCH_SECONDS
    task: Task[xr.Dataset] = Task(f"prefetch-{whole.key}", prefetch, (text,), whole.words, seconds)
    return jobs.wait(task)


def _read(body: bytes) -> tuple[dict[str, object], dict[str, object]]:
    try:
        fields = json.loads(body)
        settings, question = fields["settings"], fields["question"]
    except (ValueError, KeyError, TypeError, RecursionError):
        settings = question = None
    if not isinstance(settings, dict) or not isinstance(question, dict):
        raise ValueError("The question is not one that a page asks.")
    return settings, question
