"""What the page answers while a person drags the future: the tokens of the days before, written anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import xarray as xr

from goldviz.figures.theme import Theme
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.parts.future import Edit
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels import background
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.serving import services


def answer_about_run(lane: Lane[Any], question: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """The strip as of the last of the places that its end was ``moved`` to, each ``[0, day, price]``.

    A question that ``aims`` is about a hand that still moves: there is no figure where a worker would have to fit
    tokens. Raises ``ValueError`` with a sentence for anything else.
    """
    moves = question.get("moved")
    last = moves[-1] if isinstance(moves, list) and moves else None
    price = last[2] if isinstance(last, list) and len(last) == 3 else None
    if isinstance(price, bool) or not isinstance(price, int | float) or not math.isfinite(price):
        raise ValueError("The question names no price that the strip was dragged to.")
    edit = Edit(lane, 0.0)
    days = _made(edit.days)
    edit = edit.moved_to(float(price), days)
    task = edit.task(days)
    if question.get("aims") and task.seconds > background.AT_ONCE_SECONDS:
        return {"subject": edit.subject, "figures": {}}
    strip = _made(task)
    return {"subject": edit.subject, "figures": {future.name: edit.figure(theme, strip)}}


def _made(task: Task[xr.Dataset]) -> xr.Dataset:
    jobs = services.jobs()
    return jobs.here(task) if task.seconds <= background.AT_ONCE_SECONDS else jobs.wait(task)
