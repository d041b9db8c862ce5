"""A sequence that a visitor changes, the path along it, and its figures: for the page, and ahead of the page's script.

Changes count in the six digits that a link has: what is alike in these shares a path and its figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.cache import Cache
from goldviz.figures.draft import Figure
from goldviz.figures.limits import Limits
from goldviz.figures.theme import Theme
from goldviz.labs.ode_rnn.edited import EditedSeries, look_at, looks_of, probe_of, weights_at
from goldviz.labs.ode_rnn.figures import FIGURES, shared_limits
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels import background
from goldviz.ui.panels.lanes import AnyLane, Lane
from goldviz.ui.serving import services

MOST_MOVES = 16
"""Moves since the page's script was heard last; it is heard after each."""
ANSWERED = ("flow", "plane")
"""What follows a hand."""
Move = tuple[int, float, float]
LIMITS_IN_MEMORY = 64

_limits: Cache[Limits] = Cache(LIMITS_IN_MEMORY, lambda _: 1)


@dataclass(frozen=True)
class Explored:
    """A lane at one of its looks (by its place among them), and what is made of its probe sequence."""

    lane: Lane[ODERNNLaboratory]
    look: int
    recorded: EditedSeries
    edited: EditedSeries

    @classmethod
    def of(cls, lane: AnyLane, look: int = -1) -> Explored | None:
        """The sequence as it was recorded; None where a lane has no weights to follow it with."""
        if not isinstance(lane, Lane) or not isinstance(lane.settings, ODERNNLaboratory):
            return None
        series = probe_of(lane.dataset)
        return None if series is None else cls(lane, look, series, series)

    def at(self, step: int | None) -> Explored:
        """The same at the last look that is not after a step; at the last of all where none is in view."""
        return replace(self, look=look_at(self.lane.dataset, step))

    @property
    def step(self) -> int:
        """The step of the look."""
        return looks_of(self.lane.dataset)[self.look]

    @property
    def changes(self) -> str:
        """What was changed, for a link."""
        return self.edited.changes(self.recorded)

    @property
    def subject(self) -> str:
        """All that the path depends on."""
        return f"{self.lane.id} {self.lane.version} {self.step} {self.changes}"

    def task(self) -> Task[Run]:
        """Following the observations, with about how long it takes."""
        from goldviz.labs.ode_rnn.path import follow, follow_seconds

        settings, (times, values) = self.lane.settings, self.edited.kept()
        weights = weights_at(self.lane.dataset, self.look)
        arguments = (settings.model_dump_json(), weights, times, values)
        seconds = follow_seconds(settings, times)
        return Task(f"ode-rnn-{self.subject}", follow, arguments, "Following the observations", seconds)

    def figure(self, name: str, theme: Theme, follow: Callable[[], Run]) -> str:
        """A figure of the path that ``followed`` gives, in the axes of the run's own, as JSON."""
        key = ("ode-rnn", self.subject, name, theme)
        return services.figure_json(key, lambda: self.drawn(name, theme, follow()))

    def drawn(self, name: str, theme: Theme, path: Run) -> Figure:
        """Such a figure, which nobody keeps."""
        lane = self.lane
        limits = _limits.get((lane.id, lane.version), lambda: shared_limits([lane.dataset]))
        before = lane.dataset.isel(look=self.look)
        own: dict[str, dict[str, Any]] = {"flow": {"before": before, "editable": True}, "plane": {"before": before}}
        return FIGURES[name].draw(path, limits=limits, theme=theme, **own.get(name, {}))


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
        path = jobs.here(task) if at_once else None
        figures = {} if path is None else {name: now.drawn(name, theme, path).to_json() for name in ANSWERED}
        return {"subject": now.subject, "figures": figures}
    carry_out = jobs.here if at_once else jobs.wait
    return {
        "subject": now.subject,
        "figures": {name: now.figure(name, theme, lambda: carry_out(task)) for name in ANSWERED},
    }


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
