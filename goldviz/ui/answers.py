"""Questions that a page asks while a person types or moves a knob, answered without the page's own script.

A laboratory that answers has a file ``answers.py`` with ``answer(settings, question)``: JSON in, JSON out, in a few
milliseconds. It raises ``ValueError`` with a sentence for what is no question of its page. Its figures are of the
settings and the position alone, and are answered with here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Settings
from goldviz.figures.theme import INKS
from goldviz.ui import services
from goldviz.ui.frames import TEXT, Answer
from goldviz.ui.instant_figures import figure_text, subject_of, task_of

ANSWERS_PATH = "/goldviz/answers"
LONGEST = 8_000
"""Bytes of a question."""
AT_ONCE = 2
"""Questions that are answered at the same time; others wait for their turn."""
JSON = "application/json"


def answer(laboratory: str, asked: bytes) -> Answer:
    """What a laboratory answers to ``{"settings": {...}, "question": {...}}``, or a sentence about why it does not."""
    lab = laboratories().get(laboratory)
    if lab is None or not lab.has("answers"):
        return Answer(HTTPStatus.NOT_FOUND, b"There is nobody to answer here.", TEXT)
    if len(asked) > LONGEST:
        sentence = f"The question is longer than {LONGEST} bytes."
        return Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence.encode(), TEXT)
    try:
        settings, question = _read(asked)
        found = _found(lab, lab.declared.checked(settings), question)
    except ValueError as error:
        return Answer(HTTPStatus.BAD_REQUEST, str(error).encode(), TEXT)
    return Answer(HTTPStatus.OK, json.dumps(found, allow_nan=False).encode(), JSON)


def _found(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> object:
    if "figures" in question:
        return _figures(lab, settings, question)
    return lab.part("answers").answer(settings, question)


def _figures(lab: Laboratory, settings: Settings, question: Mapping[str, object]) -> dict[str, object]:
    """The figures that are asked for by name in a theme, as a page shows them, and what they are of."""
    known, names, theme = lab.figures().FIGURES, question["figures"], question.get("theme")
    if not isinstance(names, list) or not all(name in known for name in map(str, names)) or theme not in list(INKS):
        raise ValueError(f"The question names no figures of this page, or no theme; there are {', '.join(known)}.")
    assert isinstance(settings, Instant)
    dataset = services.jobs().here(task_of(settings))
    drawn = {name: figure_text(settings, dataset, known[name], theme) for name in map(str, names)}
    return {"subject": subject_of(settings), "figures": drawn}


def _read(asked: bytes) -> tuple[dict[str, object], dict[str, object]]:
    try:
        found = json.loads(asked)
        settings, question = found["settings"], found["question"]
    except (ValueError, KeyError, TypeError, RecursionError):
        settings = question = None
    if not isinstance(settings, dict) or not isinstance(question, dict):
        raise ValueError("The question is not one that a page asks.")
    return settings, question
