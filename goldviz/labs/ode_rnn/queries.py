"""What the page answers when an observation is dropped: the path through it, ahead of the page's script."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goldviz.figures.theme import Theme
from goldviz.labs.ode_rnn.parts.explored import Explored
from goldviz.labs.ode_rnn.probe import looks_of
from goldviz.ui.panels import background
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.serving import services

MOST_MOVES = 16
"""Moves since the page's script was heard last; it is heard after each."""
Move = tuple[int, float, float]


def answer_about_run(lane: Lane[Any], question: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """The path at the ``look`` (a step) with the ``edits`` of a link and what was ``moved`` since.

    A move is ``[handle, time, value]``, the handle counted from 0 as in the figure. A question that ``aims`` is about a
    hand that still moves: its figure is not kept, and there is none where a worker would have to follow. Raises
    ``ValueError`` with a sentence for anything else, and what :class:`goldviz.runs.jobs.jobs.Jobs` raises where a
    worker has to follow.
    """
    exploration = Explored.of(lane)
    look, edits = question.get("look"), question.get("edits")
    looks = [] if exploration is None else looks_of(lane.dataset)
    if exploration is None or isinstance(look, bool) or look not in looks or not isinstance(edits, str):
        raise ValueError("The question names no look that this run has kept weights of, or no edits.")
    series = exploration.recorded.with_changes(edits)
    handles = series.handles()
    for handle, time, value in _moves(question.get("moved"), len(handles)):
        series = series.moved(handles[handle], time, value)
    now = replace(exploration, look=looks.index(look), edited=series)
    task, jobs = now.task(), services.jobs()
    at_once = task.seconds <= background.AT_ONCE_SECONDS
    if question.get("aims"):
        figures = {"path": now.drawn("path", theme, jobs.here(task), editable=True).to_json()} if at_once else {}
        return {"subject": now.subject, "figures": figures}
    carry_out = jobs.here if at_once else jobs.wait
    figure = now.figure("path", theme, lambda: carry_out(task), editable=True)
    return {"subject": now.subject, "figures": {"path": figure}}


def _moves(message: object, handles: int) -> list[Move]:
    moves = message if isinstance(message, list) else []
    valid_moves = [move for one in moves[:MOST_MOVES] if (move := _move(one, handles)) is not None]
    if not moves or len(valid_moves) != len(moves):
        raise ValueError(
            f"The moves are not such as a page tells. Allowed are 1 to {MOST_MOVES} of a handle from 0 to "
            f"{handles - 1}, a time and a value."
        )
    return valid_moves


def _move(message: object, handles: int) -> Move | None:
    if not isinstance(message, list) or len(message) != 3 or any(type(part) not in (int, float) for part in message):
        return None
    try:
        handle, time, value = message[0], float(message[1]), float(message[2])
    except OverflowError:
        return None
    fits = isinstance(handle, int) and 0 <= handle < handles and math.isfinite(time) and math.isfinite(value)
    return (handle, time, value) if fits else None
