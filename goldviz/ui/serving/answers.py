"""Questions that a page asks while a person types or moves a knob, answered without the page's own script.

A laboratory that answers has a file ``answers.py`` with ``answer(settings, question)``: JSON in, JSON out, in a few
milliseconds. It raises ``ValueError`` with a sentence for what is no question of its page. Its figures are of the
settings and the position alone, and are answered with here.

Where numbers take longer, it has a file ``ahead.py`` with ``numbers_ahead(report, settings in JSON)``, which a worker
process calls, and ``SECONDS``, about how long that takes. These numbers may be fewer than the page's own: a figure that
needs others is left to the page's script. What may be asked for next is made while nobody asks for anything:
``prepare(report, settings in JSON)`` makes a worker remember what takes longest of it, in about ``LIKELY_SECONDS``; it
depends on the settings ``likely(settings)``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

import xarray as xr

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Settings
from goldviz.figures.theme import INKS
from goldviz.runs.jobs.jobs import JobFailedError, Task, TooManyJobsError
from goldviz.ui.panels.instant_figures import figure_text, subject_of, task_of
from goldviz.ui.serving import services
from goldviz.ui.serving.frames import TEXT, Answer

ANSWERS_PATH = "/goldviz/answers"
LONGEST = 8_000
"""Bytes of a question."""
AT_ONCE = 2
"""Questions that are answered at the same time; others wait for their turn."""
WAITING_AT_ONCE = 4
"""Questions that wait for a worker at the same time; they keep no others waiting."""
JSON = "application/json"


def answer(laboratory: str, asked: bytes) -> Answer:
    """What a laboratory answers to ``{"settings": {...}, "question": {...}}``, or a sentence about why it does not."""
    lab = laboratories().get(laboratory)
    if lab is None or not come_ahead(lab):
        return Answer(HTTPStatus.NOT_FOUND, b"There is nobody to answer here.", TEXT)
    if len(asked) > LONGEST:
        sentence = f"The question is longer than {LONGEST} bytes."
        return Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence.encode(), TEXT)
    try:
        settings, question = _read(asked)
        found = _found(lab, lab.declared.checked(settings), question)
    except ValueError as error:
        return Answer(HTTPStatus.BAD_REQUEST, str(error).encode(), TEXT)
    except (JobFailedError, TooManyJobsError) as error:
        return Answer(HTTPStatus.SERVICE_UNAVAILABLE, str(error).encode(), TEXT)
    return Answer(HTTPStatus.OK, json.dumps(found, allow_nan=False).encode(), JSON)


def come_ahead(lab: Laboratory) -> bool:
    """Whether a laboratory's answers come ahead of its page's script."""
    return lab.has("answers") or lab.has("ahead")


def preparation(lab: Laboratory, settings: Instant) -> Task[bool] | None:
    """What an idle worker does so that later answers come sooner; None where a laboratory asks for nothing of that."""
    if not lab.has("ahead"):
        return None
    ahead = lab.part("ahead")
    stored = ahead.likely(settings).model_dump_json()
    return Task(f"likely-{settings.name}-{stored}", ahead.prepare, (stored,), "Preparing", ahead.LIKELY_SECONDS)


def by_a_worker(laboratory: str) -> bool:
    """Whether a laboratory's figures wait for a worker process."""
    lab = laboratories().get(laboratory)
    return lab is not None and lab.has("ahead")


def _found(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> object:
    if "figures" in question:
        return _figures(lab, settings, question)
    if not lab.has("answers"):
        raise ValueError("This page asks for figures alone.")
    return lab.part("answers").answer(settings, question)


def _figures(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> dict[str, object]:
    """The figures that are asked for by name in a theme, as a page shows them, and what they are of."""
    known, names, theme = lab.figures().FIGURES, question["figures"], question.get("theme")
    if not isinstance(names, list) or not all(name in known for name in map(str, names)) or theme not in list(INKS):
        raise ValueError(f"The question names no figures of this page, or no theme; there are {', '.join(known)}.")
    assert isinstance(settings, Instant)
    dataset = _numbers(lab, settings)
    specs = [known[name] for name in map(str, names) if all(need in dataset for need in known[name].needs)]
    drawn = {spec.name: figure_text(settings, dataset, spec, theme) for spec in specs}
    return {"subject": subject_of(settings), "figures": drawn}


def _numbers(lab: Laboratory, settings: Instant) -> xr.Dataset:
    """The page's own numbers where they are there or made at once, else those that come ahead of them."""
    jobs, whole = services.jobs(), task_of(settings)
    if not lab.has("ahead"):
        return jobs.here(whole)
    found = jobs.held(whole)
    if found is not None:
        return found
    ahead, stored = lab.part("ahead"), settings.model_dump_json()
    task: Task[xr.Dataset] = Task(f"ahead-{whole.key}", ahead.numbers_ahead, (stored,), whole.words, ahead.SECONDS)
    return jobs.wait(task)


def _read(asked: bytes) -> tuple[dict[str, object], dict[str, object]]:
    try:
        found = json.loads(asked)
        settings, question = found["settings"], found["question"]
    except (ValueError, KeyError, TypeError, RecursionError):
        settings = question = None
    if not isinstance(settings, dict) or not isinstance(question, dict):
        raise ValueError("The question is not one that a page asks.")
    return settings, question
