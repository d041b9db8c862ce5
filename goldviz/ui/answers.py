"""Questions that a page's script asks while a person types, answered without the page's own script.

A laboratory that answers has a file ``answers.py`` with ``answer(settings, question)``: JSON in, JSON out, in a few
milliseconds, nothing kept. It raises ``ValueError`` with a sentence for what is no question of its page.
"""

from __future__ import annotations

import json
from http import HTTPStatus

from goldviz.declare.registry import laboratories
from goldviz.ui.frames import TEXT, Answer

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
        found = lab.part("answers").answer(lab.declared.checked(settings), question)
    except ValueError as error:
        return Answer(HTTPStatus.BAD_REQUEST, str(error).encode(), TEXT)
    return Answer(HTTPStatus.OK, json.dumps(found, allow_nan=False).encode(), JSON)


def _read(asked: bytes) -> tuple[dict[str, object], dict[str, object]]:
    try:
        found = json.loads(asked)
        settings, question = found["settings"], found["question"]
    except (ValueError, KeyError, TypeError, RecursionError):
        settings = question = None
    if not isinstance(settings, dict) or not isinstance(question, dict):
        raise ValueError("The question is not one that a page asks.")
    return settings, question
